/**
 * How close an access token is to its expiry, as plain data: no clock, no storage, no network.
 * @packageDocumentation
 */
import type { TokenSet } from '../token-endpoint.js';

export type TokenExpiry =
  /** Far from its expiry, or its expiry is not known: use it. */
  | 'fresh'
  /** Time to refresh in the background: the token is still valid. */
  | 'due'
  /** Too close to expiry: callers wait for the refresh. */
  | 'urgent'
  /** Over: the service would refuse it. */
  | 'expired';

/** A token that lives for two minutes or more is refreshed at least this long before it expires. Milliseconds. */
const MIN_MARGIN_MS = 60_000;
/** When only this part of the margin is left, callers begin to wait. */
const URGENT_PART = 1 / 4;

/**
 * How fresh `tokens` are.
 *
 * The margin before expiry is a minute or a twentieth of the lifetime, whichever is more, but never
 * more than half of the lifetime.
 * @param now  wall-clock time in milliseconds since 1970
 */
export function tokenExpiry({ obtainedAt, expiresAt }: TokenSet, now: number): TokenExpiry {
  if (expiresAt === null) {
    return 'fresh';
  }
  const lifetime = expiresAt - obtainedAt;
  const margin = Math.min(Math.max(MIN_MARGIN_MS, lifetime / 20), lifetime / 2);
  if (now < expiresAt - margin) {
    return 'fresh';
  }
  if (now < expiresAt - margin * URGENT_PART) {
    return 'due';
  }
  return now < expiresAt ? 'urgent' : 'expired';
}
