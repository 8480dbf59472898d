import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../service/database/database.js';
import { UnavailableError } from '../../service/errors.js';
import { SharedUploadLocks } from '../../service/uploads/shared-upload-locks.js';
import { UploadLocks } from '../../service/uploads/upload-locks.js';

describe('a lock on an upload', () => {
  it('is given back in this process when the database is away, without an error', async () => {
    let isAway = false;
    const database: Database = {
      query: <Row extends object>() =>
        isAway
          ? Promise.reject(new UnavailableError('away'))
          : Promise.resolve([{ upload_id: 'one' }] as unknown as Row[]),
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
