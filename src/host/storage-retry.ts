import { sleep, type Clock } from '../util/clock.js';

/**
 * Delays before retries, in milliseconds. Antivirus programs and indexers hold a file open briefly, and some hosts
 * report that without a code.
 */
const DELAYS_MS = [50, 100, 200, 400, 800, 1_000];
/** An operation that has not settled after this time counts as failed. Milliseconds. */
const TIME_OUT_MS = 10_000;
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
  constructor() {
    super('an operation on storage did not settle in time');
    this.name = 'StorageTimeoutError';
  }
}

/** Retries storage operations that other programs, or the storage itself, may refuse briefly. */
export class StorageRetry {
  /** @param isLasting  whether a failure without a code stays the same */
  constructor(
    private readonly clock: Clock,
    private readonly isLasting: (error: unknown) => boolean,
  ) {}

  /**
   * Runs an operation, and repeats it with growing waits while it fails, for some seconds.
   * @param operation  may be run several times; a run that failed may have taken effect
   * @throws {unknown} what the last try throws
   * @throws {StorageTimeoutError} when a try does not settle; it is not repeated, since it may still be at work
   */
  run<T>(operation: () => Promise<T>): Promise<T> {
    return this.unlimited(() => this.limit(operation()));
  }

  /** As {@link run}, without a time limit. */
  async unlimited<T>(operation: () => Promise<T>): Promise<T> {
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

  /** Waits for an operation that must not be repeated. @throws {StorageTimeoutError} when it does not settle */
  limit<T>(operation: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stopTimer = this.clock.startTimer(TIME_OUT_MS, () => {
        reject(new StorageTimeoutError());
      });
      operation.then(resolve, reject).finally(stopTimer);
    });
  }

  private mayPass(error: unknown): boolean {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    const isRefusal = PASSING_CODES.includes(code) && !this.isLasting(error);
    return isRefusal && !(error instanceof StorageTimeoutError);
  }
}
