import { problemPage } from '../pages/outcome.js';
import { noteReader } from '../pages/reader.js';
import { sentence } from '../pages/sentence.js';
import { sendError, sendJson, sendPage, setPageSecurityHeaders } from './responses.js';
import type { Handler } from './router.js';

const HEALTH_PATH = '/healthz';

/** When a client may try again, in seconds. */
const RETRY_AFTER = '2';

/** Answers everything with 503 while the service starts, which takes as long as its database is away. */
export const answerStarting: Handler = (request, response) => {
  const path = (request.url ?? '/').replace(/[?#].*$/s, '');
  response.setHeader('Retry-After', RETRY_AFTER);
  if (path === HEALTH_PATH) {
    sendJson(response, 503, { status: 'unavailable' });
  } else if (/^\/(api|\.well-known)(\/|$)/.test(path)) {
    sendError(response, 503, 'temporarily_unavailable', 'the service is starting');
  } else {
    setPageSecurityHeaders(response);
    noteReader(request, response, undefined, false);
    sendPage(response, 503, problemPage(sentence('starting')));
  }
  return Promise.resolve();
};
