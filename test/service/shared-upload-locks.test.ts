import { describe, expect, it, jest } from '@jest/globals';
import type { Lock } from '@tus/server';
import type { Database } from '../../service/database/database.js';
import { UnavailableError } from '../../service/errors.js';
import { RequestRows } from '../../service/uploads/request-rows.js';
import { SharedUploadLocks } from '../../service/uploads/shared-upload-locks.js';
import { UploadLocks } from '../../service/uploads/upload-locks.js';
import { UploadTable } from '../../service/uploads/upload-table.js';
import { openReadyDatabase } from './kept-databases.js';

describe('a lock on an upload', () => {
  it('is given back in this process when the database is away, without an error', async () => {
    let isAway = false;
    const database: Database = {
      query: <Row extends object>() =>
        isAway
          ? Promise.reject(new UnavailableError('away'))
          : Promise.resolve([{ is_taken: true, id: null }] as unknown as Row[]),
      transaction: () => Promise.reject(new Error('no lock is a transaction')),
      close: () => Promise.resolve(),
      isShared: true,
    };
    const locks = new SharedUploadLocks(new UploadLocks(), database, new RequestRows());
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
      let rows: object[] = [{ is_taken: true, id: null }];
      const database: Database = {
        query: <Row extends object>() => Promise.resolve(rows as Row[]),
        transaction: () => Promise.reject(new Error('no lock is a transaction')),
        close: () => Promise.resolve(),
        isShared: true,
      };
      const lock = new SharedUploadLocks(new UploadLocks(), database, new RequestRows()).newLock(
        'one',
      );
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

  it('is taken with the row of an upload and held until that is finished, as another process sees it then', async () => {
    const database = { ...(await openReadyDatabase()), isShared: true };
    const [member] = await database.query<{ account_id: string; workspace_id: string }>(
      'SELECT account_id, workspace_id FROM workspace_members',
    );
    const processes = [new UploadTable(database), new UploadTable(database)] as const;
    const [here, there] = processes;
    const lockOf = (table: UploadTable): Lock =>
      new SharedUploadLocks(new UploadLocks(), database, table.rows).newLock('one');
    const { signal } = new AbortController();
    const digests = { sha256: 'a'.repeat(64), crc32c: 'b'.repeat(8) };
    let asked = 0;
    let got: Promise<unknown> = Promise.resolve();

    await here.rows.run(async () => {
      await here.add(
        {
          id: 'one',
          accountId: member?.account_id ?? '',
          workspaceId: member?.workspace_id ?? '',
          clientId: 'app',
          clientUploadId: undefined,
          size: 3,
          name: 'one.jpg',
          type: '',
          metadata: {},
          createdAt: new Date(),
        },
        { workspaceBytes: 1e9, unfinishedUploads: 10 },
      );
      const lock = lockOf(here);
      await lock.lock(signal, () => {
        asked += 1;
      });
      got = there.rows.run(async () => {
        const other = lockOf(there);
        await other.lock(signal, () => undefined);
        const row = await there.find('one');
        await other.unlock();
        await there.rows.letGo();
        return row?.sha256;
      });
      await lock.unlock();
      // Longer than a holder takes to see that another one waits: what is left to do is not cut off.
      await new Promise((resolve) => setTimeout(resolve, 400));
      await here.finish('one', digests, new Date());
    });

    expect([await got, asked]).toEqual([digests.sha256, 0]);
    expect(await database.query('SELECT * FROM upload_locks')).toEqual([]);
    await database.close();
  });

  it('is taken and held without a connection to the database', async () => {
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
    const locks = new SharedUploadLocks(new UploadLocks(), database, new RequestRows());
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
