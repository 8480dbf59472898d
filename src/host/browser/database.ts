/**
 * Storage for hosts that have IndexedDB, on idb-keyval. Other scripts of the same origin can read every
 * storage of a browser, so this host is for development and preview (SECURITY.md).
 * @packageDocumentation
 */
import crc32c from 'crc-32/crc32c.js';
import { createStore, del, delMany, entries, get, keys, set } from 'idb-keyval';
import { CwError } from '../../base/errors.js';
import { supersededError } from '../../base/superseded.js';
import type { RecordStore, SecretStore, Spool, SpooledCopy } from '../host.js';
import { streamPieces } from '../pieces.js';

const databases = {
  secrets: createStore('creative-workspace-secrets', 'values'),
  records: createStore('creative-workspace-records', 'values'),
  spool: createStore('creative-workspace-spool', 'values'),
};

function isQuotaError(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}

export const browserSecrets: SecretStore = {
  async get(key) {
    try {
      const value = await get<unknown>(key, databases.secrets);
      return typeof value === 'string' && value !== '' ? value : null;
    } catch (error) {
      throw new CwError('CW-701', 'the secret store cannot be read', { cause: error });
    }
  },
  async set(key, value) {
    try {
      await set(key, value, databases.secrets);
    } catch (error) {
      throw new CwError('CW-701', 'the secret store refused a value', { cause: error });
    }
  },
  async remove(key) {
    try {
      await del(key, databases.secrets);
    } catch (error) {
      throw new CwError('CW-701', 'the secret store kept a value', { cause: error });
    }
  },
};

/** Under this key stands the copy of the plugin that owns the records; no photo has such an id. */
const OWNER = '#owner';

/** The parts of IndexedDB's IDBObjectStore, IDBRequest and IDBTransaction used here. */
interface Table {
  get(key: string): { readonly result: unknown; onsuccess: (() => void) | null };
  put(value: string, key: string): unknown;
  delete(key: string): unknown;
  readonly transaction: {
    readonly error: Error | null;
    oncomplete: (() => void) | null;
    onabort: (() => void) | null;
  };
}

/**
 * The durable records in the browser's database.
 * @param copyId  names this copy of the plugin among others on the same database, such as another tab
 */
export function createBrowserRecords(copyId: string): RecordStore {
  let claimed = false;

  const claim = async (): Promise<void> => {
    if (claimed) {
      return;
    }
    await set(OWNER, copyId, databases.records);
    claimed = true;
  };

  const change = async (make: (table: Table) => void): Promise<void> => {
    try {
      await claim();
      await databases.records('readwrite', (store: unknown) =>
        changeAsOwner(store as Table, copyId, make),
      );
    } catch (error) {
      throw writeError(error);
    }
  };

  return {
    async load() {
      try {
        claimed = false;
        await claim();
        return recordsAmong(await entries<string, unknown>(databases.records));
      } catch (error) {
        throw new CwError('CW-702', 'the upload list cannot be read', { cause: error });
      }
    },
    put: (key, value, ...gone) =>
      change((table) => {
        table.put(value, key);
        deleteAll(table, gone);
      }),
    remove: (...keys) =>
      change((table) => {
        deleteAll(table, keys);
      }),
    async isOurs() {
      if (!claimed) {
        return true;
      }
      try {
        return (await get<unknown>(OWNER, databases.records)) === copyId;
      } catch (error) {
        throw new CwError('CW-702', 'the upload list cannot be read', { cause: error });
      }
    },
  };
}

function writeError(cause: unknown): CwError {
  return cause instanceof CwError
    ? cause
    : new CwError(isQuotaError(cause) ? 'CW-703' : 'CW-702', 'the upload list cannot be written', {
        cause,
      });
}

function recordsAmong(found: readonly (readonly [string, unknown])[]): Map<string, string> {
  return new Map(
    found.flatMap(([key, value]) =>
      typeof value === 'string' && key !== OWNER ? [[key, value]] : [],
    ),
  );
}

function deleteAll(table: Table, keys: readonly string[]): void {
  for (const key of keys) {
    table.delete(key);
  }
}

/**
 * Makes a change in the transaction of `table`, if this copy owns the records.
 * @throws {CwError} CW-704 when another copy does
 * @throws {Error} when the change or its transaction fails
 */
function changeAsOwner(table: Table, copyId: string, make: (table: Table) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const { transaction } = table;
    // A failed request aborts its transaction, so these two events cover every end.
    transaction.oncomplete = () => {
      resolve();
    };
    transaction.onabort = () => {
      reject(transaction.error ?? new Error('the transaction was ended'));
    };
    const owner = table.get(OWNER);
    owner.onsuccess = () => {
      try {
        if (owner.result !== copyId) {
          throw supersededError();
        }
        make(table);
      } catch (error) {
        reject(error instanceof Error ? error : new Error('the change was refused'));
      }
    };
  });
}

export const browserSpool: Spool = {
  isStreamed: true,
  async open(id) {
    const blob = await get<unknown>(id, databases.spool).catch(() => undefined);
    if (!(blob instanceof Blob)) {
      throw new CwError('CW-607', 'the kept copy of a photo cannot be opened');
    }
    return {
      read: (start, end) =>
        end <= blob.size
          ? // A slice has to be registered with the browser first, which takes time: the whole needs none.
            Promise.resolve(end - start === blob.size ? blob : blob.slice(start, end))
          : Promise.reject(
              new CwError('CW-607', 'the kept copy of a photo is shorter than it was'),
            ),
      pieces: (start, end) =>
        streamPieces(end - start === blob.size ? blob : blob.slice(start, end)),
      close: () => Promise.resolve(),
    };
  },
  remove: (...ids) => delMany([...ids], databases.spool),
  list: () => keys<string>(databases.spool),
};

/**
 * Stores a copy of `file` under `id` in one transaction, and computes its digest meanwhile.
 * @throws {CwError} CW-602 unreadable, CW-703 no space
 */
export async function spoolBlob(id: string, file: Blob): Promise<SpooledCopy> {
  try {
    const [crc32c] = await Promise.all([crc32cOf(file), set(id, file, databases.spool)]);
    return { size: file.size, crc32c };
  } catch (error) {
    throw isQuotaError(error)
      ? new CwError('CW-703', 'no space left to keep a copy of the photo', { cause: error })
      : new CwError('CW-602', 'the photo cannot be read', { cause: error });
  }
}

/** The digest of a file. Null when it cannot be read to its end; only the database decides whether the copy is good. */
async function crc32cOf(file: Blob): Promise<number | null> {
  let crc = 0;
  let counted = 0;
  try {
    for await (const piece of streamPieces(file)) {
      crc = crc32c.buf(piece, crc);
      counted += piece.length;
    }
  } catch {
    return null;
  }
  return counted === file.size ? crc >>> 0 : null;
}
