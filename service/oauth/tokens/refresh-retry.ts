import { createHmac } from 'node:crypto';
import { errors, type TokenEndpointGrantContext } from 'oidc-provider';
import type { Queryable } from '../../kernel/database/database.js';
import { equalTexts, sha256 } from '../../kernel/hash.js';
import { formatRefreshToken } from './token-format.js';

/**
 * The parameter with which a client names one refresh, so that it can repeat the refresh when the response was lost:
 * 32 random bytes in base64url. A service that does not know it ignores it
 * ([RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)).
 */
export const REFRESH_ATTEMPT = 'refresh_attempt';
/** In token responses and in the metadata: the service supports the parameter. */
export const REFRESH_ATTEMPT_SUPPORTED = 'refresh_attempt_supported';

/** 32 bytes are 43 characters; the last one holds four bits. */
const ATTEMPT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** A repeat may come this long after the first use of the tokens; a later one counts as theft. */
const LATE_DUPLICATE_MS = 60_000;
/** How often one refresh may be repeated within {@link RETRY_WINDOW_MS}. */
const MAX_RETRIES = 20;
const RETRY_WINDOW_MS = 15 * 60_000;

/** A refresh that can be repeated. */
export interface NamedRefresh {
  readonly refreshToken: string;
  readonly attempt: string;
}

/**
 * Reads `refresh_attempt`.
 * @param body the form of the request; a parameter that is given twice is an array
 * @returns undefined when the request has none
 * @throws {InvalidRequest}
 */
export function readAttempt(body: TokenEndpointGrantContext['oidc']['body']): string | undefined {
  const value = body?.[REFRESH_ATTEMPT];
  if (value !== undefined && (typeof value !== 'string' || !ATTEMPT.test(value))) {
    throw new errors.InvalidRequest(`${REFRESH_ATTEMPT} must be 32 bytes in base64url, given once`);
  }
  return value;
}

/**
 * The secret of the refresh token that a refresh gives. It is derived from the request: a repeat gets the same token
 * although only its hash is stored. It cannot be made without the service's key.
 */
export function deriveSuccessor({ refreshToken, attempt }: NamedRefresh, key: string): string {
  return createHmac('sha256', key)
    .update(`refresh successor\0${refreshToken}\0${attempt}`)
    .digest('base64url');
}

/**
 * The kind of a refresh with a used token:
 * - `none`: no repeat that may be answered;
 * - `rolled back`: a repeat; the tokens of the first refresh are gone, as if it had never happened;
 * - `duplicate`: the tokens are in use already. Refused, and the service ends nothing. The plugin then ends its session;
 * - `too many`: refused; it may be repeated after `waitSeconds`.
 */
type Retry =
  | { readonly kind: 'none' | 'rolled back' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'too many'; readonly waitSeconds: number };

interface UsedToken {
  consumed_at: Date | null;
  refresh_attempt_sha256: string | null;
  successor_access_id: string | null;
  successor_used_at: Date | null;
  refresh_retries: number;
  refresh_retries_since: Date | null;
}

/**
 * Distinguishes a repeated refresh from the use of a stolen token
 * ([RFC 9700 §4.14.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2)). For a repeat it deletes the unused tokens of the
 * first refresh, and makes the refresh token valid for one more use. The row of a used token exists only while its
 * successor is unused (token-exchange.ts), so a repeat of an older refresh is `none`.
 * @param transaction holds the lock of the grant, so that processes decide one after another.
 */
export async function rollBackRefresh(
  transaction: Queryable,
  request: NamedRefresh,
  grantId: string,
  key: string,
  now: Date,
): Promise<Retry> {
  const id = sha256(request.refreshToken);
  const [used] = await transaction.query<UsedToken>(
    `SELECT consumed_at, refresh_attempt_sha256, successor_access_id, successor_used_at,
            refresh_retries, refresh_retries_since
       FROM oidc_records WHERE kind = 'RefreshToken' AND id = $1`,
    [id],
  );
  const attempt = used?.refresh_attempt_sha256 ?? undefined;
  const isSame = attempt !== undefined && equalTexts(attempt, sha256(request.attempt));
  if (used === undefined || !isSame || used.consumed_at === null) {
    return { kind: 'none' };
  }
  if (used.successor_used_at !== null) {
    const isLate = now.getTime() - used.successor_used_at.getTime() > LATE_DUPLICATE_MS;
    return { kind: isLate ? 'none' : 'duplicate' };
  }
  const since = used.refresh_retries_since;
  const rest = since === null ? 0 : since.getTime() + RETRY_WINDOW_MS - now.getTime();
  // A window that began later than now is from a time when the clock was ahead.
  const left = rest > 2 * RETRY_WINDOW_MS ? 0 : rest;
  if (left > 0 && used.refresh_retries >= MAX_RETRIES) {
    return { kind: 'too many', waitSeconds: Math.ceil(left / 1000) };
  }
  // The statement checks the condition again: the access token may be used at this moment.
  const unused = await transaction.query(
    `UPDATE oidc_records
        SET consumed_at = NULL, successor_access_id = NULL, refresh_retries = $2, refresh_retries_since = $3
      WHERE kind = 'RefreshToken' AND id = $1 AND successor_used_at IS NULL
      RETURNING id`,
    [id, left > 0 ? used.refresh_retries + 1 : 1, left > 0 ? since : now],
  );
  if (unused.length === 0) {
    return { kind: 'duplicate' };
  }
  const successor = formatRefreshToken(deriveSuccessor(request, key), grantId, key);
  await transaction.query(
    `DELETE FROM oidc_records
      WHERE (kind = 'RefreshToken' AND id = $1) OR (kind = 'AccessToken' AND id = $2)`,
    [sha256(successor), used.successor_access_id],
  );
  return { kind: 'rolled back' };
}
