import { CwError } from '../util/errors.js';
import { encodeForm } from '../util/form-encoding.js';
import { numberField, parseJsonObject, textField } from '../util/json.js';
import type { CancelSignal } from '../util/cancel.js';
import type { HttpRequest, HttpResponse, SendHttp } from '../host/http.js';
import { revocationEndpoint, tokenEndpoint, type OAuthClient } from './client.js';
import { errorFromAnswer, intercepted, isOAuthSuccess } from './errors.js';

/**
 * The service's grant ([RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)). Times in
 * milliseconds since 1970.
 */
export interface TokenSet {
  readonly accessToken: string;
  /** Null when the service gave none. */
  readonly refreshToken: string | null;
  /** When the tokens were requested. */
  readonly obtainedAt: number;
  /** When the access token expires; null when the service did not say. */
  readonly expiresAt: number | null;
  /** Set when the service recognises a repeated refresh by its `refresh_attempt` (docs/oauth.md). */
  readonly refreshAttemptSupported?: true;
}

const ACCESS_TOKEN_PREFIX = 'svc_at_';
const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** Longest lifetime that is believed: a hundred years in seconds. */
const MAX_LIFETIME_S = 3_155_760_000;

/**
 * The request that exchanges a device code for tokens
 * ([RFC 8628 §3.4](https://www.rfc-editor.org/rfc/rfc8628#section-3.4)).
 * @param number  what the user chose of the numbers that the service offered; null for no choice
 */
export function deviceTokenRequest(
  client: OAuthClient,
  deviceCode: string,
  number: string | null,
): HttpRequest {
  return formPost(tokenEndpoint(client), {
    grant_type: DEVICE_CODE_GRANT,
    device_code: deviceCode,
    client_id: client.clientId,
    ...(number !== null && { number }),
  });
}

/**
 * The request that exchanges a refresh token for new tokens
 * ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)).
 * @param attempt  names this refresh, so that it can be repeated; a service without this extension ignores it
 */
export function refreshRequest(
  client: OAuthClient,
  refreshToken: string,
  attempt: string,
): HttpRequest {
  return formPost(tokenEndpoint(client), {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: client.clientId,
    refresh_attempt: attempt,
  });
}

/**
 * Sends a refresh. An answer without a refresh token means that the old one stays good
 * ([RFC 6749 §6](https://www.rfc-editor.org/rfc/rfc6749#section-6)).
 * @throws {CwError} CW-202 with the service's word when it refuses; a transient error, or CW-305 for a response without
 *   usable tokens, otherwise
 */
export async function refreshTokens(
  send: SendHttp,
  client: OAuthClient,
  { refreshToken, attempt }: { readonly refreshToken: string; readonly attempt: string },
  now: () => number,
  signal?: CancelSignal,
): Promise<TokenSet> {
  const askedAt = now();
  const response = await send(refreshRequest(client, refreshToken, attempt), signal);
  if (!isOAuthSuccess(response)) {
    throw errorFromAnswer(response, 'CW-202', now());
  }
  const tokens = readTokenResponse(response, askedAt);
  return tokens.refreshToken === null ? { ...tokens, refreshToken } : tokens;
}

/**
 * Reads a successful token response ([RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)). Lenient
 * where services differ (any 2xx; type in any case or missing, lifetime as text or missing), strict where it matters
 * (the prefix, no other type than Bearer).
 * @param askedAt  when the request was sent: counted from then, a lifetime never ends too late
 * @throws {CwError} CW-304, transient, for a response that is not the service's; CW-305 for tokens that cannot be used.
 *   It holds no part of the answer, since that may contain tokens
 */
export function readTokenResponse(response: HttpResponse, askedAt: number): TokenSet {
  const body = parseJsonObject(response.text);
  if (!body || !('access_token' in body)) {
    throw intercepted(response, askedAt);
  }
  const accessToken = textField(body, 'access_token');
  if (!accessToken?.startsWith(ACCESS_TOKEN_PREFIX) || !isTokenText(accessToken)) {
    throw new CwError('CW-305', 'the token answer has no access token of the service');
  }
  const type = body['token_type'] ?? 'Bearer';
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new CwError('CW-305', 'the token answer is not of type Bearer');
  }
  const refreshToken = textField(body, 'refresh_token');
  if (refreshToken !== null && !isTokenText(refreshToken)) {
    throw new CwError('CW-305', 'the token answer has a malformed refresh token');
  }
  const lifetime = numberField(body, 'expires_in');
  const isKnown = lifetime !== null && lifetime > 0 && lifetime <= MAX_LIFETIME_S;
  return {
    accessToken,
    refreshToken,
    obtainedAt: askedAt,
    expiresAt: isKnown ? askedAt + lifetime * 1000 : null,
    ...(body['refresh_attempt_supported'] === true && { refreshAttemptSupported: true }),
  };
}

/**
 * Revokes a refresh token, and with it the grant
 * ([RFC 7009 §2.1](https://www.rfc-editor.org/rfc/rfc7009#section-2.1)). An unknown token is a success
 * ([§2.2](https://www.rfc-editor.org/rfc/rfc7009#section-2.2)).
 * @throws {CwError} transient: try again later; anything else: trying again is useless. A page with status 200 is not the
 *   service's, and transient
 */
export async function revokeRefreshToken(
  send: SendHttp,
  client: OAuthClient,
  refreshToken: string,
  now: () => number,
): Promise<void> {
  const response = await send(
    formPost(revocationEndpoint(client), {
      token: refreshToken,
      token_type_hint: 'refresh_token',
      client_id: client.clientId,
    }),
  );
  if (!isOAuthSuccess(response)) {
    throw errorFromAnswer(response, 'CW-202', now());
  }
  // The body of a success means nothing (RFC 7009 §2.2), but the login page of a network is no success.
  if (/^\s*</.test(response.text)) {
    throw intercepted(response, now());
  }
}

/**
 * A POST request with a form body as in [RFC 6749 appendix B](https://www.rfc-editor.org/rfc/rfc6749#appendix-B);
 * accepts JSON in return.
 */
export function formPost(url: string, fields: Readonly<Record<string, string>>): HttpRequest {
  return {
    method: 'POST',
    url,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
    },
    body: encodeForm(fields),
  };
}

/**
 * Visible ASCII ([RFC 6749 appendix A.12](https://www.rfc-editor.org/rfc/rfc6749#appendix-A.12), A.17): anything else
 * could break out of a header.
 */
function isTokenText(token: string): boolean {
  return /^[!-~]{1,8192}$/.test(token);
}
