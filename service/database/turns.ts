import { UnavailableError } from '../errors.js';
import { whoAsked } from './on-behalf.js';

interface Waiter {
  readonly wake: () => void;
  readonly refuse: (error: UnavailableError) => void;
}

/**
 * Lets one piece of work run at a time, and nobody wait for ever. Those who asked for work that waits
 * (see {@link whoAsked}) take turns; the work of one of them is done in the order of its arrival.
 */
export class Turns {
  /** What waits, by who asked for it, in the order of their turns. No list is empty. */
  private readonly waiting = new Map<string, Waiter[]>();
  private closing: (() => void) | undefined;
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
    for (const waiter of [...this.waiting.values()].flat()) waiter.refuse(closedError());
    this.waiting.clear();
    if (!this.busy) return;
    await new Promise<void>((resolve) => {
      this.closing = resolve;
    });
  }

  private turn(waitMs: number | undefined): Promise<void> {
    if (this.closed) return Promise.reject(closedError());
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
              this.forget(who, waiter);
              reject(new UnavailableError('the database was busy for too long'));
            }, waitMs);
      const own = this.waiting.get(who);
      if (own === undefined) this.waiting.set(who, [waiter]);
      else own.push(waiter);
    });
  }

  private pass(): void {
    const next = this.next();
    if (next !== undefined) {
      next.wake();
      return;
    }
    this.busy = false;
    this.closing?.();
  }

  private next(): Waiter | undefined {
    const [first] = this.waiting;
    if (first === undefined) return undefined;
    const [who, own] = first;
    const next = own.shift();
    // To the end of the turns.
    this.waiting.delete(who);
    if (own.length > 0) this.waiting.set(who, own);
    return next;
  }

  private forget(who: string, waiter: Waiter): void {
    const left = this.waiting.get(who)?.filter((one) => one !== waiter) ?? [];
    if (left.length > 0) this.waiting.set(who, left);
    else this.waiting.delete(who);
  }
}

function closedError(): UnavailableError {
  return new UnavailableError('the database is closed');
}
