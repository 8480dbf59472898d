import { setImmediate as nextTask, setTimeout as realDelay } from 'node:timers/promises';
import type { Clock } from '../../src/util/clock.js';

interface Timer {
  readonly dueAt: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Step and limit of {@link FakeClock.runUntil}, in milliseconds. */
export interface RunOptions {
  /** Time that passes on this clock per step. Default 20: far below any time-out of the plugin. */
  readonly stepMs?: number;
  /** The limit on this clock. Default one hour. */
  readonly limitMs?: number;
}

/** Returns whether a promise has settled. */
function settled(promise: Promise<unknown>): () => boolean {
  let isSettled = false;
  const over = (): void => {
    isSettled = true;
  };
  promise.then(over, over);
  return () => isSettled;
}

/**
 * A clock that a test moves. Running time (what timers wait for) and the wall
 * clock (`now`) move together with `advance`; `jumpWall` moves the wall clock alone, as a
 * person or the system does.
 */
export class FakeClock implements Clock {
  #wall: number;
  #running = 0;
  #order = 0;
  #timers: Timer[] = [];
  readonly #started: number[] = [];

  /** @param wall  wall-clock time to begin with, in milliseconds since 1970 */
  constructor(wall = Date.UTC(2026, 0, 15, 12)) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  startTimer(delayMs: number, callback: () => void): () => void {
    if (!Number.isFinite(delayMs)) throw new TypeError(`a timer of ${delayMs} ms`);
    this.#order += 1;
    this.#started.push(delayMs);
    const timer: Timer = {
      dueAt: this.#running + Math.max(0, delayMs),
      order: this.#order,
      callback,
    };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Milliseconds advanced since the clock was made; wall-clock jumps do not count. */
  get elapsed(): number {
    return this.#running;
  }

  /** Timers that were started and neither fired nor were called off. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Milliseconds until the next timer fires; null when there is none. */
  get untilNext(): number | null {
    const next = this.#next();
    return next ? next.dueAt - this.#running : null;
  }

  /** The delays of all timers ever started, in order. */
  get started(): readonly number[] {
    return this.#started;
  }

  /** Moves the wall clock alone. */
  jumpWall(byMs: number): void {
    this.#wall += byMs;
  }

  /**
   * Lets `byMs` pass: fires what falls due in its order, and lets promises settle before, in between
   * and after. Timers started on the way count.
   */
  async advance(byMs: number): Promise<void> {
    const end = this.#running + byMs;
    await this.settle();
    await this.#runTo(end);
  }

  /**
   * Lets `byMs` pass as `advance` does, but stops while `isBusy`: for a plugin with a real service, whose real
   * time is none of the plugin's.
   */
  async advanceWhenIdle(byMs: number, isBusy: () => boolean): Promise<void> {
    const end = this.#running + byMs;
    for (;;) {
      await this.settle();
      if (isBusy()) {
        await realDelay(1);
        continue;
      }
      if (this.#running >= end) return;
      await this.#runTo(Math.min(end, this.#next()?.dueAt ?? end));
    }
  }

  async #runTo(end: number): Promise<void> {
    for (;;) {
      const next = this.#next();
      if (!next || next.dueAt > end) break;
      this.#moveTo(next.dueAt);
      this.#timers = this.#timers.filter((other) => other !== next);
      next.callback();
      await this.settle();
    }
    this.#moveTo(end);
  }

  /** Advances to the next timer and fires it (and any that falls due with it). Gives how long that was. */
  async advanceToNext(): Promise<number> {
    await this.settle();
    const wait = this.untilNext;
    if (wait === null) throw new Error('no timer is pending');
    await this.advance(wait);
    return wait;
  }

  /** Lets everything that waits on promises alone run as far as it can; no time passes. */
  async settle(): Promise<void> {
    // A task begins only when the microtask queue is empty. Some host calls respond in a separate task.
    for (let round = 0; round < 3; round += 1) await nextTask();
  }

  /**
   * Lets time pass in small steps until `done` holds or its promise settles: for work that waits on
   * both this clock and real sockets or files. Returns the promise's value.
   * @throws Error when `limitMs` have passed on this clock
   */
  async runUntil<T>(
    done: Promise<T> | (() => boolean),
    options: RunOptions = {},
  ): Promise<T | undefined> {
    const { stepMs = 20, limitMs = 3_600_000 } = options;
    const isOver = typeof done === 'function' ? done : settled(done);
    const limit = this.#running + limitMs;
    await this.settle();
    while (!isOver()) {
      if (this.#running >= limit) throw new Error(`nothing came of it within ${limitMs} ms`);
      await realDelay(1);
      await this.settle();
      // The clock stops at the time of the event that ended it.
      if (!isOver()) await this.#runTo(this.#running + stepMs);
      await this.settle();
    }
    return typeof done === 'function' ? undefined : done;
  }

  #next(): Timer | undefined {
    return this.#timers.reduce<Timer | undefined>((first, timer) => {
      if (!first || timer.dueAt < first.dueAt) return timer;
      return timer.dueAt === first.dueAt && timer.order < first.order ? timer : first;
    }, undefined);
  }

  #moveTo(running: number): void {
    this.#wall += running - this.#running;
    this.#running = running;
  }
}
