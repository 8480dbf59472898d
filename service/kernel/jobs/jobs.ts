import { repeat } from './repeat.js';

/** Work in the background, which is done once or over and over while the service runs. */
export interface Job {
  /** Does the work once. When `signal` is aborted, it stops early, without an error. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** The time from the end of one run to the next, in milliseconds; undefined if one successful run is enough. */
  readonly everyMs: number | undefined;
  /** Whether it waits for other servers or takes long: no other job waits for it. */
  readonly isSeparate?: true;
  /** Whether it removes what is obsolete, so that an operator can run it at once. */
  readonly isCleanup?: true;
}

/** After how long a job that failed is tried again, at the latest, in milliseconds. */
const RETRY_MS = 30_000;

/**
 * Runs jobs in the background. Those that are not separate run one at a time, so that a request that waits for the database
 * waits for one job at most. A job that fails is reported and tried again later.
 * @returns aborts the running jobs and starts no other; resolves when none is running.
 */
export function startJobs(
  jobs: readonly Job[],
  reportError: (error: unknown) => void,
): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const shared = { last: Promise.resolve() };
  const lanes = jobs.map(({ isSeparate }) => (isSeparate ? { last: Promise.resolve() } : shared));
  const attempt = async ({ run, everyMs }: Job): Promise<number | undefined> => {
    try {
      if (!signal.aborted) {
        await run(signal);
      }
      return everyMs;
    } catch (error) {
      reportError(error);
      return Math.min(RETRY_MS, everyMs ?? RETRY_MS);
    }
  };
  const stops = jobs.map((job, at) =>
    repeat(0, () => {
      const lane = lanes[at] ?? shared;
      const turn = lane.last.then(() => attempt(job));
      lane.last = turn.then(() => undefined);
      return turn;
    }),
  );
  return async () => {
    stopped.abort();
    stops.forEach((stop) => {
      stop();
    });
    await Promise.all(lanes.map(({ last }) => last));
  };
}

/** Runs the jobs that remove what is obsolete, one after another. */
export async function cleanUp(jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    if (job.isCleanup) {
      await job.run(new AbortController().signal);
    }
  }
}
