import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What one job of the process may take. */
export interface JobLimits {
  /** Processor time of all threads, in milliseconds. */
  readonly processorMs: number;
  /** The memory of the whole process, in bytes. */
  readonly memoryBytes: number;
}

const MAX_INT32 = 2 ** 31 - 1;

const PROGRAM = new URL('./watchdog-thread.js', import.meta.url);

/**
 * Ends this process when a job takes too much. It is a thread: a timer of the main thread does not fire while a job loops
 * or allocates without a pause.
 */
export class Watchdog {
  private constructor(
    private readonly jobs: Int32Array,
    private readonly limits: JobLimits,
  ) {}

  /** Resolves when the thread runs. */
  static async start(limits: JobLimits): Promise<Watchdog> {
    /** An odd number while a job runs, its processor time in milliseconds, and its memory in KiB. */
    const jobs = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
    const thread = new Worker(PROGRAM, {
      workerData: { jobs },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
    });
    // A process without a watchdog takes no job.
    thread.once('error', () => {
      process.kill(process.pid, 'SIGKILL');
    });
    await once(thread, 'online');
    thread.unref();
    return new Watchdog(jobs, limits);
  }

  /** Watches from here on, until {@link Watchdog.end}. */
  begin(): void {
    this.restrict(this.limits);
    this.step();
  }

  /** Lowers the limits of the current job. */
  restrict({ processorMs, memoryBytes }: JobLimits): void {
    const { limits, jobs } = this;
    Atomics.store(jobs, 1, Math.min(processorMs, limits.processorMs, MAX_INT32));
    Atomics.store(jobs, 2, Math.min(memoryBytes, limits.memoryBytes) / 1024);
  }

  end(): void {
    this.step();
  }

  private step(): void {
    Atomics.add(this.jobs, 0, 1);
    Atomics.notify(this.jobs, 0);
  }
}
