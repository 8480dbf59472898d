import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from '../errors.js';

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 2_000;
/** After how long the same reason is reported again, in milliseconds. */
const LOG_EVERY_MS = 60_000;

/**
 * Tries something that needs the database again and again until the database is there.
 * @param onWait is given the error of an attempt: at the first failure, when the reason changes, and about every
 *   minute.
 * @param signal ends the attempts. Then this rejects with the reason of the signal, with an `AbortError` of which that
 *   is the cause, or with the error of the last attempt.
 * @throws {Error} what `attempt` throws, unless it is an {@link UnavailableError}: waiting would not help.
 */
export async function waitForDatabase<T>(
  attempt: () => Promise<T>,
  onWait: (error: UnavailableError) => void,
  signal: AbortSignal,
): Promise<T> {
  let lastLogged = { reason: '', at: 0 };
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UnavailableError) || signal.aborted) {
        throw error;
      }
      const at = performance.now();
      if (error.reason !== lastLogged.reason || at - lastLogged.at > LOG_EVERY_MS) {
        lastLogged = { reason: error.reason, at };
        onWait(error);
      }
    }
    await sleep(waitMs, undefined, { signal });
  }
}
