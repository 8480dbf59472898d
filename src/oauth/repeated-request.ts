import { backoffDelay } from '../base/backoff.js';
import { throwIfCancelled, type CancelSignal } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { CwError, isTransient } from '../base/errors.js';
import type { HurriedWait } from '../base/hurried-wait.js';

/** For how long after the first failure it is tried again. Somebody has pressed a button and waits. Milliseconds. */
const KEEP_TRYING_MS = 30_000;
const BACKOFF = { firstMs: 1_000, longestMs: 8_000 };

export interface RepeatOptions {
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for back-off. */
  readonly random: () => number;
  readonly signal: CancelSignal;
  /**
   * The waits in between. When a wait is hurried, the next try comes at once, but not before the service wants to be
   * asked.
   */
  readonly waits: HurriedWait;
  /** Told before each wait. `until`: wall-clock time in milliseconds that the service asked to be left alone until. */
  readonly onWait: (until: number | null) => void;
}

/**
 * Repeats what fails in a way that passes, for half a minute from the first failure on; being hurried starts that anew.
 * What the service asks for (`Retry-After`, [RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3))
 * is waited for; when that would be too long, the failure stands.
 * @throws {CwError} as the last attempt
 * @throws {CancelledError} as soon as `signal` fires while waiting
 */
export async function repeatWhilePassing<T>(
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
