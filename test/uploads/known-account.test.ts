import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Account } from '../../src/account/current-account.js';
import { CwError } from '../../src/base/errors.js';
import { Store } from '../../src/base/store.js';
import { KnownAccount } from '../../src/uploads/known-account.js';
import { FakeClock } from '../support/fake-clock.js';
import { memoryRecords, MemoryStorage } from '../support/memory-host.js';

function accountOf(username: string, workspaceId = 'studio'): Account {
  return { name: username, username, workspace: { id: workspaceId, name: 'Studio' } };
}

describe('the account that was connected last', () => {
  let storage: MemoryStorage;
  let clock: FakeClock;
  let told: Store<Account | null>;
  let known: KnownAccount;

  beforeEach(() => {
    storage = new MemoryStorage();
    clock = new FakeClock();
    start(null);
  });

  /** A start, with what the service has told so far of whoever is connected. */
  function start(account: Account | null): void {
    told = new Store(account);
    const records = memoryRecords(storage);
    known = new KnownAccount({
      // It never says that it does not know.
      account: { state: told, connected: () => new Promise(() => undefined) },
      records,
      clock,
    });
    void records.load();
    known.restore(storage.records);
  }

  it('is nobody at first: whoever connects is no other', async () => {
    start(accountOf('anna'));
    expect(await known.compare()).toBe('same');
  });

  it('is known over restarts, by a digest that tells no name, and only in its own workspace', async () => {
    start(accountOf('anna'));
    await known.remember();
    expect([...storage.records.values()].join()).not.toMatch(/anna|studio/i);
    for (const [account, expected] of [
      [accountOf('anna'), 'same'],
      [accountOf('ben'), 'other'],
      [accountOf('anna', 'another studio'), 'other'],
    ] as const) {
      start(account);
      expect(await known.compare()).toBe(expected);
    }
  });

  it('stays the one before where storage did not take the new one, and is written once', async () => {
    start(accountOf('anna'));
    await known.remember();
    told.set(accountOf('ben'));
    storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    await known.remember();
    expect(await known.compare()).toBe('other');
    await known.remember();
    await known.remember();
    expect(await known.compare()).toBe('same');
    expect(storage.log.filter((line) => line.startsWith('records.put'))).toHaveLength(3);
  });

  it('is not known where the service does not tell in five seconds, and remembered when it does later', async () => {
    start(accountOf('anna'));
    await known.remember();
    start(null);
    const comparing = known.compare();
    await clock.advance(5_000);
    expect(await comparing).toBe('unknown');
    expect(clock.pending).toBe(0);
    told.set(accountOf('ben'));
    await clock.settle();
    expect(await known.compare()).toBe('same');
  });

  it('is not remembered before it was compared: a change that comes in time is one', async () => {
    start(accountOf('anna'));
    await known.remember();
    start(null);
    const comparing = known.compare();
    told.set(accountOf('ben'));
    expect(await comparing).toBe('other');
    // Another connection, which is not told of late.
    told.set(accountOf('carla'));
    await clock.settle();
    start(accountOf('anna'));
    expect(await known.compare()).toBe('same');
  });

  it('is compared anew for each connection, also after one that told late', async () => {
    start(accountOf('anna'));
    await known.remember();
    start(null);
    const late = known.compare();
    await clock.advance(5_000);
    await late;
    const comparing = known.compare();
    told.set(accountOf('ben'));
    expect(await comparing).toBe('other');
    await clock.settle();
    expect(await known.compare()).toBe('other');
  });

  it.each(['junk', '{"version":2,"account":"x"}', '{"version":1}'])(
    'is nobody where storage holds %s',
    async (text) => {
      storage.records.set('account-before', text);
      start(accountOf('anna'));
      expect(await known.compare()).toBe('same');
    },
  );
});
