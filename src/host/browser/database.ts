/**
 * Storage for hosts that have IndexedDB, on idb-keyval. Other scripts of the same origin can read every
 * storage of a browser, so this host is for development and preview (docs/threat-model.md).
 * @packageDocumentation
 */
import crc32c from 'crc-32/crc32c.js';
import { createStore, del, delMany, get, getMany, keys, set } from 'idb-keyval';
import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import { storageTakenOverError } from '../../util/storage-ownership.js';
import type { RecordStore, SecretStore } from '../storage.js';
import type { Spool, SpooledCopy } from '../spool.js';
import { streamChunks } from '../chunks.js';
import { answerOf, StorageRetry } from '../storage-retry.js';
import { Batcher } from './batcher.js';

const databases = {
  secrets: createStore('creative-workspace-secrets', 'values'),
  records: createStore('creative-workspace-records', 'values'),
  spool: createStore('creative-workspace-spool', 'values'),
};

/** Retries operations that the database refuses briefly. */
function createDatabaseRetry(clock: Clock): Record<'run' | 'unlimited', StorageRetry['run']> {
  const retry = new StorageRetry(clock, (error) => isQuotaError(error) || error instanceof CwError);
  return {
    run: (operation) => retry.run(() => answerOf(clock, operation())),
    unlimited: (operation) => retry.run(operation),
  };
}

function isQuotaError(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}

/** Secrets in the browser's database. */
export function createBrowserSecrets(clock: Clock): SecretStore {
  const retry = createDatabaseRetry(clock);
  const failed = (reason: string, cause: unknown): CwError =>
    new CwError('CW-701', reason, { cause });
  return {
    async get(key) {
      try {
        const value = await retry.run(() => get<unknown>(key, databases.secrets));
        return typeof value === 'string' && value !== '' ? value : null;
      } catch (error) {
        throw failed('the secret store cannot be read', error);
      }
    },
    async set(key, value) {
      try {
        await retry.run(() => set(key, value, databases.secrets));
      } catch (error) {
        throw failed('the secret store refused a value', error);
      }
    },
    async remove(key) {
      try {
        await retry.run(() => del(key, databases.secrets));
      } catch (error) {
        throw failed('the secret store kept a value', error);
      }
    },
  };
}

/** The key of the instance of the plugin that owns the records; no photo has such an id. */
const OWNER = '#owner';

/** The parts of IndexedDB's IDBRequest used here. */
interface TableRequest {
  readonly result: unknown;
  onsuccess: (() => void) | null;
}

/** The parts of IndexedDB's IDBObjectStore and IDBTransaction used here. */
interface Table {
  get(key: string): TableRequest;
  getAll(): TableRequest;
  getAllKeys(): TableRequest;
  put(value: string, key: string): unknown;
  delete(key: string): unknown;
  readonly transaction: {
    readonly error: Error | null;
    oncomplete: (() => void) | null;
    onabort: (() => void) | null;
    abort(): void;
  };
}

/** A change of records in a transaction. */
type Change = (table: Table) => void;

/**
 * The durable records in the browser's database.
 * @param instanceId  names this instance of the plugin among others on the same database, such as another tab
 */
export function createBrowserRecords(instanceId: string, clock: Clock): RecordStore {
  const retry = createDatabaseRetry(clock);
  let isLoaded = false;

  const changes = new Batcher<Change, void>(async (all) => {
    await inTransaction(databases.records, (table) => {
      const owner = table.get(OWNER);
      return onSuccess(owner, () => {
        if (owner.result !== instanceId) {
          throw storageTakenOverError();
        }
        for (const make of all) {
          make(table);
        }
      });
    });
    return [];
  });
  const change = async (make: Change): Promise<void> => {
    if (!isLoaded) {
      throw new CwError('CW-702', 'the upload list has not been read yet');
    }
    try {
      await retry.run(() => changes.run(make));
    } catch (error) {
      throw writeError(error);
    }
  };

  return {
    async load() {
      try {
        const records = await retry.run(() => takeOver(instanceId));
        isLoaded = true;
        return records;
      } catch (error) {
        throw readError(error);
      }
    },
    put: (key, value, ...gone) =>
      change((table) => {
        table.put(value, key);
        deleteAll(table, gone);
      }),
    putAll: (written, ...gone) =>
      change((table) => {
        for (const [key, value] of written) {
          table.put(value, key);
        }
        deleteAll(table, gone);
      }),
    remove: (...keys) =>
      change((table) => {
        deleteAll(table, keys);
      }),
    async isOwner() {
      try {
        return (
          isLoaded && (await retry.run(() => get<unknown>(OWNER, databases.records))) === instanceId
        );
      } catch (error) {
        throw readError(error);
      }
    },
  };
}

/** Reads all records and makes this instance of the plugin their owner, in one transaction: both happen or neither. */
async function takeOver(instanceId: string): Promise<ReadonlyMap<string, string>> {
  const records = new Map<string, string>();
  await inTransaction(databases.records, async (table) => {
    const keysRequest = table.getAllKeys();
    const valuesRequest = table.getAll();
    await onSuccess(valuesRequest, () => {
      const values = valuesRequest.result as readonly unknown[];
      for (const [index, key] of (keysRequest.result as readonly unknown[]).entries()) {
        const value = values[index];
        if (typeof key === 'string' && typeof value === 'string' && key !== OWNER) {
          records.set(key, value);
        }
      }
      table.put(instanceId, OWNER);
    });
  });
  return records;
}

/**
 * Runs `work` in a transaction that changes records. Settles when the transaction has ended.
 * @throws {unknown} what `work` throws; then the transaction changes nothing
 * @throws {Error} when a request or the transaction fails
 */
async function inTransaction(
  store: typeof databases.records,
  work: (table: Table) => Promise<void>,
): Promise<void> {
  await store('readwrite', async (objectStore: unknown) => {
    const table = objectStore as Table;
    const { transaction } = table;
    // A failed request aborts its transaction, so these two events cover every end.
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => {
        resolve();
      };
      transaction.onabort = () => {
        reject(transaction.error ?? new Error('the transaction was ended'));
      };
    });
    ended.catch(() => undefined);
    try {
      await Promise.race([ended, work(table)]);
    } catch (error) {
      abort(transaction);
      throw error;
    }
    await ended;
  });
}

/** Undoes what a transaction has changed, if it has not ended. */
function abort(transaction: Table['transaction']): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already.
  }
}

/** Runs `next` when a request has succeeded, while its transaction is still active. @throws {unknown} what it throws */
function onSuccess(request: TableRequest, next: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      try {
        next();
        resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error('the change was refused'));
      }
    };
  });
}

function readError(cause: unknown): CwError {
  return new CwError('CW-702', 'the upload list cannot be read', { cause });
}

function writeError(cause: unknown): CwError {
  return cause instanceof CwError
    ? cause
    : new CwError(isQuotaError(cause) ? 'CW-703' : 'CW-702', 'the upload list cannot be written', {
        cause,
      });
}

function deleteAll(table: Table, keys: readonly string[]): void {
  for (const key of keys) {
    table.delete(key);
  }
}

export interface BrowserSpool extends Spool {
  /**
   * Stores a copy of `file` under `id` in one transaction, and computes its digest in the meantime.
   * @throws {CwError} CW-602 when the file cannot be read, CW-702 when the database refuses it, CW-703 no space
   */
  copy(id: string, file: Blob): Promise<SpooledCopy>;
}

/** Copies of photos in the browser's database. Each is stored whole or is missing. */
export function createBrowserSpool(clock: Clock): BrowserSpool {
  const retry = createDatabaseRetry(clock);

  const reads = new Batcher<string, unknown>((ids) => getMany<unknown>([...ids], databases.spool));

  /** @throws {CwError} CW-607 when it is gone, CW-702 when it cannot be read now */
  const read = async (id: string): Promise<Blob> => {
    let blob: unknown;
    try {
      blob = await retry.run(() => reads.run(id));
    } catch (error) {
      throw new CwError('CW-702', 'the kept copies of photos cannot be read', { cause: error });
    }
    if (!(blob instanceof Blob)) {
      throw new CwError('CW-607', 'the kept copy of a photo is gone');
    }
    return blob;
  };

  return {
    isStreamed: true,
    async open(id) {
      const blob = await read(id);
      return {
        read: (start, end) =>
          end <= blob.size
            ? // A slice has to be registered with the browser first, which takes time: the whole needs none.
              Promise.resolve(end - start === blob.size ? blob : blob.slice(start, end))
            : Promise.reject(
                new CwError('CW-607', 'the kept copy of a photo is shorter than it was'),
              ),
        chunks: (start, end) =>
          streamChunks(end - start === blob.size ? blob : blob.slice(start, end)),
        close: () => Promise.resolve(),
      };
    },
    size: async (id) => (await read(id)).size,
    async remove(...ids) {
      try {
        await retry.run(() => delMany([...ids], databases.spool));
        return [];
      } catch {
        return ids;
      }
    },
    async list() {
      try {
        return await retry.run(() => keys<string>(databases.spool));
      } catch (error) {
        throw new CwError('CW-702', 'the kept copies of photos cannot be listed', { cause: error });
      }
    },
    // A copy is written in one step, and in the database that refuses the records.
    noteIncoming: () => Promise.resolve(),
    listIncoming: () => Promise.resolve([]),
    incomingCopy: () => Promise.resolve(null),
    removeIncoming: () => Promise.resolve(),
    async copy(id, file) {
      try {
        const storing = retry.unlimited(() => set(id, file, databases.spool));
        const [digest] = await Promise.all([crc32cOf(file), storing]);
        return { size: file.size, crc32c: digest };
      } catch (cause) {
        throw copyError(cause);
      }
    },
  };
}

function copyError(cause: unknown): CwError {
  if (isQuotaError(cause)) {
    return new CwError('CW-703', 'no space left to keep a copy of the photo', { cause });
  }
  const isUnreadable =
    cause instanceof Error &&
    ['NotReadableError', 'NotFoundError', 'DataCloneError'].includes(cause.name);
  return isUnreadable
    ? new CwError('CW-602', 'the photo cannot be read', { cause })
    : new CwError('CW-702', 'no copy of a photo can be stored', { cause });
}

/** The digest of a file. Null when it cannot be read to its end; only the database decides whether the copy is good. */
async function crc32cOf(file: Blob): Promise<number | null> {
  let crc = 0;
  let counted = 0;
  try {
    for await (const piece of streamChunks(file)) {
      crc = crc32c.buf(piece, crc);
      counted += piece.length;
    }
  } catch {
    return null;
  }
  return counted === file.size ? crc >>> 0 : null;
}
