import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { WholeRequest } from '../http/whole-request.js';
import { ROUTES } from './routes.js';

/**
 * The parameter with which a client names one refresh, so that it can ask for the same refresh again when
 * the answer was lost: 32 random bytes in base64url. A service that does not know it ignores it
 * ([RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)).
 */
export const REFRESH_ATTEMPT = 'refresh_attempt';
/** Says in token answers and in the metadata that the service knows the parameter. */
export const REFRESH_ATTEMPT_SUPPORTED = 'refresh_attempt_supported';

/** 32 bytes are 43 characters; the last one holds four bits. */
const ATTEMPT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** A refresh that can be asked for again. */
export interface RefreshRequest {
  readonly refreshToken: string;
  readonly attempt: string;
}

/**
 * What a request says about its attempt.
 * @returns nothing when it is no refresh or names no attempt
 */
export function readRefreshAttempt(
  request: IncomingMessage,
): RefreshRequest | 'malformed' | undefined {
  if (!(request instanceof WholeRequest) || request.target.path !== ROUTES.token) {
    return undefined;
  }
  const { form } = request;
  if (form?.get('grant_type') !== 'refresh_token') {
    return undefined;
  }
  const [attempt, ...more] = form.getAll(REFRESH_ATTEMPT);
  if (attempt === undefined) {
    return undefined;
  }
  if (more.length > 0 || !ATTEMPT.test(attempt)) {
    return 'malformed';
  }
  return { refreshToken: form.get('refresh_token') ?? '', attempt };
}

/**
 * The secret of the refresh token that a refresh gives. It is derived from the request, so that a repeat is given
 * the same one although only a hash is stored. It cannot be made without the service's key.
 * @param key known to the service alone
 */
export function successorOf({ refreshToken, attempt }: RefreshRequest, key: string): string {
  return createHmac('sha256', key)
    .update(`refresh successor\0${refreshToken}\0${attempt}`)
    .digest('base64url');
}
