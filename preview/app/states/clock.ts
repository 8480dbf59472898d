import type { Clock } from '../../../src/util/clock.js';

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

/**
 * The clock of a scripted panel. Only the scene moves it, so that a picture is the same each time.
 * Once it is live, timers run in real time (a list that scrolls, a "Copied" that goes away), but `now` stays the same.
 */
export class SceneClock implements Clock {
  #now = Date.UTC(2026, 4, 12, 14, 30);
  #timers: Timer[] = [];
  #isLive = false;
  #isOver = false;
  readonly #running = new Set<ReturnType<typeof setTimeout>>();

  now(): number {
    return this.#now;
  }

  startTimer(delayMs: number, callback: () => void): () => void {
    if (this.#isOver) {
      return () => undefined;
    }
    if (this.#isLive) {
      const timer = setTimeout(() => {
        this.#running.delete(timer);
        callback();
      }, delayMs);
      this.#running.add(timer);
      return () => {
        this.#running.delete(timer);
        clearTimeout(timer);
      };
    }
    const timer = { dueAt: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves the clock forward, and runs the timers that become due. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers
        .filter(({ dueAt }) => dueAt <= end)
        .sort((a, b) => a.dueAt - b.dueAt)[0];
      if (next === undefined) {
        break;
      }
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = next.dueAt;
      next.callback();
    }
    this.#now = end;
  }

  /** From now on, timers run in real time. */
  goLive(): void {
    this.#isLive = true;
    const waiting = this.#timers;
    this.#timers = [];
    for (const { dueAt, callback } of waiting) {
      this.startTimer(dueAt - this.#now, callback);
    }
  }

  /** Stops all timers, and starts no more: the panel that they belong to is no longer shown. */
  end(): void {
    this.#isOver = true;
    this.#timers = [];
    for (const timer of this.#running) {
      clearTimeout(timer);
    }
    this.#running.clear();
  }
}
