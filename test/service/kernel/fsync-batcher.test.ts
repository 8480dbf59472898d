import { describe, expect, it } from '@jest/globals';
import { FsyncBatcher } from '../../../service/kernel/fsync-batcher.js';

/** Flushes that end on command of the test. */
function flushes(): {
  readonly together: FsyncBatcher;
  readonly end: (() => void)[];
  readonly fail: (() => void)[];
} {
  const end: (() => void)[] = [];
  const fail: (() => void)[] = [];
  const together = new FsyncBatcher(
    () =>
      new Promise((resolve, reject) => {
        end.push(resolve);
        fail.push(() => {
          reject(new Error('the disk is broken'));
        });
      }),
  );
  return { together, end, fail };
}

/** Whether a promise has been kept by now. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

describe('a shared flush', () => {
  it('starts after the last request that it serves', async () => {
    const { together, end } = flushes();
    const first = together.flush();
    const others = [together.flush(), together.flush(), together.flush()];
    expect(end).toHaveLength(1);
    end[0]?.();
    expect(await isOver(first)).toBe(true);
    expect(await isOver(Promise.race(others))).toBe(false);
    expect(end).toHaveLength(2);
    end[1]?.();
    await Promise.all(others);
    expect(end).toHaveLength(2);
  });

  it('starts another flush for a request after the last one', async () => {
    const { together, end } = flushes();
    const first = together.flush();
    end[0]?.();
    await first;
    const second = together.flush();
    expect(end).toHaveLength(2);
    expect(await isOver(second)).toBe(false);
    end[1]?.();
    await second;
  });

  it('rejects only the callers of a failed flush', async () => {
    const { together, end, fail } = flushes();
    const first = together.flush();
    const second = together.flush();
    fail[0]?.();
    await expect(first).rejects.toThrow('the disk is broken');
    expect(await isOver(second)).toBe(false);
    end[1]?.();
    await expect(second).resolves.toBeUndefined();
  });
});
