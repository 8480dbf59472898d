import { sleep, type Clock } from '../util/clock.js';

/**
 * Delays before retries, in milliseconds. Antivirus programs and indexers hold a file open briefly, and some hosts
 * report that without a code.
 */
const DELAYS_MS = [50, 100, 200, 400, 800, 1_000];
/** An operation that has not settled after this time counts as failed. Milliseconds. */
const ANSWER_MS = 10_000;
/**
 * Node's codes for operations that another program or the system refuses briefly. A failure without a code may be one.
 */
const PASSING_CODES: readonly unknown[] = [
  undefined,
  'EBUSY',
  'EPERM',
  'EACCES',
  'EAGAIN',
  'ETXTBSY',
  'EMFILE',
  'ENFILE',
  'UNKNOWN',
];

/** An operation on storage did not settle in time. It may still take effect later. */
export class StorageTimeoutError extends Error {
  /** @param later  the operation, which may never settle */
  constructor(readonly later: Promise<unknown>) {
    super('an operation on storage did not settle in time');
    this.name = 'StorageTimeoutError';
  }
}

/** Waits for an operation on storage. @throws {StorageTimeoutError} when it does not settle within `limitMs` */
export function answerOf<T>(
  clock: Clock,
  operation: Pick<Promise<T>, 'finally'>,
  limitMs: number = ANSWER_MS,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.startTimer(limitMs, () => {
      reject(new StorageTimeoutError(settled));
    });
    const settled = operation.finally(stopTimer);
    settled.then(resolve, reject);
  });
}

/** Retries storage operations that other programs, or the storage itself, may refuse briefly. */
export class StorageRetry {
  /** @param isLasting  whether a failure without a code stays the same */
  constructor(
    private readonly clock: Clock,
    private readonly isLasting: (error: unknown) => boolean,
  ) {}

  /**
   * Runs an operation, and repeats it with growing waits while it fails, for some seconds. One that does not settle is not
   * repeated, since it may still be at work.
   * @param operation  may be run several times; a run that failed may have taken effect
   * @throws {unknown} what the last try throws
   */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    for (const delayMs of DELAYS_MS) {
      try {
        return await operation();
      } catch (error) {
        if (!this.mayPass(error)) {
          throw error;
        }
      }
      await sleep(this.clock, delayMs);
    }
    return operation();
  }

  private mayPass(error: unknown): boolean {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    const isRefusal = PASSING_CODES.includes(code) && !this.isLasting(error);
    return isRefusal && !(error instanceof StorageTimeoutError);
  }
}
