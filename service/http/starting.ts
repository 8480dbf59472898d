import type { Log } from '../log.js';
import { problemPage } from '../pages/outcome.js';
import { noteReader } from '../pages/reader.js';
import { sentence } from '../pages/sentence.js';
import { allowEveryOrigin, answerPreflight } from './cors.js';
import { beginExchange } from './exchange.js';
import type { Handler } from './handler.js';
import { sendError, sendJson, sendPage, setPageSecurityHeaders } from './responses.js';
import { HEALTH_PATH } from './route-table.js';
import { sayTusVersion } from './tus-headers.js';

/** After how many seconds a client may try again. */
const RETRY_AFTER = '2';

/**
 * Answers every request with 503 while the service starts, which may take long if the database is away. Only CORS
 * preflights of the API are answered as always.
 * @param isSecure whether browsers reach the service by https.
 */
export function answerStarting(log: Log, isSecure: boolean): Handler {
  return (request, response) => {
    const exchange = beginExchange(request, response, log);
    const { target, forPrograms } = exchange;
    response.setHeader('Retry-After', RETRY_AFTER);
    if (target.path === HEALTH_PATH) {
      sendJson(response, 503, { status: 'unavailable' });
    } else if (forPrograms) {
      // Else scripts of other origins could not read this answer, and would take the service for unreachable.
      allowEveryOrigin(response);
      sayTusVersion(response, target.path);
      if (answerPreflight(exchange)) {
        return Promise.resolve();
      }
      sendError(response, 503, 'temporarily_unavailable', 'the service is starting');
    } else {
      setPageSecurityHeaders(response);
      noteReader(request, response, undefined, isSecure);
      sendPage(response, 503, problemPage(sentence('starting')));
    }
    return Promise.resolve();
  };
}
