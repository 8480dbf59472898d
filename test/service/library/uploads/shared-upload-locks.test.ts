import { describe, expect, it, jest } from '@jest/globals';
import type { Database } from '../../../../service/kernel/database/database.js';
import { UnavailableError } from '../../../../service/kernel/errors.js';
import { SharedUploadLocks } from '../../../../service/library/uploads/locks/shared-upload-locks.js';
import { UploadLocks } from '../../../../service/library/uploads/locks/upload-locks.js';
import { UnfinishedUploads } from '../../../../service/library/uploads/repository/unfinished-uploads.js';
import { openReadyDatabase } from '../../support/database-templates.js';

describe('a lock on an upload', () => {
  it('is released in this process when the database is away, without an error', async () => {
    let isAway = false;
    const database: Database = {
      query: <Row extends object>() =>
        isAway
          ? Promise.reject(new UnavailableError('away'))
          : Promise.resolve([{ holder: 'one' }] as unknown as Row[]),
      transaction: () => Promise.reject(new Error('no lock is a transaction')),
      close: () => Promise.resolve(),
      isShared: true,
    };
    const locks = new SharedUploadLocks(new UploadLocks(), database);
    const { signal } = new AbortController();
    const first = locks.newLock('one');
    await first.lock(signal, () => undefined);

    isAway = true;
    await first.unlock();
    isAway = false;

    const second = locks.newLock('one');
    await second.lock(signal, () => undefined);
    await second.unlock();
  });

  it.each<[string, object[], boolean]>([
    ['goes on as long as nobody else wants it', [{ wanted: false }], false],
    ['is to be let go of when another process wants it', [{ wanted: true }], true],
    ['is to be let go of when it was lost', [], true],
  ])('%s', async (_what, renewed, isAsked) => {
    jest.useFakeTimers();
    try {
      let rows: object[] = [{ holder: 'one' }];
      const database: Database = {
        query: <Row extends object>() => Promise.resolve(rows as Row[]),
        transaction: () => Promise.reject(new Error('no lock is a transaction')),
        close: () => Promise.resolve(),
        isShared: true,
      };
      const lock = new SharedUploadLocks(new UploadLocks(), database).newLock('one');
      let asked = 0;
      await lock.lock(new AbortController().signal, () => {
        asked += 1;
      });

      rows = renewed;
      await jest.advanceTimersByTimeAsync(2000);

      expect(asked > 0).toBe(isAsked);
      await lock.unlock();
    } finally {
      jest.useRealTimers();
    }
  });

  it('is held by one process, released on request, and taken from a dead process', async () => {
    const database = { ...(await openReadyDatabase()), isShared: true };
    const [here, there] = [1, 2].map(() =>
      new SharedUploadLocks(new UploadLocks(), database).newLock('one'),
    );
    const { signal } = new AbortController();
    const events: string[] = [];
    await here?.lock(signal, async () => {
      events.push('asked');
      await here.unlock();
    });

    await there?.lock(signal, () => undefined);
    events.push('taken');
    expect(events[0]).toBe('asked');
    expect(events.at(-1)).toBe('taken');

    // The holder stops renewing its lock, the second time while the clock of the database is ahead.
    for (const until of ['now()', "now() + interval '1 year'"]) {
      await database.query(
        `INSERT INTO upload_locks VALUES ('one', 'dead', ${until})
         ON CONFLICT (upload_id) DO UPDATE SET holder = 'dead', expires_at = ${until}`,
      );
      const third = new SharedUploadLocks(new UploadLocks(), database).newLock('one');
      await third.lock(signal, () => undefined);
      await third.unlock();
    }
    await there?.unlock();
    expect(await database.query('SELECT * FROM upload_locks')).toEqual([]);
    await database.close();
  });

  it('on all unfinished uploads is taken from a process that had it while the clock was ahead', async () => {
    const database = { ...(await openReadyDatabase()), isShared: true };
    const unfinished = new UnfinishedUploads(database);
    expect([await unfinished.claim('one'), await unfinished.claim('two')]).toEqual([true, false]);
    await database.query("UPDATE upload_locks SET expires_at = now() + interval '1 year'");
    expect(await unfinished.claim('two')).toBe(true);
    await database.close();
  });

  it('holds no database connection', async () => {
    let asking = 0;
    let most = 0;
    let transactions = 0;
    const database: Database = {
      query: async <Row extends object>() => {
        asking += 1;
        most = Math.max(most, asking);
        await new Promise(setImmediate);
        asking -= 1;
        return [] as Row[];
      },
      transaction: () => {
        transactions += 1;
        return Promise.reject(new Error('no lock is a transaction'));
      },
      close: () => Promise.resolve(),
      isShared: true,
    };
    const locks = new SharedUploadLocks(new UploadLocks(), database);
    const stop = new AbortController();
    // Another process has it; these wait.
    const waiting = Array.from({ length: 20 }, (_, index) =>
      locks.newLock(`upload ${index % 2}`).lock(stop.signal, () => undefined),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort();

    await Promise.allSettled(waiting);
    expect(transactions).toBe(0);
    // One statement at a time for each upload.
    expect(most).toBeLessThanOrEqual(2);
  });
});
