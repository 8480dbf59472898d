/** Work in the background, which is done once or over and over while the service runs. */
export interface Job {
  /** Does the work once. When `signal` is aborted, it stops early, without an error. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** The time from the end of one run to the next, in milliseconds; undefined if one successful run is enough. */
  readonly everyMs: number | undefined;
}

/** After how long a job that failed is tried again, at the latest, in milliseconds. */
const RETRY_MS = 30_000;

/**
 * Runs jobs in the background, one at a time, so that a request that waits for the database waits for one job at most.
 * A job that fails is reported and tried again later.
 */
export class Scheduler {
  private readonly stopped = new AbortController();
  private readonly timers = new Set<NodeJS.Timeout>();
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly reportError: (error: unknown) => void,
    private readonly retryMs = RETRY_MS,
  ) {}

  /** Queues a first run of every job, in this order. */
  start(jobs: readonly Job[]): void {
    for (const job of jobs) {
      this.queue(job);
    }
  }

  /** Aborts the running job and starts no other. Resolves when no job is running. */
  async close(): Promise<void> {
    this.stopped.abort();
    for (const timer of this.timers) {
      clearTimeout(timer);
    }
    await this.last;
  }

  private queue(job: Job): void {
    this.last = this.last.then(() => this.run(job));
  }

  private async run(job: Job): Promise<void> {
    const { signal } = this.stopped;
    if (signal.aborted) {
      return;
    }
    let nextMs = job.everyMs;
    try {
      await job.run(signal);
    } catch (error) {
      nextMs = Math.min(this.retryMs, job.everyMs ?? this.retryMs);
      this.reportError(error);
    }
    if (nextMs !== undefined && !this.stopped.signal.aborted) {
      this.later(job, nextMs);
    }
  }

  private later(job: Job, ms: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.queue(job);
    }, ms).unref();
    this.timers.add(timer);
  }
}
