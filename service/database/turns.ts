import { UnavailableError } from '../errors.js';
import { Lanes } from '../limits/lanes.js';
import { whoAsked } from './on-behalf.js';

interface Waiter {
  readonly wake: () => void;
  readonly refuse: (error: UnavailableError) => void;
}

/**
 * Runs one piece of work at a time. Those on whose behalf work waits (see {@link whoAsked}) take turns; the work of
 * each of them is done in the order of its arrival.
 */
export class Turns {
  private readonly waiting = new Lanes<Waiter>();
  private closing: (() => void) | undefined;
  private busy = false;
  private closed = false;

  /**
   * Runs `work` when it is its turn.
   * @param waitMs longest wait for the turn, in milliseconds; without it there is no limit.
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

  /** Refuses work that waits and work that comes later. Resolves when the work that is running has ended. */
  async close(): Promise<void> {
    this.closed = true;
    for (const waiter of this.waiting.clear()) {
      waiter.refuse(closedError());
    }
    if (!this.busy) {
      return;
    }
    await new Promise<void>((resolve) => {
      this.closing = resolve;
    });
  }

  private turn(waitMs: number | undefined): Promise<void> {
    if (this.closed) {
      return Promise.reject(closedError());
    }
    if (!this.busy) {
      this.busy = true;
      return Promise.resolve();
    }
    const who = whoAsked();
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
              this.waiting.remove(who, waiter);
              reject(new UnavailableError('the database was busy for too long'));
            }, waitMs);
      this.waiting.add(who, waiter);
    });
  }

  private pass(): void {
    const next = this.waiting.next();
    if (next !== undefined) {
      next.wake();
      return;
    }
    this.busy = false;
    this.closing?.();
  }
}

function closedError(): UnavailableError {
  return new UnavailableError('the database is closed');
}
