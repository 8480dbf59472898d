import type { Lock, Locker } from '@tus/server';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StoredUpload } from './stored-upload.js';

/** The row that one request works on. */
interface Seen {
  /** Whether the request is alone with the row: it holds the lock of its upload, or has just added it. */
  isAlone: boolean;
  row: StoredUpload | undefined;
}

/**
 * Remembers, within one request, the row of its upload as it was read under the lock of that upload: it would be
 * read several times else. What must not rest on an old row (whether an upload is finished, by whom, with what
 * outcome) is decided by the statements that write.
 */
export class RequestRows {
  private readonly current = new AsyncLocalStorage<Seen>();

  /** Runs a request. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.current.run({ isAlone: false, row: undefined }, work);
  }

  /** The row that was read before. */
  get(id: string): StoredUpload | undefined {
    const row = this.current.getStore()?.row;
    return row?.id === id ? row : undefined;
  }

  /** Takes a row that was read just now; it is remembered only by who is alone with it. */
  noteRead(row: StoredUpload | undefined): void {
    const seen = this.current.getStore();
    if (seen?.isAlone === true) {
      seen.row = row;
    }
  }

  /** Takes a row that this request has added. */
  noteAdded(row: StoredUpload): void {
    const seen = this.current.getStore();
    if (seen !== undefined) {
      seen.isAlone = true;
      seen.row = row;
    }
  }

  /** Forgets the row, which has changed. */
  forget(): void {
    const seen = this.current.getStore();
    if (seen !== undefined) {
      seen.row = undefined;
    }
  }

  /** The same locks; a row that is read under one of them is remembered. */
  watching(locker: Locker): Locker {
    return {
      newLock: (id) => {
        const lock: Lock = locker.newLock(id);
        return {
          lock: async (signal, requestRelease) => {
            await lock.lock(signal, requestRelease);
            const seen = this.current.getStore();
            if (seen !== undefined) {
              seen.isAlone = true;
            }
          },
          unlock: () => lock.unlock(),
        };
      },
    };
  }
}
