import { describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { LEASE_MS, RefreshLease } from '../../../src/oauth/session/refresh-lease.js';
import { SECRET_KEYS } from '../../../src/oauth/session/session-codec.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memorySecrets, MemoryStorage } from '../../support/memory-host.js';

describe('the refresh lease', () => {
  it('is acquired by one of several instances, and by the next after its release', async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage();
    const instances = ['a', 'b', 'c'].map(
      (instanceId) => new RefreshLease({ secrets: memorySecrets(storage), clock, instanceId }),
    );
    const askAll = async (): Promise<boolean[]> => {
      const asked = Promise.all(instances.map((instance) => instance.tryTake()));
      return (await clock.runUntil(asked)) ?? [];
    };
    const got = await askAll();
    expect(got.filter(Boolean)).toHaveLength(1);
    expect(await askAll()).toEqual([false, false, false]);
    await instances[got.indexOf(true)]?.release();
    expect((await askAll()).filter(Boolean)).toHaveLength(1);
  });

  it('is acquired at once when storage refuses writes', async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage();
    storage.fail('secrets.set', new CwError('CW-701', 'full'));
    const lease = new RefreshLease({ secrets: memorySecrets(storage), clock, instanceId: 'a' });
    expect(await lease.tryTake()).toBe(true);
    expect(clock.elapsed).toBe(0);
  });

  it('is acquired although storage cannot be read', async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage();
    storage.fail('secrets.get', new CwError('CW-701', 'broken'));
    const lease = new RefreshLease({ secrets: memorySecrets(storage), clock, instanceId: 'a' });
    expect(await clock.runUntil(lease.tryTake())).toBe(true);
  });

  it('is taken over from a dead instance, but not before it expires', async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage();
    storage.secrets.set(SECRET_KEYS.refreshLease, 'dead 1');
    const lease = new RefreshLease({ secrets: memorySecrets(storage), clock, instanceId: 'a' });
    while (!(await clock.runUntil(lease.tryTake(), { stepMs: 250 }))) {
      expect(clock.elapsed).toBeLessThan(LEASE_MS + 1_000);
    }
    expect(clock.elapsed).toBeGreaterThan(LEASE_MS);
    expect(storage.secrets.get(SECRET_KEYS.refreshLease)).toMatch(/^a /);
  });

  it('is kept by an instance that renews it', async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage();
    const lease = new RefreshLease({ secrets: memorySecrets(storage), clock, instanceId: 'a' });
    for (let turn = 1; turn <= 3; turn += 1) {
      storage.secrets.set(SECRET_KEYS.refreshLease, `busy ${turn}`);
      const until = clock.elapsed + LEASE_MS - 1_000;
      while (clock.elapsed < until) {
        expect(await clock.runUntil(lease.tryTake(), { stepMs: 250 })).toBe(false);
      }
    }
  });

  it('is released by its holder only', async () => {
    const clock = new FakeClock();
    const storage = new MemoryStorage();
    const lease = new RefreshLease({ secrets: memorySecrets(storage), clock, instanceId: 'a' });
    await clock.runUntil(lease.tryTake());
    storage.fail('secrets.remove', new CwError('CW-701', 'broken'), 1);
    await lease.release();
    expect(storage.secrets.has(SECRET_KEYS.refreshLease)).toBe(true);
    await lease.release();
    expect(storage.secrets.has(SECRET_KEYS.refreshLease)).toBe(false);
    storage.secrets.set(SECRET_KEYS.refreshLease, 'b 1');
    await lease.release();
    expect(storage.secrets.get(SECRET_KEYS.refreshLease)).toBe('b 1');
  });
});
