import { CwError, type CwErrorDetails, type ErrorCode } from '../base/errors.js';
import { parseJsonObject, textField } from '../base/json.js';
import { parseRetryAfter } from '../base/retry-after.js';
import type { HttpResponse } from '../host/http.js';

/**
 * Turns an answer that is not a success into an error. Only the service's error word is kept
 * ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2) allows it a small set of characters); its free
 * text is never shown.
 * @param refusal  the code for a plain refusal (4xx)
 * @param now  wall-clock time in milliseconds
 */
export function errorFromAnswer(response: HttpResponse, refusal: ErrorCode, now: number): CwError {
  const { status } = response;
  const details = answerDetails(response, now);
  if (isTransientStatus(status)) {
    return new CwError('CW-303', `the service answered ${status}`, details);
  }
  if (status >= 400 && status < 500) {
    return new CwError(refusal, `the service refused with ${status}`, details);
  }
  return new CwError('CW-305', `the service answered ${status}`, details);
}

/** Statuses that pass by themselves: 408, 425, 429, 500, 502, 503 and 504. */
export function isTransientStatus(status: number): boolean {
  return (
    status === 408 || status === 425 || status === 429 || [500, 502, 503, 504].includes(status)
  );
}

/**
 * What is kept of any answer, for the next wait and for support: status, error word, request id, Retry-After.
 * @param now  wall-clock time in milliseconds
 */
export function answerDetails(response: HttpResponse, now: number): CwErrorDetails {
  const oauthError = readErrorWord(response.text);
  const requestId = response.header('X-Request-Id');
  const retryAfterMs = parseRetryAfter(response.header('Retry-After'), now);
  return {
    status: response.status,
    ...(oauthError === null ? {} : { oauthError }),
    ...(requestId !== null && /^[\w.-]{1,64}$/.test(requestId) ? { requestId } : {}),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  };
}

function readErrorWord(text: string): string | null {
  const body = parseJsonObject(text);
  const word = body ? textField(body, 'error') : null;
  return word !== null && /^[a-z0-9_.-]{1,64}$/i.test(word) ? word : null;
}
