import { systemErrorCode, unavailability, UnknownOutcomeError } from '../kernel/errors.js';
import { lineAbout, type Log } from '../kernel/log.js';
import { notFoundPage, otherHostPage, errorPage, unavailablePage } from './error-pages.js';
import { message, type Message, type PlainKey } from '../kernel/i18n/message.js';
import { Translator } from '../kernel/i18n/translator.js';
import { isClientGone } from '../kernel/http/client-disconnect.js';
import type { RequestContext } from '../kernel/http/request/request-context.js';
import { sendError, sendJson, sendPage } from '../kernel/http/responses.js';

/** `Retry-After` of a request that took too long: the service is busy, so the client should wait a while. */
const RETRY_LATE_SECONDS = 10;

/** Methods that change nothing ([RFC 9110 §9.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1)). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The message on pages by the name of an error in the JSON of the API. */
const SENTENCES: Readonly<Record<string, PlainKey>> = {
  invalid_request: 'unreadableRequest',
  method_not_allowed: 'methodNotAllowed',
  request_too_large: 'requestTooLarge',
  request_timeout: 'requestTimeout',
};

/** Rejects a request: with JSON on the API, with a page otherwise. */
export function rejectRequest(
  context: RequestContext,
  status: number,
  error: string,
  description: string,
): void {
  if (context.isApi) {
    sendError(context.response, status, error, description);
  } else {
    sendRefusal(context, status, message(SENTENCES[error] ?? 'didNotWorkSentence'));
  }
}

/** Whether the request is that of a script, which replaces a part of the page. */
export function wantsJson({ request }: Pick<RequestContext, 'request'>): boolean {
  return request.headers.accept === 'application/json';
}

/** Refuses a request for a page: with a page, or with the sentence in JSON for a script. */
export function sendRefusal(
  context: RequestContext,
  status: number,
  problem: Message,
  refusal = errorPage(problem),
): void {
  if (wantsJson(context)) {
    const sentence = new Translator(context.locale.language).format(problem);
    sendJson(context.response, status, { problem: sentence });
  } else {
    sendPage(context, status, refusal);
  }
}

/** Answers with 404: this URL does not exist. */
export function sendNotFound(context: RequestContext): void {
  if (context.isApi) {
    sendError(context.response, 404, 'not_found', 'this URL does not exist');
  } else {
    sendPage(context, 404, notFoundPage());
  }
}

/** Answers with 421: the request names another host than this machine. See `isForOtherHost` in loopback.ts. */
export function sendMisdirected(context: RequestContext, baseUrl: string): void {
  if (context.isApi) {
    sendError(context.response, 421, 'misdirected_request', `use ${baseUrl}`);
  } else {
    sendPage(context, 421, otherHostPage(baseUrl));
  }
}

/**
 * Answers a request that timed out before its handler has responded: 503, or 408 if it is not complete yet. A change
 * through the API may still be stored, so its connection is closed without a response.
 */
export function sendTimeout(context: RequestContext): void {
  context.timedOut = true;
  const { request, isApi, method } = context;
  if (request.complete && isApi && !SAFE_METHODS.has(method)) {
    request.socket.destroy();
  } else if (request.complete) {
    sendUnavailable(context, RETRY_LATE_SECONDS);
  } else {
    rejectRequest(context, 408, 'request_timeout', 'the request was not received in time');
  }
}

/**
 * Answers a request whose handler has thrown an error: 503 when the database or the storage is unavailable, otherwise
 * 500. Logs the error, unless the client has disconnected or the request has already timed out.
 */
export function handleError(context: RequestContext, error: unknown, log: Log): void {
  const { response, requestId, timedOut } = context;
  const answered = timedOut && systemErrorCode(error) === 'ERR_HTTP_HEADERS_SENT';
  if (!answered && !isClientGone(error, response)) {
    log({
      time: new Date().toISOString(),
      level: 'error',
      event: 'server_error',
      requestId,
      message: lineAbout(error),
    });
  }
  if (timedOut) {
    return;
  }
  // No response is right for an unknown outcome. The client sees that the response was lost.
  if (response.headersSent || error instanceof UnknownOutcomeError) {
    response.destroy();
    return;
  }
  const unavailable = unavailability(error);
  if (unavailable !== undefined) {
    sendUnavailable(context, unavailable.retryAfterSeconds);
  } else if (context.isApi) {
    sendError(response, 500, 'server_error', 'the service failed');
  } else {
    sendRefusal(context, 500, message('serverError'));
  }
}

function sendUnavailable(context: RequestContext, retryAfterSeconds: number): void {
  const { response } = context;
  response.setHeader('Retry-After', String(retryAfterSeconds));
  if (context.isApi) {
    const description = 'the service is busy; try again in a moment';
    sendError(response, 503, 'temporarily_unavailable', description);
  } else {
    sendRefusal(context, 503, message('busyText'), unavailablePage());
  }
}
