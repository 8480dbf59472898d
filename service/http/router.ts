import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemErrorCode, unavailability } from '../errors.js';
import type { Log } from '../log.js';
import { notFoundPage, problemPage, unavailablePage } from '../pages/outcome.js';
import { noteReader } from '../pages/reader.js';
import { sentence } from '../pages/sentence.js';
import type { PlainKey } from '../pages/sentence.js';
import { isClientGone } from './client-gone.js';
import { LEFTOVERS, LEFTOVERS_OF_UPLOADS } from './connection-limits.js';
import { limitIdleness, limitLeftovers, limitTime } from './connection-limits.js';
import { allowEveryOrigin, answerPreflight } from './cors.js';
import { formOf } from './form.js';
import { isLoopback, isOtherNameOf } from './loopback.js';
import { announcesTooMuch, MAX_BODY_BYTES, readBody } from './request-body.js';
import { headerProblem, headersAtBaseUrl } from './request-headers.js';
import { readTarget } from './request-target.js';
import type { RequestTarget } from './request-target.js';
import { sendError, sendJson, sendPage, setPageSecurityHeaders } from './responses.js';
import { findRoute, isMachinePath, withoutIdentifiers } from './route-table.js';
import type { Part } from './route-table.js';
import { WholeRequest } from './whole-request.js';

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers a request that has arrived to its end. */
export type WholeHandler = (request: WholeRequest, response: ServerResponse) => Promise<void>;

/** The parts of the service that answer requests. */
export interface Handlers {
  /** oidc-provider: the OAuth endpoints and the code page. */
  readonly oauth: WholeHandler;
  /** Whose token it is (data API). */
  readonly me: WholeHandler;
  /** Sign-in and consent. */
  readonly interaction: WholeHandler;
  /** The pages below `/settings`. */
  readonly settings: WholeHandler;
  /** The form with which another language is chosen. */
  readonly language: WholeHandler;
  /** Whether the service can do its work: the database answers. */
  readonly isHealthy: () => Promise<boolean>;
  /** Whether there is room for uploads; asked only of a healthy service. */
  readonly hasRoom: () => Promise<boolean>;
  /**
   * The data API's uploads; alone they read the body by themselves. `target` is the path and the
   * query as they came.
   */
  readonly uploads: (
    request: IncomingMessage,
    response: ServerResponse,
    about: { target: string; requestId: string },
  ) => Promise<void>;
}

export interface RouterOptions {
  readonly log: Log;
  readonly baseUrl: string;
  /** How long a request that is no upload may take, its answer included. */
  readonly requestMs: number;
  /** How long an upload may bring no byte. */
  readonly uploadIdleMs: number;
}

/** A request that is being answered. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Whether programs ask, which get JSON, or people, who get pages. */
  readonly machine: boolean;
  /** Set when the time for the request was over; what its handler does then is of no interest. */
  late: boolean;
}

/**
 * The front of the service: reads what a request says and where it goes, once and for everybody;
 * gives every answer an `X-Request-Id`, applies CORS to the API and security headers to the pages,
 * hands the request to the part it belongs to, and logs one line.
 *
 * No part sees a request before it has arrived to its end (uploads apart), so that nothing shared,
 * such as a connection to the database, is held while somebody's bytes trickle in.
 */
export function createRouter(handlers: Handlers, options: RouterOptions): Handler {
  return async (request, response) => {
    const started = performance.now();
    const requestId = randomUUID();
    response.setHeader('X-Request-Id', requestId);
    const target = readTarget(request.url ?? '');
    const { path } = target;
    const machine = isMachinePath(path);
    const exchange: Exchange = { request, response, requestId, machine, late: false };
    let finished = false;
    // It comes as well when the connection ends with the answer half way.
    response.prependOnceListener('finish', () => {
      finished = !request.socket.destroyed;
    });
    response.once('close', () => {
      options.log({
        time: new Date().toISOString(),
        level: response.statusCode >= 500 ? 'error' : 'info',
        event: 'request',
        requestId,
        method: request.method ?? '',
        path: withoutIdentifiers(path),
        // A connection that ended before the answer did, as proxies write it.
        status: finished ? response.statusCode : 499,
        ms: Math.round(performance.now() - started),
      });
    });
    const part = findRoute(path)?.part;
    limitLeftovers(response, part === 'uploads' ? LEFTOVERS_OF_UPLOADS : LEFTOVERS);
    if (part === 'uploads') limitIdleness(response, options.uploadIdleMs);
    else limitTime(response, options.requestMs, () => answerLate(exchange));
    try {
      setCommonHeaders(exchange, options.baseUrl, 'status' in target ? undefined : target);
      const refusal = headerProblem(request);
      if (refusal !== undefined) {
        refuse(exchange, 400, 'invalid_request', refusal);
      } else if (request.url === '*' && request.method === 'OPTIONS') {
        sendNothing(response, 204);
      } else if (!('status' in target)) {
        await answer(handlers, options, exchange, target);
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
  options: RouterOptions,
  exchange: Exchange,
  target: RequestTarget,
): Promise<void> {
  const { request, response, machine, requestId } = exchange;
  if (machine && answerPreflight(request, response)) return;
  if (!machine && redirectToBaseUrl(exchange, target, options.baseUrl)) return;
  const route = findRoute(target.path);
  if (route === undefined) {
    refuseUnknown(exchange);
    return;
  }
  if (route.part === 'uploads') {
    sayContinue(exchange);
    await handlers.uploads(request, response, { target: target.path + target.search, requestId });
    return;
  }
  const method = request.method ?? '';
  if (!route.methods.includes(method)) {
    const allowed = [...route.methods, 'OPTIONS'].join(', ');
    response.setHeader('Allow', allowed);
    if (method === 'OPTIONS') sendNothing(response, 204);
    else refuse(exchange, 405, 'method_not_allowed', `use ${allowed}`);
    return;
  }
  if (!machine && isForeignForm(request)) {
    sendPage(response, 403, problemPage(sentence('foreignForm')));
    return;
  }
  const whole = await receive(exchange, target, options.baseUrl);
  if (whole === undefined) return;
  await hand(handlers, route.part, whole, response);
}

/** Reads the body and checks it. Gives nothing when the request has been refused, or is gone. */
async function receive(
  exchange: Exchange,
  target: RequestTarget,
  baseUrl: string,
): Promise<WholeRequest | undefined> {
  const { request } = exchange;
  const tooLarge = announcesTooMuch(request);
  if (!tooLarge) sayContinue(exchange);
  const result = tooLarge ? { problem: 'too_large' as const } : await readBody(request);
  if ('problem' in result) {
    if (result.problem === 'too_large') {
      const limit = `the body may have ${MAX_BODY_BYTES} bytes at most`;
      refuse(exchange, 413, 'request_too_large', limit);
    }
    return undefined;
  }
  // Only a POST has a body with a meaning here.
  const body = request.method === 'POST' ? result.body : Buffer.alloc(0);
  const form = formOf(request.headers['content-type'], body);
  if (form !== undefined && 'problem' in form) {
    refuse(exchange, 400, 'invalid_request', form.problem);
    return undefined;
  }
  // As it was understood here, so that nobody further on understands it in another way.
  const written = form === undefined ? body : Buffer.from(form.toString());
  return new WholeRequest(request, {
    // Node leaves the body of the answer to a HEAD out by itself.
    method: request.method === 'HEAD' ? 'GET' : (request.method ?? ''),
    target,
    headers: {
      ...headersAtBaseUrl(request.headers, baseUrl),
      'transfer-encoding': undefined,
      'content-length': request.method === 'POST' ? String(written.length) : undefined,
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      // Machine endpoints answer JSON whatever a client says it accepts.
      ...(exchange.machine && { accept: 'application/json' }),
    },
    body: written,
    form,
  });
}

async function hand(
  handlers: Handlers,
  part: Exclude<Part, 'uploads'>,
  request: WholeRequest,
  response: ServerResponse,
): Promise<void> {
  if (part === 'health') {
    const healthy = await handlers.isHealthy();
    // Signing in and reading go on without room, and every process has the same: no reason to take
    // this one out of service.
    const isFull = healthy && !(await handlers.hasRoom());
    sendJson(response, healthy ? 200 : 503, {
      status: healthy ? 'ok' : 'unavailable',
      ...(isFull && { storage: 'low' }),
    });
  } else {
    await handlers[part](request, response);
  }
}

function setCommonHeaders(
  { request, response, machine }: Exchange,
  baseUrl: string,
  target: RequestTarget | undefined,
): void {
  const isSecure = baseUrl.startsWith('https:');
  // Browsers keep it per name, not per port: `localhost` is also everything else that runs on this machine.
  if (isSecure && !isLoopback(new URL(baseUrl).hostname)) {
    response.setHeader('Strict-Transport-Security', 'max-age=31536000');
  }
  if (machine) {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    allowEveryOrigin(response);
  } else {
    setPageSecurityHeaders(response);
    noteReader(request, response, target, isSecure);
  }
}

/** Tells a client that waits for it to send the body (RFC 9110 §10.1.1). */
function sayContinue({ request, response }: Exchange): void {
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
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
  if (!isRead || !isOtherNameOf(baseUrl, asked)) return false;
  response.statusCode = 302;
  response.setHeader('Location', baseUrl + target.path + target.search);
  response.end();
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

function sendNothing(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}

/** What people read where a program reads the name of an error. */
const SENTENCES: Readonly<Record<string, PlainKey>> = {
  invalid_request: 'unreadableRequest',
  method_not_allowed: 'methodNotAllowed',
  request_too_large: 'requestTooLarge',
  request_timeout: 'requestTimeout',
};

function refuse(
  { response, machine }: Exchange,
  status: number,
  error: string,
  description: string,
): void {
  if (machine) sendError(response, status, error, description);
  else sendPage(response, status, problemPage(sentence(SENTENCES[error] ?? 'didNotWorkSentence')));
}

function refuseUnknown({ response, machine }: Exchange): void {
  if (machine) sendError(response, 404, 'not_found', 'there is nothing at this address');
  else sendPage(response, 404, notFoundPage());
}

function refuseBusy({ response, machine }: Exchange, retryAfterSeconds: number): void {
  response.setHeader('Retry-After', String(retryAfterSeconds));
  if (machine) {
    const description = 'the service is busy; try again in a moment';
    sendError(response, 503, 'temporarily_unavailable', description);
  } else {
    sendPage(response, 503, unavailablePage());
  }
}

/** Answers a request whose time is over, for which nobody has answered yet. */
function answerLate(exchange: Exchange): void {
  exchange.late = true;
  if (exchange.request.complete) refuseBusy(exchange, RETRY_LATE_SECONDS);
  else refuse(exchange, 408, 'request_timeout', 'the request did not arrive in time');
}

/** After so long a time, the service is best left alone for a while. */
const RETRY_LATE_SECONDS = 10;

function answerFailure(exchange: Exchange, error: unknown, log: Log): void {
  const { response, requestId } = exchange;
  const answered = exchange.late && systemErrorCode(error) === 'ERR_HTTP_HEADERS_SENT';
  if (!answered && !isClientGone(error, response)) {
    log({
      time: new Date().toISOString(),
      level: 'error',
      event: 'server_error',
      requestId,
      message: describe(error),
    });
  }
  if (exchange.late) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const unavailable = unavailability(error);
  if (unavailable !== undefined) {
    refuseBusy(exchange, unavailable.retryAfterSeconds);
  } else if (exchange.machine) {
    sendError(response, 500, 'server_error', 'something went wrong on our side');
  } else {
    sendPage(response, 500, problemPage(sentence('serverError')));
  }
}

/** An error in one line for the log: its name and message, never its other members or its cause. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return `${error.name}: ${error.message}`.replace(/\s+/g, ' ').slice(0, 300);
}
