import { LostAnswerError, UnknownOutcomeError } from '../errors.js';
import { waitForDatabase } from './wait-for-database.js';

/**
 * How long to wait for the database to learn an outcome, in milliseconds. This may outlast the request: its client
 * repeats it, see `UndeliveredTokens`. The number of waiting calls is limited by the number of connections.
 */
const MAX_WAIT_MS = 5 * 60_000;

/**
 * Makes a change whose outcome must be known before it is answered. When the connection is lost before the database has
 * answered, waits until the database is back, and settles the outcome then.
 * @param settle finds out whether the change was committed, and makes it if not. It must be right to call it after a
 *   change that was committed. Left out, `change` itself is repeated.
 * @throws {UnknownOutcomeError} when the database stays away for too long.
 * @throws {Error} else what `change` or `settle` throws. An `UnavailableError` means that nothing was stored.
 */
export async function withKnownOutcome<T>(
  change: () => Promise<T>,
  settle: () => Promise<T> = change,
): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof LostAnswerError)) {
      throw error;
    }
  }
  const timeout = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    return await waitForDatabase(settle, () => undefined, timeout);
  } catch (cause) {
    throw timeout.aborted ? new UnknownOutcomeError({ cause }) : cause;
  }
}
