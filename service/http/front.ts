import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log.js';
import { problemPage } from '../pages/outcome.js';
import { noteReader } from '../pages/reader.js';
import { sentence } from '../pages/sentence.js';
import {
  LEFTOVERS,
  LEFTOVERS_OF_UPLOADS,
  limitIdleness,
  limitLeftovers,
  limitTime,
} from './connection-limits.js';
import { allowEveryOrigin, answerPreflight } from './cors.js';
import { beginExchange, type Exchange } from './exchange.js';
import type { Handler, StreamHandler, WholeHandler } from './handler.js';
import { hostIn, isForOtherHost, isLoopback, isOtherNameOf } from './loopback.js';
import { receive, sayContinue } from './receive.js';
import { answerFailure, answerLate, refuse, refuseOtherHost, refuseUnknown } from './refusals.js';
import { headerProblem } from './request-headers.js';
import type { RequestLimit } from './request-limit.js';
import type { RequestTarget } from './request-target.js';
import { allowPicturesFrom, sendNothing, sendPage, setPageSecurityHeaders } from './responses.js';
import {
  allowedMethods,
  findContentRoute,
  findRoute,
  type Part,
  type Route,
  type RouteMatch,
} from './route-table.js';
import { sayTusVersion } from './tus-headers.js';

/** The parts of the service that answer requests, by their names in the route table. */
export type Handlers = Readonly<Record<Exclude<Part, 'uploads'>, WholeHandler>> & {
  /** The only part that reads the body itself. */
  readonly uploads: StreamHandler;
};

/** The parts that send whole files. On a slow line that may take long. */
const SENDS_FILES: ReadonlySet<Part> = new Set(['file', 'sharedFile', 'content', 'contentHost']);

export interface FrontOptions {
  readonly log: Log;
  readonly limit: RequestLimit;
  /** The origin under which clients and browsers reach the service. */
  readonly baseUrl: string;
  /** The origin of the host of stored files; undefined if they have none of their own. */
  readonly contentUrl: string | undefined;
  /** How long a request may take, its answer included, in milliseconds. Uploads and downloads have no such limit. */
  readonly requestMs: number;
  /** How long an upload may bring no byte, and a download may not go on, in milliseconds. */
  readonly uploadIdleMs: number;
}

/**
 * The front of the service, through which every request goes. It reads the request once, for all parts; gives every
 * answer an `X-Request-Id`; applies CORS to the API and security headers to the pages; hands the request to the part
 * that the route table names; and logs one line.
 *
 * At the host of stored files, if there is one, it answers requests for these files only, and ignores cookies.
 *
 * Except for uploads, no part sees a request before all of it has arrived. So nothing shared, such as a connection to
 * the database, is held while a slow client sends its bytes.
 */
export function createFront(handlers: Handlers, options: FrontOptions): Handler {
  const base = new URL(options.baseUrl);
  return async (request, response) => {
    const exchange = beginExchange(request, response, options.log);
    const { target } = exchange;
    const isForContent = isForHost(options.contentUrl, exchange);
    const onReceived = limitExchange(exchange, isForContent, options);
    try {
      if (isForContent) {
        setContentHeaders(exchange, base);
      } else {
        setCommonHeaders(exchange, base, options.contentUrl);
      }
      const refusal = headerProblem(request);
      if (refusal !== undefined) {
        refuse(exchange, 400, 'invalid_request', refusal);
      } else if (!isForContent && isForOtherHost(base.hostname, authorityOf(exchange))) {
        refuseOtherHost(exchange, base.origin);
      } else if (request.url === '*' && request.method === 'OPTIONS') {
        sendNothing(response, 204);
      } else if (isForContent && findContentRoute(target.path) === undefined) {
        sendNothing(response, 404);
      } else if (!('status' in target)) {
        await answer(handlers, exchange, target, {
          limit: options.limit,
          base,
          match: isForContent ? findContentRoute(target.path) : findRoute(target.path),
          isForContent,
          onReceived,
        });
      } else if (target.status === 404) {
        refuseUnknown(exchange);
      } else {
        refuse(exchange, 400, 'invalid_request', 'the address of the request is not well-formed');
      }
    } catch (error) {
      answerFailure(exchange, error, options.log);
    }
  };
}

async function answer(
  handlers: Handlers,
  exchange: Exchange,
  target: RequestTarget,
  {
    limit,
    base,
    match,
    isForContent,
    onReceived,
  }: {
    limit: RequestLimit;
    base: URL;
    match: RouteMatch | undefined;
    isForContent: boolean;
    onReceived: () => void;
  },
): Promise<void> {
  const { request, response, method, forPrograms, requestId } = exchange;
  if (forPrograms && answerPreflight(exchange)) {
    return;
  }
  if (!forPrograms && !isForContent && redirectToBaseUrl(exchange, target, base.origin)) {
    return;
  }
  if (match === undefined) {
    refuseUnknown(exchange);
    return;
  }
  const { route } = match;
  if (!route.methods.includes(method)) {
    refuseMethod(exchange, route);
    return;
  }
  if (route.part === 'uploads') {
    sayContinue(exchange);
    const said = { target: target.path + target.search, method, requestId };
    await limit.run(response, () => handlers.uploads(request, response, said));
    return;
  }
  if (!forPrograms && isForeignForm(request)) {
    sendPage(response, 403, problemPage(sentence('foreignForm')));
    return;
  }
  const whole = await receive(exchange, target, base);
  if (whole !== undefined) {
    onReceived();
    await limit.run(response, () =>
      handlers[route.part as Exclude<Part, 'uploads'>](whole, response, match),
    );
  }
}

/**
 * Limits the time of a request.
 * @returns a function to call when all of the request has arrived: from then on a download has no limit, as long as it
 *   goes on.
 */
function limitExchange(
  exchange: Exchange,
  isForContent: boolean,
  { requestMs, uploadIdleMs }: FrontOptions,
): () => void {
  const { response, target } = exchange;
  const find = isForContent ? findContentRoute : findRoute;
  const route = find(target.path)?.route;
  const isFile = takesFiles(route);
  limitLeftovers(response, isFile ? LEFTOVERS_OF_UPLOADS : LEFTOVERS);
  if (isFile) {
    limitIdleness(response, uploadIdleMs);
    return () => undefined;
  }
  const lift = limitTime(response, requestMs, () => answerLate(exchange));
  return () => {
    if (route !== undefined && SENDS_FILES.has(route.part)) {
      lift();
      limitIdleness(response, uploadIdleMs);
    }
  };
}

/** Whether a request is for the host of this origin. The port does not count: some proxies leave it out. */
function isForHost(origin: string | undefined, exchange: Exchange): boolean {
  const asked = hostIn(authorityOf(exchange) ?? '');
  return origin !== undefined && asked === new URL(origin).hostname;
}

/** Host and port that a request asks for; undefined when it names none, as in HTTP/1.0. */
function authorityOf({ request, target }: Exchange): string | undefined {
  return ('status' in target ? undefined : target.authority) ?? request.headers.host;
}

/** Sets the headers of an answer of the host of stored files, and removes the cookies of the request. */
function setContentHeaders({ request, response }: Exchange, base: URL): void {
  delete request.headers.cookie;
  const isSecure = base.protocol === 'https:';
  setTransportSecurity(response, base);
  setPageSecurityHeaders(response);
  noteReader(request, response, undefined, isSecure);
}

/** Whether the body of a request may be a file, which may take long to arrive. */
function takesFiles(route: Route | undefined): boolean {
  return route?.part === 'uploads' && route.isBrief !== true;
}

/** Answers a method that the route does not have with the methods that it has. To OPTIONS that is the right answer. */
function refuseMethod(exchange: Exchange, route: Route): void {
  const { response, method } = exchange;
  const allowed = allowedMethods(route);
  response.setHeader('Allow', allowed);
  if (method === 'OPTIONS') {
    sendNothing(response, 204);
  } else {
    refuse(exchange, 405, 'method_not_allowed', `use ${allowed}`);
  }
}

/**
 * Tells browsers to use https only ([RFC 6797](https://www.rfc-editor.org/rfc/rfc6797)). Not for `localhost`: browsers
 * remember it for all ports of a name, and other programs on this machine may use http.
 */
function setTransportSecurity(response: ServerResponse, base: URL): void {
  if (base.protocol === 'https:' && !isLoopback(base.hostname)) {
    response.setHeader('Strict-Transport-Security', 'max-age=31536000');
  }
}

function setCommonHeaders(
  { request, response, forPrograms, target }: Exchange,
  base: URL,
  contentUrl: string | undefined,
): void {
  const isSecure = base.protocol === 'https:';
  setTransportSecurity(response, base);
  if (forPrograms) {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    allowEveryOrigin(response);
    sayTusVersion(response, target.path);
  } else {
    setPageSecurityHeaders(response);
    if (contentUrl !== undefined) {
      allowPicturesFrom(response, contentUrl);
    }
    noteReader(request, response, 'status' in target ? undefined : target, isSecure);
  }
}

/**
 * Redirects a browser to the base URL if it uses another name of this machine, such as `127.0.0.1` for `localhost`: the
 * cookies of the pages belong to one name.
 * @returns whether it has answered.
 */
function redirectToBaseUrl(exchange: Exchange, target: RequestTarget, baseUrl: string): boolean {
  const { request, response } = exchange;
  const asked = authorityOf(exchange) ?? '';
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !isOtherNameOf(baseUrl, asked)) {
    return false;
  }
  response.setHeader('Location', baseUrl + target.path + target.search);
  sendNothing(response, 302);
  return true;
}

/**
 * Whether the browser says that a form was sent from a page of another origin
 * ([Fetch Metadata](https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header)). For browsers that say nothing, the
 * anti-forgery tokens in the forms are the only protection.
 */
function isForeignForm(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  return request.method === 'POST' && site !== undefined && !/^(same-origin|none)$/.test(site);
}
