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

/** Jobs that run. */
export interface RunningJobs {
  /** Runs the jobs that remove what is obsolete, as soon as the running job has ended. @throws their first error. */
  cleanUp(): Promise<void>;
  /** Aborts the running jobs and starts no other; resolves when none is running. */
  close(): Promise<void>;
}

/**
 * Runs jobs in the background. Those that are not separate run one at a time, so that a request that waits for the database
 * waits for one job at most. A job that fails is reported and tried again later.
 */
export function startJobs(
  jobs: readonly Job[],
  reportError: (error: unknown) => void,
): RunningJobs {
  const stopped = new AbortController();
  const { signal } = stopped;
  const shared = { last: Promise.resolve() };
  const lanes = jobs.map(({ isSeparate }) => (isSeparate ? { last: Promise.resolve() } : shared));
  const inTurn = <T>(lane: { last: Promise<void> }, work: () => Promise<T>): Promise<T> => {
    const turn = lane.last.then(work);
    lane.last = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  };
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
    repeat(0, () => inTurn(lanes[at] ?? shared, () => attempt(job))),
  );
  return {
    cleanUp: () =>
      inTurn(shared, async () => {
        for (const { run, isCleanup } of jobs) {
          if (isCleanup) {
            await run(signal);
          }
        }
      }),
    close: async () => {
      stopped.abort();
      stops.forEach((stop) => {
        stop();
      });
      await Promise.all(lanes.map(({ last }) => last));
    },
  };
}
