import { UnavailableError } from '../errors.js';

interface Waiter {
  readonly wake: () => void;
  readonly refuse: (error: UnavailableError) => void;
}

/** Lets one piece of work run at a time, in the order of arrival, and nobody wait for ever. */
export class Turns {
  private readonly waiters: Waiter[] = [];
  private busy = false;
  private closed = false;

  /**
   * Runs `work` when it is its turn.
   * @param waitMs longest wait for the turn; without it there is no limit.
   * @throws {UnavailableError} when the turn did not come in time, or after {@link close}.
   */
  async take<T>(work: () => Promise<T>, waitMs?: number): Promise<T> {
    await this.turn(waitMs);
    try {
      return await work();
    } finally {
      this.pass();
    }
  }

  /** Sends away who waits and who comes later; resolves when the work that runs has ended. */
  async close(): Promise<void> {
    this.closed = true;
    for (const waiter of this.waiters.splice(0)) waiter.refuse(closedError());
    if (!this.busy) return;
    await new Promise<void>((resolve) => {
      this.waiters.push({ wake: resolve, refuse: () => undefined });
    });
  }

  private turn(waitMs: number | undefined): Promise<void> {
    if (this.closed) return Promise.reject(closedError());
    if (!this.busy) {
      this.busy = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        wake: () => {
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
              this.waiters.splice(this.waiters.indexOf(waiter), 1);
              reject(new UnavailableError('the database was busy for too long'));
            }, waitMs);
      this.waiters.push(waiter);
    });
  }

  private pass(): void {
    const next = this.waiters.shift();
    if (next === undefined) this.busy = false;
    else next.wake();
  }
}

function closedError(): UnavailableError {
  return new UnavailableError('the database is closed');
}
