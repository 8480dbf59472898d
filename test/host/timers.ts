import type { Lifetime } from './modules/lifetime.js';

/** The plugin's timers: real ones, all ended with the plugin, errors in them kept for the test. */
export class Timers {
  readonly #running = new Map<number, () => void>();
  #nextId = 1;
  #speed = 1;

  constructor(
    private readonly lifetime: Lifetime,
    private readonly uncaught: (error: unknown) => void,
  ) {
    lifetime.onEnd(() => {
      for (const stop of [...this.#running.values()]) stop();
    });
  }

  /** How many timers of the plugin are waiting. */
  get waiting(): number {
    return this.#running.size;
  }

  /** New timers run this many times faster. The wall clock does not change. */
  hurry(times: number): void {
    this.#speed = times;
  }

  /** Runs once after so many milliseconds. @returns a function that stops it */
  after(milliseconds: number, task: () => void): () => void {
    const id = this.#start(task, milliseconds, false);
    return () => this.clear(id);
  }

  /** `setTimeout` and `setInterval` of the page. */
  set(callback: unknown, milliseconds: unknown, repeat: boolean, args: readonly unknown[]): number {
    // Code given as a string is never run: it would need leave to generate code.
    if (typeof callback !== 'function') return 0;
    const run = callback as (...given: readonly unknown[]) => unknown;
    const delay = Number(milliseconds);
    return this.#start(() => run(...args), Number.isFinite(delay) ? Math.max(0, delay) : 0, repeat);
  }

  clear(id: unknown): void {
    if (typeof id === 'number') this.#running.get(id)?.();
  }

  #start(task: () => unknown, milliseconds: number, repeat: boolean): number {
    const id = this.#nextId;
    this.#nextId += 1;
    if (!this.lifetime.alive) return id;
    const run = (): void => {
      if (!repeat) this.#running.delete(id);
      if (!this.lifetime.alive) return;
      try {
        task();
      } catch (error) {
        this.uncaught(error);
      }
    };
    const wait = milliseconds / this.#speed;
    const handle = repeat ? setInterval(run, wait) : setTimeout(run, wait);
    this.#running.set(id, () => {
      clearTimeout(handle);
      this.#running.delete(id);
    });
    return id;
  }
}
