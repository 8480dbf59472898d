/** Something that is done over and over while the service runs. */
export interface Chore {
  /** Does it once; stops early, without an error, once `signal` is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** From the end of one run to the next, in milliseconds; undefined: it is done once. */
  readonly everyMs: number | undefined;
}

/** When a chore that failed is tried again, in milliseconds. */
const RETRY_MS = 30_000;

/**
 * Does the chores in the background, one at a time, so that no request waits behind several of them.
 * One that fails is reported and tried again later.
 */
export class Housekeeping {
  private readonly stopped = new AbortController();
  private readonly timers = new Set<NodeJS.Timeout>();
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly reportError: (error: unknown) => void,
    private readonly retryMs = RETRY_MS,
  ) {}

  /** Begins with every chore at once, in this order. */
  start(chores: readonly Chore[]): void {
    for (const chore of chores) {
      this.queue(chore);
    }
  }

  /** Lets the chore that runs stop where it can; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.stopped.abort();
    for (const timer of this.timers) {
      clearTimeout(timer);
    }
    await this.last;
  }

  private queue(chore: Chore): void {
    this.last = this.last.then(() => this.run(chore));
  }

  private async run(chore: Chore): Promise<void> {
    const { signal } = this.stopped;
    if (signal.aborted) {
      return;
    }
    let nextMs = chore.everyMs;
    try {
      await chore.run(signal);
    } catch (error) {
      nextMs = Math.min(this.retryMs, chore.everyMs ?? this.retryMs);
      this.reportError(error);
    }
    if (nextMs !== undefined && !this.stopped.signal.aborted) {
      this.later(chore, nextMs);
    }
  }

  private later(chore: Chore, ms: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.queue(chore);
    }, ms).unref();
    this.timers.add(timer);
  }
}
