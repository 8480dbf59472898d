import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../kernel/log.js';
import { setAskedCookie, uiLocalesIn } from '../kernel/i18n/locale-negotiation.js';
import { DEFAULT_LOCALE, negotiateLocale, type PageLocale } from '../kernel/i18n/page-locale.js';
import { message } from '../kernel/i18n/message.js';
import { bufferRequest, sendContinue } from './buffer-request.js';
import type { ClientAddress } from '../kernel/http/request/client-address.js';
import {
  LINGERING_CLOSE,
  UPLOAD_LINGERING_CLOSE,
  limitIdleness,
  drainUnreadBody,
  limitTime,
} from '../kernel/http/lingering-close.js';
import { allowEveryOrigin, answerPreflight } from '../kernel/http/cors.js';
import {
  handleError,
  rejectRequest,
  sendRefusal,
  sendMisdirected,
  sendNotFound,
  sendTimeout,
} from './error-responses.js';
import type { Handler } from '../kernel/http/handler.js';
import { hostIn, isForOtherHost, isLoopback, isAlias } from '../kernel/http/loopback.js';
import { createContext, type RequestContext } from '../kernel/http/request/request-context.js';
import { headerProblem } from '../kernel/http/request/request-headers.js';
import type { RequestLimit } from '../kernel/http/request-limit.js';
import {
  readTarget,
  type RequestTarget,
  type TargetProblem,
} from '../kernel/http/request/request-target.js';
import {
  sendRedirect,
  sendStatus,
  setPageSecurityHeaders,
  type PageTarget,
} from '../kernel/http/responses.js';
import {
  allowedMethods,
  HEALTH_PATH,
  handlerFor,
  isApiPath,
  isApiRoute,
  isForEveryOrigin,
  methodsOf,
  type FindRoute,
  type Route,
  type RouteMatch,
} from '../kernel/http/router.js';
import { setTusResumable } from '../kernel/http/tus-headers.js';

export interface PipelineOptions {
  /** Finds a route at the base URL, see `compileRoutes`. */
  readonly findRoute: FindRoute;
  readonly log: Log;
  /** The origin under which clients and browsers reach the service. */
  readonly baseUrl: string;
  /** The origin of the storage, if browsers get pictures from there. */
  readonly storageOrigin: string | undefined;
  /** The separate host of stored files, if any. */
  readonly contentHost: { readonly origin: string; readonly findRoute: FindRoute } | undefined;
  readonly clientFiles: PageTarget['clientFiles'];
  readonly addressOf: ClientAddress;
  readonly limit: RequestLimit;
  /** See `redactPath` in app/redact-path.ts. */
  readonly redactPath: (path: string) => string;
  /** The address without the tail that another program added, see `withoutTail` in addresses/share-paths.ts. */
  readonly withoutTail: (path: string) => string | undefined;
  /** How long a request may take, its response included, in milliseconds. Uploads and downloads have no such limit. */
  readonly requestMs: number;
  /** How long an upload or a download may make no progress, in milliseconds. */
  readonly uploadIdleMs: number;
}

/** The parsed subject of a request. */
interface Found {
  /** Where the request goes, or why it cannot be answered. */
  readonly target: RequestTarget | TargetProblem;
  /** The requested host and port; undefined when the request has none, as in HTTP/1.0. */
  readonly authority: string | undefined;
  readonly isContentHost: boolean;
  readonly match: RouteMatch | undefined;
  /** By the route, or by the path if it has none. */
  readonly isApi: boolean;
}

/**
 * Handles every request to the service. It parses the request once for all handlers, and adds an `X-Request-Id` to
 * every response. It applies CORS to the API and security headers to the pages, checks the permission of the route, calls
 * its handler, and logs one line.
 *
 * On the host of stored files, if any, it serves these files only and ignores cookies.
 *
 * Except for uploads, handlers get only complete requests. So no shared resource, such as a connection to the database,
 * is held while a slow client sends its bytes.
 */
export function createRequestHandler(options: PipelineOptions): Handler {
  const base = new URL(options.baseUrl);
  const find = findRequests(options);
  const pictureOrigins = [options.contentHost?.origin, options.storageOrigin].filter(
    (origin) => origin !== undefined,
  );
  return async (request, response) => {
    const found = find(request);
    if (found.isContentHost) {
      delete request.headers.cookie;
    }
    const context = createContext(request, response, {
      ...options,
      ...found,
      id: found.match?.id ?? '',
      locale: localeFor(request, response, found, base, options),
      pictureOrigins: found.isContentHost ? [] : pictureOrigins,
      clientFiles: found.isContentHost ? undefined : options.clientFiles,
    });
    const onReceived = limitRequest({ context, route: found.match?.route }, options);
    try {
      setCommonHeaders(context, base, found.match?.route);
      const problem = headerProblem(request);
      if (problem !== undefined) {
        rejectRequest(context, 400, 'invalid_request', problem);
      } else if (isMisdirected(found, base)) {
        sendMisdirected(context, base.origin);
      } else if (request.url === '*' && request.method === 'OPTIONS') {
        sendStatus(response, 204);
      } else if (!found.isContentHost && redirectWithoutTail(context, options)) {
        return;
      } else if (found.isContentHost && found.match === undefined) {
        sendStatus(response, 404);
      } else if (!('status' in found.target)) {
        await answer(context, found, { base, limit: options.limit, onReceived });
      } else if (found.target.status === 404) {
        sendNotFound(context);
      } else {
        const description = 'the request URL is malformed';
        rejectRequest(context, 400, 'invalid_request', description);
      }
    } catch (error) {
      handleError(context, error, options.log);
    }
  };
}

/**
 * Whether a request names a host that is not ours. Load balancers request the health of a public service by its address,
 * which reveals nothing.
 */
function isMisdirected({ authority, isContentHost, target }: Found, base: URL): boolean {
  const isHealth = target.path === HEALTH_PATH && !isLoopback(base.hostname);
  return !isContentHost && !isHealth && isForOtherHost(base.hostname, authority);
}

/** Creates the function that parses the subject of a request. */
function findRequests({
  findRoute,
  contentHost,
}: PipelineOptions): (request: IncomingMessage) => Found {
  const contentName = contentHost && new URL(contentHost.origin).hostname;
  return (request) => {
    const target = readTarget(request.url ?? '');
    const authority = ('status' in target ? undefined : target.authority) ?? request.headers.host;
    // The port does not count: some proxies leave it out.
    const isContentHost = contentName !== undefined && hostIn(authority ?? '') === contentName;
    const match = isContentHost ? contentHost?.findRoute(target.path) : findRoute(target.path);
    const isApi = match === undefined ? isApiPath(target.path) : isApiRoute(match.route);
    return { target, authority, isContentHost, match, isApi: isApi && !isContentHost };
  };
}

/** Checks the requirements of a route before the body is read, then its permission, then calls the handler. */
async function answer(
  context: RequestContext,
  { authority, isContentHost, match }: Found,
  { base, limit, onReceived }: { base: URL; limit: RequestLimit; onReceived: () => void },
): Promise<void> {
  const { method } = context;
  const isOpen = match === undefined || isForEveryOrigin(match.route);
  if (context.isApi && isOpen && answerPreflight(context)) {
    return;
  }
  if (!context.isApi && !isContentHost && redirectToBaseUrl(context, authority, base.origin)) {
    return;
  }
  if (match === undefined) {
    sendNotFound(context);
    return;
  }
  const { route } = match;
  if (!methodsOf(route).includes(method)) {
    rejectMethod(context, route);
    return;
  }
  if (route.kind === 'upload') {
    sendContinue(context);
    await limit.run(context.response, () => handlerFor(route.handlers, method).answer(context));
    return;
  }
  if (!context.isApi && isForeignForm(context.request)) {
    sendRefusal(context, 403, message('foreignForm'));
    return;
  }
  const buffered = await bufferRequest(context, base, route);
  if (buffered !== undefined) {
    onReceived();
    await limit.run(context.response, () => handlerFor(route.handlers, method).answer(buffered));
  }
}

/**
 * Limits the time of a request.
 * @returns a function to call when the request is complete: from then on a download has no limit while it makes
 *   progress.
 */
function limitRequest(
  { context, route }: { readonly context: RequestContext; readonly route: Route | undefined },
  { requestMs, uploadIdleMs }: PipelineOptions,
): () => void {
  const { response } = context;
  const isFile = takesFile(route);
  drainUnreadBody(response, isFile ? UPLOAD_LINGERING_CLOSE : LINGERING_CLOSE);
  if (isFile) {
    limitIdleness(response, uploadIdleMs);
    return () => undefined;
  }
  const lift = limitTime(response, requestMs, () => sendTimeout(context));
  return () => {
    if (sendsFile(route)) {
      lift();
      limitIdleness(response, uploadIdleMs);
    }
  };
}

/** Whether the body of a request may be a file, which may take long to arrive. */
function takesFile(route: Route | undefined): boolean {
  return route?.kind === 'upload' && route.isBrief !== true;
}

function sendsFile(route: Route | undefined): boolean {
  return route !== undefined && route.kind !== 'upload' && route.sendsFile === true;
}

/** The locale of pages in the response. Keeps the language that an app requests in the address for the next pages. */
function localeFor(
  request: IncomingMessage,
  response: ServerResponse,
  { target, match, isContentHost, isApi }: Found,
  base: URL,
  { redactPath }: PipelineOptions,
): PageLocale {
  const isSecure = base.protocol === 'https:';
  if (isApi) {
    return DEFAULT_LOCALE;
  }
  if (isContentHost || 'status' in target) {
    return negotiateLocale(request, { isSecure });
  }
  const route = match?.route.kind === 'upload' ? undefined : match?.route;
  const asked = route?.takesUiLocales === true ? uiLocalesIn(target.parameters) : undefined;
  if (asked !== undefined) {
    response.appendHeader('Set-Cookie', setAskedCookie(asked, isSecure));
  }
  // Without a route: a secret in a path must not get into the form of the language menu.
  const mayRepeat =
    route === undefined ? redactPath(target.path) === target.path : route.kind !== 'public-link';
  const isRepeatable = request.method !== 'POST' || route?.repeatsPage === true;
  const returnUrl = mayRepeat && isRepeatable ? target.path + target.search : undefined;
  return negotiateLocale(request, { isSecure, asked, returnUrl });
}

function setCommonHeaders(context: RequestContext, base: URL, route: Route | undefined): void {
  const { response, isApi, target } = context;
  // Browsers then use https only (RFC 6797), for all ports of a name. Other programs on this machine may use http.
  if (base.protocol === 'https:' && !isLoopback(base.hostname)) {
    response.setHeader('Strict-Transport-Security', 'max-age=31536000');
  }
  if (isApi) {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (route === undefined || isForEveryOrigin(route)) {
      allowEveryOrigin(response);
    }
    setTusResumable(response, target.path);
  } else {
    setPageSecurityHeaders(response);
  }
}

/** Answers a method that the route does not have with the methods that it has. To OPTIONS that is the right answer. */
function rejectMethod(context: RequestContext, route: Route): void {
  const { response, method } = context;
  const allowed = allowedMethods(route);
  response.setHeader('Allow', allowed);
  if (method === 'OPTIONS') {
    sendStatus(response, 204);
  } else {
    rejectRequest(context, 405, 'method_not_allowed', `use ${allowed}`);
  }
}

/**
 * Redirects a browser to the base URL if it uses another name of this machine, such as `127.0.0.1` for `localhost`. The
 * cookies of the pages belong to one name.
 * @returns whether it has answered.
 */
function redirectToBaseUrl(
  { request, response, target }: RequestContext,
  authority: string | undefined,
  baseUrl: string,
): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !isAlias(baseUrl, authority ?? '')) {
    return false;
  }
  response.setHeader('Location', baseUrl + target.path + target.search);
  sendStatus(response, 302);
  return true;
}

/** Redirects a browser to the address without its tail, if it has one. @returns whether it has answered. */
function redirectWithoutTail(
  { request, response, target }: RequestContext,
  { withoutTail }: Pick<PipelineOptions, 'withoutTail'>,
): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const path = isRead ? withoutTail(target.path) : undefined;
  if (path !== undefined) {
    sendRedirect(response, path + target.search);
  }
  return path !== undefined;
}

/**
 * Whether the browser reports that a form was sent from a page of another origin
 * ([Fetch Metadata](https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header)). For browsers without these headers, the
 * anti-forgery tokens in the forms are the only protection.
 */
function isForeignForm(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  return request.method === 'POST' && site !== undefined && !/^(same-origin|none)$/.test(site);
}
