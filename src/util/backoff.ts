/** How long to wait between attempts; all times in milliseconds. */
export interface BackoffPolicy {
  /** Wait before the first repeat. */
  readonly firstMs: number;
  /** No delay is longer than this, except when the service requires more. */
  readonly longestMs: number;
}

/**
 * The delay before repeat number `attempt` (1 is the first): doubling, minus up to a random quarter so that many
 * clients do not return in step. Never shorter than Retry-After ([RFC 9110
 * §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)).
 * @param random  a number from 0 (included) to 1 (excluded)
 */
export function backoffDelay(
  policy: BackoffPolicy,
  attempt: number,
  random: number,
  retryAfterMs = 0,
): number {
  const doublings = Math.min(Math.max(attempt, 1) - 1, 30);
  const full = Math.min(policy.longestMs, policy.firstMs * 2 ** doublings);
  return Math.max(retryAfterMs, Math.round(full * (1 - 0.25 * random)));
}
