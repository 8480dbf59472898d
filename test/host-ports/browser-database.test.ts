import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBrowserRecords } from '../../src/host/browser/database.js';
import type { RecordStore } from '../../src/host/storage.js';
import { hurriedClock } from './implementations.js';

let records: RecordStore;
beforeEach(async () => {
  records = createBrowserRecords(String(Math.random()), hurriedClock());
  for (const key of (await records.load()).keys()) await records.remove(key);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Does something after the first write of one key. */
function breakOnce(key: string, fault: (store: IDBObjectStore) => void): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its store
  const { put } = IDBObjectStore.prototype;
  let isBroken = false;
  jest.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
    this: IDBObjectStore,
    value: unknown,
    written?: IDBValidKey,
  ) {
    const request = put.call(this, value, written);
    if (written === key && !isBroken) {
      isBroken = true;
      fault(this);
    }
    return request;
  });
}

describe('changes of one turn in the database of a browser', () => {
  it.each<[string, (store: IDBObjectStore) => void]>([
    ['the transaction is aborted', (store) => store.transaction.abort()],
    [
      'a write is refused',
      () => {
        throw new Error('refused');
      },
    ],
    [
      'the browser closes the connection',
      ({ transaction }) => {
        transaction.db.close();
        transaction.db.onclose?.(new Event('close'));
        transaction.abort();
      },
    ],
  ])('are all stored, and each is settled, when %s', async (_what, fault) => {
    // The last one: only the end of the transaction shows it.
    breakOnce('c', fault);
    await Promise.all(['a', 'b', 'c'].map((key) => records.put(key, `value of ${key}`)));
    await records.put('d', 'later');
    jest.restoreAllMocks();
    expect([...(await records.load()).keys()].sort()).toEqual(['a', 'b', 'c', 'd']);
  });
});
