/**
 * Classifies a response: whether the service itself sent it, whether it is a success, and which error it is otherwise.
 * @packageDocumentation
 */
import { CwError, type CwErrorDetails, type ErrorCode } from '../util/errors.js';
import { parseJsonObject, textField } from '../util/json.js';
import { parseRetryAfter } from '../util/retry-after.js';
import type { HttpResponse } from '../host/http.js';

/**
 * Whether the service itself sent this refusal, and not a proxy, a filter or the login page of a network. The service's
 * have a `Tus-Resumable` header or a JSON body with an `error`.
 */
export function isFromService(response: HttpResponse): boolean {
  return response.header('Tus-Resumable') !== null || errorMember(response) !== null;
}

/** Transient statuses: 408, 425, 429, and every 5xx except 501, 505 and 507. */
export function isTransientStatus(status: number): boolean {
  return [408, 425, 429].includes(status) || (isServerError(status) && !isFinalFailure(status));
}

/** Error words that are transient, whatever the status of the response is. */
const TRANSIENT_WORDS = new Set(['temporarily_unavailable', 'server_error']);

/** Whether the status is 2xx. */
export function isSuccessStatus(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Whether a response of an OAuth endpoint is a success. The body decides before the status: some services send errors
 * with status 200.
 */
export function isOAuthSuccess(response: HttpResponse): boolean {
  return isSuccessStatus(response.status) && errorMember(response) === null;
}

/**
 * Turns a response that is not a success into an error. Only the service's error word is kept
 * ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2) allows it a small set of characters); its free
 * text is never shown.
 * @param refusal  the code for a refusal by the service
 * @param now  wall-clock time in milliseconds
 */
export function errorFromAnswer(response: HttpResponse, refusal: ErrorCode, now: number): CwError {
  const { status } = response;
  const details = answerDetails(response, now);
  if (status === 511) {
    return intercepted(response, now);
  }
  if (isTransientStatus(status) || TRANSIENT_WORDS.has(details.oauthError ?? '')) {
    return new CwError('CW-303', `the service responded with ${status}`, details);
  }
  if (isFinalFailure(status) || (isFromService(response) && !isRedirection(status))) {
    return new CwError(refusal, `the service refused with ${status}`, details);
  }
  return intercepted(response, now);
}

/**
 * The error for a response that is not the service's.
 * @param now  wall-clock time in milliseconds
 */
export function intercepted(response: HttpResponse, now: number): CwError {
  return new CwError('CW-304', `something in the service’s place responded ${response.status}`, {
    ...answerDetails(response, now),
    isIntercepted: true,
  });
}

/**
 * The details stored of any response, for the next delay and for support: status, error word, request id, Retry-After.
 * @param now  wall-clock time in milliseconds
 */
export function answerDetails(response: HttpResponse, now: number): CwErrorDetails {
  const word = errorMember(response);
  const requestId = response.header('X-Request-Id');
  const retryAfter = response.header('Retry-After');
  // A browser logs an error for a header that the service does not let it read, so it is read only where it is needed.
  const isDate = retryAfter !== null && !/^\s*\d+\s*$/.test(retryAfter);
  const retryAfterMs = parseRetryAfter(retryAfter, isDate ? response.header('Date') : null, now);
  return {
    status: response.status,
    ...(word !== null && /^[a-z0-9_.-]{1,64}$/i.test(word) ? { oauthError: word } : {}),
    ...(requestId !== null && /^[\w.-]{1,64}$/.test(requestId) ? { requestId } : {}),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
}

/** The `error` member of a JSON body; null when there is none. */
function errorMember({ text }: HttpResponse): string | null {
  const body = parseJsonObject(text);
  return body ? textField(body, 'error') : null;
}

function isServerError(status: number): boolean {
  return status >= 500 && status < 600;
}

/** 501, 505: the service will never do this. 507: it has no room. */
function isFinalFailure(status: number): boolean {
  return [501, 505, 507].includes(status);
}

function isRedirection(status: number): boolean {
  return status >= 300 && status < 400;
}
