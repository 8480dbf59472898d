import { afterEach, describe, expect, it } from '@jest/globals';
import { startJobs, type Job, type RunningJobs } from '../../../../service/kernel/jobs/jobs.js';

/** A promise, and the function that resolves it. */
function signal(): { readonly done: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const done = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { done, resolve };
}

describe('jobs', () => {
  let running: RunningJobs | undefined;
  const errors: unknown[] = [];
  const start = (...jobs: readonly Job[]): void => {
    running = startJobs(jobs, (error) => errors.push(error));
  };
  afterEach(() => running?.close());

  it('run in the order of the list, one at a time', async () => {
    const [first, both] = [signal(), signal()];
    const seen: string[] = [];
    start(
      {
        everyMs: undefined,
        run: async () => {
          seen.push('first begins');
          await first.done;
          seen.push('first ends');
        },
      },
      {
        everyMs: undefined,
        run: () => {
          seen.push('second');
          both.resolve();
          return Promise.resolve();
        },
      },
      {
        everyMs: undefined,
        isSeparate: true,
        run: async () => {
          await Promise.resolve();
          first.resolve();
        },
      },
    );
    await both.done;
    expect(seen).toEqual(['first begins', 'first ends', 'second']);
  });

  it('run again after their time; after an error, too, which is reported', async () => {
    const third = signal();
    let runs = 0;
    errors.length = 0;
    const failure = new Error('the first run fails');
    start({
      everyMs: 1,
      run: () => {
        runs += 1;
        if (runs === 3) third.resolve();
        return runs === 1 ? Promise.reject(failure) : Promise.resolve();
      },
    });
    await third.done;
    expect(errors).toEqual([failure]);
  });

  it('are aborted by the end, which waits for those that run and starts no other', async () => {
    const began = signal();
    const seen: string[] = [];
    start(
      {
        everyMs: 1,
        run: async (aborted) => {
          began.resolve();
          await new Promise((resolve) => {
            aborted.addEventListener('abort', resolve);
          });
          await new Promise(setImmediate);
          seen.push('ended');
        },
      },
      { everyMs: 1, run: () => Promise.resolve(void seen.push('another')) },
    );
    await began.done;
    await running?.close();
    expect(seen).toEqual(['ended']);
  });

  it('that remove something can be run at once, but not while a job is running', async () => {
    const began = signal();
    const seen: string[] = [];
    let atOnce = 0;
    const job = (name: string, more: Partial<Job> = {}): Job => ({
      everyMs: undefined,
      run: async () => {
        began.resolve();
        atOnce += 1;
        await new Promise(setImmediate);
        seen.push(`${name} of ${atOnce}`);
        atOnce -= 1;
      },
      ...more,
    });
    start(job('a', { isCleanup: true }), job('b'), job('c', { isCleanup: true }));
    await began.done;
    await running?.cleanUp();
    expect(seen).toEqual(['a of 1', 'a of 1', 'c of 1']);
  });

  it('that remove something reject at once when they fail', async () => {
    const failing = { everyMs: 1, isCleanup: true, run: () => Promise.reject(new Error('no')) };
    start({ ...failing, isCleanup: true });
    await expect(running?.cleanUp()).rejects.toThrow('no');
  });
});
