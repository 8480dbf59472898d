import { createStore, del, entries, get, keys, set } from 'idb-keyval';
import { CwError } from '../../base/errors.js';
import type { RecordStore, SecretStore, Spool } from '../host.js';

/**
 * Storage for hosts that have IndexedDB, on idb-keyval. A browser has no storage that other scripts of
 * the same origin cannot read; this host is for development and preview (SECURITY.md).
 */
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

export const browserRecords: RecordStore = {
  async load() {
    try {
      const found = await entries<string, unknown>(databases.records);
      return new Map(
        found.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
      );
    } catch (error) {
      throw new CwError('CW-702', 'the upload list cannot be read', { cause: error });
    }
  },
  async put(key, value) {
    try {
      await set(key, value, databases.records);
    } catch (error) {
      throw new CwError(
        isQuotaError(error) ? 'CW-703' : 'CW-702',
        'the upload list cannot be written',
        {
          cause: error,
        },
      );
    }
  },
  async remove(key) {
    try {
      await del(key, databases.records);
    } catch (error) {
      throw new CwError('CW-702', 'the upload list cannot be written', { cause: error });
    }
  },
};

export const browserSpool: Spool = {
  async open(id) {
    const blob = await get<unknown>(id, databases.spool).catch(() => undefined);
    if (!(blob instanceof Blob))
      throw new CwError('CW-607', 'the kept copy of a photo cannot be opened');
    return {
      read: (start, end) =>
        end <= blob.size
          ? Promise.resolve(blob.slice(start, end))
          : Promise.reject(
              new CwError('CW-607', 'the kept copy of a photo is shorter than it was'),
            ),
      close: () => Promise.resolve(),
    };
  },
  remove: (id) => del(id, databases.spool),
  list: () => keys<string>(databases.spool),
};

/** Stores a copy of the bytes of `file` under `id` in one transaction. */
export async function spoolBlob(id: string, file: Blob): Promise<number> {
  try {
    await set(id, file, databases.spool);
    return file.size;
  } catch (error) {
    throw isQuotaError(error)
      ? new CwError('CW-703', 'no space left to keep a copy of the photo', { cause: error })
      : new CwError('CW-602', 'the photo cannot be read', { cause: error });
  }
}
