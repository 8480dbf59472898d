import { describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/base/errors.js';
import { RefreshLease } from '../../src/oauth/refresh-lease.js';
import { FakeClock } from '../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../support/memory-host.js';

describe('the lease of a refresh', () => {
  it('is got by one of several copies that ask at the same moment, and by the next when that one is done', async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage();
    const copies = ['a', 'b', 'c'].map(
      (copyId) => new RefreshLease({ secrets: memorySecrets(storage), clock, copyId }),
    );
    const askAll = async (): Promise<boolean[]> => {
      const asked = Promise.all(copies.map((copy) => copy.tryTake()));
      return (await clock.runUntil(asked)) ?? [];
    };
    const got = await askAll();
    expect(got.filter(Boolean)).toHaveLength(1);
    expect(await askAll()).toEqual([false, false, false]);
    await copies[got.indexOf(true)]?.release();
    expect((await askAll()).filter(Boolean)).toHaveLength(1);
  });

  it('is got at once where storage takes nothing', async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage();
    storage.fail('secrets.set', new CwError('CW-701', 'full'));
    const lease = new RefreshLease({ secrets: memorySecrets(storage), clock, copyId: 'a' });
    expect(await lease.tryTake()).toBe(true);
    expect(clock.elapsed).toBe(0);
  });
});
