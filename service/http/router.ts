import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log.js';
import { INTERACTION_PATH, METADATA_PATH, ROUTES } from '../oauth/routes.js';
import { notFoundPage, problemPage } from '../pages/outcome.js';
import { SETTINGS } from '../settings/paths.js';
import { handleCors } from './cors.js';
import { sendError, sendJson, sendPage, setPageSecurityHeaders } from './responses.js';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The parts of the service that answer requests. */
export interface Handlers {
  /** oidc-provider: the OAuth endpoints and the code page. */
  readonly oauth: Handler;
  /** Sign-in and consent. */
  readonly interaction: Handler;
  /** The pages below `/settings`. */
  readonly settings: Handler;
  /** Whether the service can do its work: the database answers. */
  readonly isHealthy: () => Promise<boolean>;
  /** The data API's uploads. `id` is the last path segment, or undefined for the collection. */
  readonly uploads: (
    request: IncomingMessage,
    response: ServerResponse,
    target: { id: string | undefined; requestId: string },
  ) => Promise<void>;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const UPLOADS_PATH = '/api/v1/uploads';

export const HEALTH_PATH = '/healthz';

const API_METHODS: Readonly<Record<string, string>> = {
  [ROUTES.token]: 'POST',
  [ROUTES.device_authorization]: 'POST',
  [ROUTES.revocation]: 'POST',
  [ROUTES.jwks]: 'GET',
  [METADATA_PATH]: 'GET',
};

/**
 * The front of the service: gives every answer an `X-Request-Id`, applies CORS to the API and
 * security headers to the pages, hands the request to the part it belongs to, and logs one line.
 */
export function createRouter(handlers: Handlers, log: Log, baseUrl: string): Handler {
  return async (request, response) => {
    const started = performance.now();
    const requestId = randomUUID();
    response.setHeader('X-Request-Id', requestId);
    const path = pathOf(request);
    response.once('close', () => {
      log({
        time: new Date().toISOString(),
        level: response.statusCode >= 500 ? 'error' : 'info',
        event: 'request',
        requestId,
        method: request.method ?? '',
        path: withoutIdentifiers(path),
        // A connection that ended before the answer did, as proxies write it.
        status: response.writableFinished ? response.statusCode : 499,
        ms: Math.round(performance.now() - started),
      });
    });
    try {
      if (!isMachinePath(path) && redirectToBaseUrl(request, response, baseUrl)) return;
      await dispatch(handlers, request, response, path, requestId, baseUrl);
    } catch (error) {
      log({
        time: new Date().toISOString(),
        level: 'error',
        event: 'server_error',
        requestId,
        message: describe(error),
      });
      answerFailure(response, path);
    }
  };
}

async function dispatch(
  handlers: Handlers,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  requestId: string,
  baseUrl: string,
): Promise<void> {
  if (baseUrl.startsWith('https:')) {
    response.setHeader('Strict-Transport-Security', 'max-age=31536000');
  }
  if (isMachinePath(path)) {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (path === HEALTH_PATH) {
      const healthy = await handlers.isHealthy();
      sendJson(response, healthy ? 200 : 503, { status: healthy ? 'ok' : 'unavailable' });
      return;
    }
    if (handleCors(request, response)) return;
    if (path === UPLOADS_PATH || path.startsWith(`${UPLOADS_PATH}/`)) {
      const id = path.slice(UPLOADS_PATH.length + 1) || undefined;
      await handlers.uploads(request, response, { id, requestId });
      return;
    }
    const method = API_METHODS[path];
    if (method === undefined) {
      sendError(response, 404, 'not_found', 'there is nothing at this address');
    } else if (method !== request.method) {
      response.setHeader('Allow', method);
      sendError(response, 405, 'method_not_allowed', `use ${method}`);
    } else {
      // Machine endpoints answer JSON whatever a client says it accepts.
      request.headers.accept = 'application/json';
      await handlers.oauth(request, response);
    }
    return;
  }

  setPageSecurityHeaders(response);
  if (isForeignForm(request)) {
    sendPage(response, 403, problemPage('This form did not come from this service.'));
    return;
  }
  const isPageMethod = request.method === 'GET' || request.method === 'POST';
  if (path === ROUTES.code_verification && isPageMethod) {
    await handlers.oauth(request, response);
  } else if (isBelow(path, ROUTES.code_verification) && request.method === 'GET') {
    await handlers.oauth(request, response);
  } else if (isBelow(path, INTERACTION_PATH) && isPageMethod) {
    await handlers.interaction(request, response);
  } else if (path === ROUTES.authorization && request.method === 'GET') {
    await handlers.oauth(request, response);
  } else if (isBelow(path, ROUTES.authorization) && request.method === 'GET') {
    await handlers.oauth(request, response);
  } else if ((path === SETTINGS.root || path.startsWith(`${SETTINGS.root}/`)) && isPageMethod) {
    await handlers.settings(request, response);
  } else {
    sendPage(response, 404, notFoundPage());
  }
}

/**
 * A person may type `localhost` for an address that the service calls `127.0.0.1`. The cookies of
 * the pages belong to one of the two names, so the browser is sent to the right one first.
 */
function redirectToBaseUrl(
  request: IncomingMessage,
  response: ServerResponse,
  baseUrl: string,
): boolean {
  const own = new URL(baseUrl);
  const asked = /^(localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.exec(
    request.headers.host ?? '',
  )?.[1];
  const isOtherName =
    asked !== undefined && LOOPBACK.has(own.hostname) && asked.toLowerCase() !== own.hostname;
  const target = request.url ?? '';
  // Only a path may follow the origin: anything else could turn into another host.
  if (request.method !== 'GET' || !isOtherName || !target.startsWith('/')) return false;
  response.statusCode = 302;
  response.setHeader('Location', baseUrl + target);
  response.end();
  return true;
}

/** The path without its query, which may hold a code. */
function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').replace(/[?#].*$/s, '');
}

function isMachinePath(path: string): boolean {
  return (
    path === '/api' || path.startsWith('/api/') || path === METADATA_PATH || path === HEALTH_PATH
  );
}

/**
 * Whether the browser says that a form was sent from a page of somebody else. Browsers that say
 * nothing are held back by the anti-forgery tokens alone.
 */
function isForeignForm(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  return request.method === 'POST' && site !== undefined && !/^(same-origin|none)$/.test(site);
}

/** Whether the path is one segment below `parent`. */
function isBelow(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/`) && /^[\w-]+$/.test(path.slice(parent.length + 1));
}

/** Identifiers of sign-ins stay out of the log. */
function withoutIdentifiers(path: string): string {
  for (const parent of [INTERACTION_PATH, ROUTES.code_verification, ROUTES.authorization]) {
    if (path.startsWith(`${parent}/`)) return `${parent}/:uid`;
  }
  return path;
}

function answerFailure(response: ServerResponse, path: string): void {
  if (response.headersSent) {
    response.destroy();
  } else if (isMachinePath(path)) {
    sendError(response, 500, 'server_error', 'something went wrong on our side');
  } else {
    sendPage(response, 500, problemPage('Something went wrong on our side.'));
  }
}

/** An error in one line for the log: its name and message, never its other members or its cause. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return `${error.name}: ${error.message}`.replace(/\s+/g, ' ').slice(0, 300);
}
