import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What one job of the process may take. */
export interface JobLimits {
  /** Processor time of all threads, in milliseconds. */
  readonly processorMs: number;
  /** The memory of the whole process, in bytes. */
  readonly memoryBytes: number;
}

const PROGRAM = new URL('./watchdog-thread.js', import.meta.url);

/**
 * Ends this process when a job takes too much. It is a thread: a timer of the main thread does not fire while a job loops
 * or allocates without a pause.
 */
export class Watchdog {
  private constructor(private readonly jobs: Int32Array) {}

  /** Resolves when the thread runs. */
  static async start(limits: JobLimits): Promise<Watchdog> {
    /** An odd number while a job runs. */
    const jobs = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const thread = new Worker(PROGRAM, {
      workerData: { jobs, ...limits },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 2 },
    });
    // A process without a watchdog takes no job.
    thread.once('error', () => {
      process.kill(process.pid, 'SIGKILL');
    });
    await once(thread, 'online');
    thread.unref();
    return new Watchdog(jobs);
  }

  /** Watches from here on, until {@link Watchdog.end}. */
  begin(): void {
    this.step();
  }

  end(): void {
    this.step();
  }

  private step(): void {
    Atomics.add(this.jobs, 0, 1);
    Atomics.notify(this.jobs, 0);
  }
}
