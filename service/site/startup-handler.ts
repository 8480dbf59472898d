import type { Log } from '../kernel/log.js';
import { errorPage } from './error-pages.js';
import { DEFAULT_LOCALE, negotiateLocale } from '../kernel/i18n/page-locale.js';
import { message } from '../kernel/i18n/message.js';
import type { ClientAddress } from '../kernel/http/request/client-address.js';
import { allowEveryOrigin, answerPreflight } from '../kernel/http/cors.js';
import type { Handler } from '../kernel/http/handler.js';
import { createContext } from '../kernel/http/request/request-context.js';
import { readTarget } from '../kernel/http/request/request-target.js';
import { sendError, sendJson, sendPage, setPageSecurityHeaders } from '../kernel/http/responses.js';
import { HEALTH_PATH, isApiPath } from '../kernel/http/router.js';
import { setTusResumable } from '../kernel/http/tus-headers.js';

/** After how many seconds a client may try again. */
const RETRY_AFTER = '2';

/**
 * Answers every request with 503 while the service starts, which may take long if the database is away. Only CORS
 * preflights of the API are answered as always.
 */
export function createStartupHandler(options: {
  readonly log: Log;
  readonly addressOf: ClientAddress;
  /** See `redactPath` in app/redact-path.ts. */
  readonly redactPath: (path: string) => string;
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean;
}): Handler {
  return (request, response) => {
    const target = readTarget(request.url ?? '');
    const { path } = target;
    const isApi = isApiPath(path);
    const context = createContext(request, response, {
      ...options,
      target,
      id: '',
      isApi,
      locale: isApi ? DEFAULT_LOCALE : negotiateLocale(request, options),
      pictureOrigins: [],
      clientFiles: undefined,
    });
    response.setHeader('Retry-After', RETRY_AFTER);
    if (path === HEALTH_PATH) {
      sendJson(response, 503, { status: 'unavailable' });
    } else if (isApi) {
      // Else scripts of other origins could not read this answer, and would take the service for unreachable.
      allowEveryOrigin(response);
      setTusResumable(response, path);
      if (!answerPreflight(context)) {
        sendError(response, 503, 'temporarily_unavailable', 'the service is starting');
      }
    } else {
      setPageSecurityHeaders(response);
      sendPage(context, 503, errorPage(message('starting')));
    }
    return Promise.resolve();
  };
}
