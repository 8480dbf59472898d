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
import { isLoopback, isOtherNameOf } from './loopback.js';
import { receive, sayContinue } from './receive.js';
import { answerFailure, answerLate, refuse, refuseUnknown } from './refusals.js';
import { headerProblem } from './request-headers.js';
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
  /** They are the only ones to read the body themselves. */
  readonly uploads: StreamHandler;
};

/** The parts that send whole files, which takes as long as the line of the reader is slow. */
const SENDS_FILES: ReadonlySet<Part> = new Set(['file', 'sharedFile', 'content', 'contentHost']);

export interface FrontOptions {
  readonly log: Log;
  readonly baseUrl: string;
  /** Where stored files have a host of their own. */
  readonly contentUrl: string | undefined;
  /** How long a request may take, its answer included; files that come or go have no such limit. */
  readonly requestMs: number;
  /** How long an upload may bring no byte, and a download may not be read. */
  readonly uploadIdleMs: number;
}

/**
 * The front of the service: reads what a request says and where it goes, once and for everybody;
 * gives every answer an `X-Request-Id`, applies CORS to the API and security headers to the pages,
 * hands the request to the part it belongs to, and logs one line.
 *
 * At the host of stored files, where there is one, it knows these alone, and no cookies.
 *
 * No part sees a request before it has arrived to its end (uploads apart), so that nothing shared,
 * such as a connection to the database, is held while somebody's bytes trickle in.
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
      } else if (request.url === '*' && request.method === 'OPTIONS') {
        sendNothing(response, 204);
      } else if (isForContent && findContentRoute(target.path) === undefined) {
        sendNothing(response, 404);
      } else if (!('status' in target)) {
        await answer(handlers, exchange, target, {
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
    base,
    match,
    isForContent,
    onReceived,
  }: {
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
    await handlers.uploads(request, response, said);
    return;
  }
  if (!forPrograms && isForeignForm(request)) {
    sendPage(response, 403, problemPage(sentence('foreignForm')));
    return;
  }
  const whole = await receive(exchange, target, base);
  if (whole !== undefined) {
    onReceived();
    await handlers[route.part](whole, response, match);
  }
}

/**
 * Bounds the time of a request.
 * @returns what is called when it has arrived: a file that goes out may take longer, as long as it is read.
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

/** Whether a request asks for something at the host of this origin. Its name alone counts: proxies leave the port out. */
function isForHost(origin: string | undefined, { request, target }: Exchange): boolean {
  const authority = 'status' in target ? undefined : target.authority;
  const asked = (authority ?? request.headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  return origin !== undefined && asked === new URL(origin).hostname;
}

/** The host of stored files knows no cookies, and nothing else of a browser but its language. */
function setContentHeaders({ request, response }: Exchange, base: URL): void {
  delete request.headers.cookie;
  const isSecure = base.protocol === 'https:';
  setTransportSecurity(response, base);
  setPageSecurityHeaders(response);
  noteReader(request, response, undefined, isSecure);
}

/** Whether the body of a request may be a file, which takes its time. */
function takesFiles(route: Route | undefined): boolean {
  return route?.part === 'uploads' && route.isBrief !== true;
}

/** Says which methods there are; that is all that OPTIONS asks for. */
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

/** Browsers remember this per name, not per port, and everything else on this machine is `localhost` too. */
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
 * A person may type `127.0.0.1` or `[::1]` for an address that the service calls `localhost`. The cookies of
 * the pages belong to one of the names, so the browser is sent to the right one first.
 */
function redirectToBaseUrl(
  { request, response }: Exchange,
  target: RequestTarget,
  baseUrl: string,
): boolean {
  const asked = target.authority ?? request.headers.host ?? '';
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || !isOtherNameOf(baseUrl, asked)) {
    return false;
  }
  response.setHeader('Location', baseUrl + target.path + target.search);
  sendNothing(response, 302);
  return true;
}

/**
 * Whether the browser says that a form was sent from a page of somebody else. Browsers that say
 * nothing are held back by the anti-forgery tokens alone.
 */
function isForeignForm(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  return request.method === 'POST' && site !== undefined && !/^(same-origin|none)$/.test(site);
}
