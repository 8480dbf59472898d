import { UnavailableError } from '../errors.js';

interface Waiter {
  readonly start: () => void;
  readonly refuse: (error: UnavailableError) => void;
}

/** Gives one connection to one task at a time, in order. */
export class ConnectionMutex {
  private waiting: Waiter[] = [];
  private closing: (() => void) | undefined;
  private busy = false;
  private closed = false;

  /**
   * Runs `work` once the connection is free.
   * @param waitMs longest wait, in milliseconds; without it there is no limit.
   * @throws {UnavailableError} when the connection was not free in time, or after {@link close}.
   */
  async run<T>(work: () => Promise<T>, waitMs?: number): Promise<T> {
    await this.acquire(waitMs);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Refuses work that waits and work that comes later. Resolves when the work that is running has ended. */
  async close(): Promise<void> {
    this.closed = true;
    for (const waiter of this.waiting.splice(0)) {
      waiter.refuse(closedError());
    }
    if (!this.busy) {
      return;
    }
    await new Promise<void>((resolve) => {
      this.closing = resolve;
    });
  }

  private acquire(waitMs: number | undefined): Promise<void> {
    if (this.closed) {
      return Promise.reject(closedError());
    }
    if (!this.busy) {
      this.busy = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      const timer =
        waitMs === undefined
          ? undefined
          : setTimeout(() => {
              this.waiting = this.waiting.filter((one) => one !== waiter);
              reject(new UnavailableError('the database was busy for too long'));
            }, waitMs);
      this.waiting.push(waiter);
    });
  }

  private release(): void {
    const next = this.waiting.shift();
    if (next !== undefined) {
      next.start();
      return;
    }
    this.busy = false;
    this.closing?.();
  }
}

function closedError(): UnavailableError {
  return new UnavailableError('the database is closed');
}
