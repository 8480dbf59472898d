import { backoffDelay } from '../util/backoff.js';
import { throwIfCancelled, type CancelSignal } from '../util/cancel.js';
import type { Clock } from '../util/clock.js';
import { CwError, isTransient } from '../util/errors.js';
import type { SkippableDelay } from '../util/skippable-delay.js';

/** How long a request is retried after its first failure: a user has pressed a button and waits. Milliseconds. */
const KEEP_TRYING_MS = 30_000;
const BACKOFF = { firstMs: 1_000, longestMs: 8_000 };

export interface RepeatOptions {
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for back-off. */
  readonly random: () => number;
  readonly signal: CancelSignal;
  /**
   * The waits between the tries. When a wait is hurried, the next try comes at once, but no sooner than the service
   * requested.
   */
  readonly waits: SkippableDelay;
  /**
   * Called before each wait. `until` is the wall-clock time, in milliseconds, until which the service requested a
   * pause; null without such a request.
   */
  readonly onWait: (until: number | null) => void;
}

/**
 * Retries `attempt` while its errors are transient, for half a minute from the first failure on. Skipping a delay
 * restarts the half minute. Respects `Retry-After` ([RFC 9110
 * §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3)), but stops at once when that exceeds the time left.
 * @throws {CwError} the error of the last attempt
 * @throws {CancelledError} as soon as `signal` fires while waiting
 */
export async function retryTransient<T>(
  attempt: () => Promise<T>,
  { clock, random, signal, waits, onWait }: RepeatOptions,
): Promise<T> {
  let spentMs = 0;
  for (let failures = 0; ; failures += 1) {
    const startedAt = clock.now();
    try {
      return await attempt();
    } catch (error) {
      throwIfCancelled(signal);
      if (!(error instanceof CwError) || !isTransient(error)) {
        throw error;
      }
      if (failures === 0 || waits.isHurried) {
        spentMs = 0;
      } else {
        spentMs += Math.max(0, clock.now() - startedAt);
      }
      const leftMs = KEEP_TRYING_MS - spentMs;
      const leastMs = error.retryAfterMs ?? 0;
      if (leftMs <= 0 || leastMs > leftMs) {
        throw error;
      }
      const backoffMs = backoffDelay(BACKOFF, failures + 1, random());
      const mostMs = Math.max(leastMs, Math.min(backoffMs, leftMs));
      onWait(leastMs > 0 ? clock.now() + leastMs : null);
      if (await waits.wait(leastMs, mostMs, signal)) {
        spentMs = 0;
      } else {
        spentMs += mostMs;
      }
    }
  }
}
