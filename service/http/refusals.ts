import { systemErrorCode, unavailability, UnknownOutcomeError } from '../errors.js';
import { lineAbout, type Log } from '../log.js';
import { notFoundPage, otherHostPage, problemPage, unavailablePage } from '../pages/outcome.js';
import { sentence, type PlainKey } from '../pages/sentence.js';
import { isClientGone } from './client-gone.js';
import type { Exchange } from './exchange.js';
import { sendError, sendPage } from './responses.js';

/** `Retry-After` of a request that took too long: the service is busy, so the client should wait a while. */
const RETRY_LATE_SECONDS = 10;

/** Methods that change nothing ([RFC 9110 §9.2.1](https://www.rfc-editor.org/rfc/rfc9110#section-9.2.1)). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** By name of an error, which programs get in JSON: the sentence that people get on a page. */
const SENTENCES: Readonly<Record<string, PlainKey>> = {
  invalid_request: 'unreadableRequest',
  method_not_allowed: 'methodNotAllowed',
  request_too_large: 'requestTooLarge',
  request_timeout: 'requestTimeout',
};

/** Refuses a request: with JSON for a program, with a page for a person. */
export function refuse(
  { response, forPrograms }: Exchange,
  status: number,
  error: string,
  description: string,
): void {
  if (forPrograms) {
    sendError(response, status, error, description);
  } else {
    sendPage(response, status, problemPage(sentence(SENTENCES[error] ?? 'didNotWorkSentence')));
  }
}

/** Answers with 404: there is nothing at this address. */
export function refuseUnknown({ response, forPrograms }: Exchange): void {
  if (forPrograms) {
    sendError(response, 404, 'not_found', 'there is nothing at this address');
  } else {
    sendPage(response, 404, notFoundPage());
  }
}

/** Answers with 421: the request names another host than this machine. See `isForOtherHost` in loopback.ts. */
export function refuseOtherHost({ response, forPrograms }: Exchange, baseUrl: string): void {
  if (forPrograms) {
    sendError(response, 421, 'misdirected_request', `use ${baseUrl}`);
  } else {
    sendPage(response, 421, otherHostPage(baseUrl));
  }
}

/**
 * Answers a request whose time is over before its handler has answered: 503, or 408 if it has not arrived yet. A change
 * that a program asked for may still be stored, so its connection is closed without a response.
 */
export function answerLate(exchange: Exchange): void {
  exchange.late = true;
  const { request, forPrograms, method } = exchange;
  if (request.complete && forPrograms && !SAFE_METHODS.has(method)) {
    request.socket.destroy();
  } else if (request.complete) {
    refuseBusy(exchange, RETRY_LATE_SECONDS);
  } else {
    refuse(exchange, 408, 'request_timeout', 'the request did not arrive in time');
  }
}

/**
 * Answers a request whose handler has thrown an error: 503 when something is away for now, else 500. Logs the error,
 * unless it says only that the client has gone away, or that the request was answered as late already.
 */
export function answerFailure(exchange: Exchange, error: unknown, log: Log): void {
  const { response, requestId } = exchange;
  const answered = exchange.late && systemErrorCode(error) === 'ERR_HTTP_HEADERS_SENT';
  if (!answered && !isClientGone(error, response)) {
    log({
      time: new Date().toISOString(),
      level: 'error',
      event: 'server_error',
      requestId,
      message: lineAbout(error),
    });
  }
  if (exchange.late) {
    return;
  }
  // No response is right for an unknown outcome. The client sees that the response was lost.
  if (response.headersSent || error instanceof UnknownOutcomeError) {
    response.destroy();
    return;
  }
  const unavailable = unavailability(error);
  if (unavailable !== undefined) {
    refuseBusy(exchange, unavailable.retryAfterSeconds);
  } else if (exchange.forPrograms) {
    sendError(response, 500, 'server_error', 'something went wrong on our side');
  } else {
    sendPage(response, 500, problemPage(sentence('serverError')));
  }
}

function refuseBusy({ response, forPrograms }: Exchange, retryAfterSeconds: number): void {
  response.setHeader('Retry-After', String(retryAfterSeconds));
  if (forPrograms) {
    const description = 'the service is busy; try again in a moment';
    sendError(response, 503, 'temporarily_unavailable', description);
  } else {
    sendPage(response, 503, unavailablePage());
  }
}
