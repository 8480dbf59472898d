import type { Lock, Locker } from '@tus/server';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StoredUpload } from './stored-upload.js';

/** The lock of an upload in the database. */
export interface HeldLock {
  readonly id: string;
  readonly holder: string;
  /** Gives the lock back. */
  release(): Promise<void>;
  /** To be called when another statement has already given the lock back in the database. */
  freed(): Promise<void>;
}

/**
 * The largest upload, in bytes, whose lock is kept until the upload is finished. Reading a larger one takes so long
 * that other requests should not have to wait for it.
 */
const MOST_BYTES_UNDER_LOCK = 64 * 1024 * 1024;

/** What one request remembers of the upload that it works on. */
interface Seen {
  /** Whether no other request can work on the row: this one holds the lock of the upload, or has just added it. */
  isAlone: boolean;
  row: StoredUpload | undefined;
  /** The holder for whom the lock was taken when the row was added, until {@link RequestRows.takeHolder}. */
  holder: string | undefined;
  /** A kept lock that still has to be given back. */
  lock: HeldLock | undefined;
}

/**
 * Remembers, within one request, the row of its upload as it was read under the lock of that upload, so that it is not
 * read several times. What must not depend on an old row (whether an upload is finished, by whom, with what outcome)
 * is decided by the statements that write.
 */
export class RequestRows {
  private readonly current = new AsyncLocalStorage<Seen>();

  /** Runs a request. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const seen: Seen = { isAlone: false, row: undefined, holder: undefined, lock: undefined };
    return this.current.run(seen, work);
  }

  /** The remembered row of this upload, if there is one. */
  get(id: string): StoredUpload | undefined {
    const row = this.current.getStore()?.row;
    return row?.id === id ? row : undefined;
  }

  /** Notes a row that was just read. It is remembered only if no other request can work on it. */
  noteRead(row: StoredUpload | undefined): void {
    const seen = this.current.getStore();
    if (seen?.isAlone === true) {
      seen.row = row;
    }
  }

  /**
   * Notes a row that this request has added.
   * @param holder the holder of its lock, if the same statement took the lock.
   */
  noteAdded(row: StoredUpload, holder?: string): void {
    this.noteLocked(row);
    const seen = this.current.getStore();
    if (seen !== undefined) {
      seen.holder = holder;
    }
  }

  /** Notes the row that was read when its lock was taken. */
  noteLocked(row: StoredUpload | undefined): void {
    const seen = this.current.getStore();
    if (seen !== undefined) {
      seen.isAlone = true;
      seen.row = row;
    }
  }

  /** Whether this runs within a request, which will give back a lock that is taken when a row is added. */
  get areKept(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** The holder for whom the lock of an upload was taken when it was added. Gives it once, then undefined. */
  takeHolder(id: string): string | undefined {
    const seen = this.current.getStore();
    if (seen?.holder === undefined || seen.row?.id !== id) {
      return undefined;
    }
    const { holder } = seen;
    seen.holder = undefined;
    return holder;
  }

  /**
   * Keeps a lock until the upload is finished, which is usually the next step, or until {@link RequestRows.letGo}.
   * @returns whether it is kept; if not, the caller gives it back at once.
   */
  keepLock(lock: HeldLock): boolean {
    const seen = this.current.getStore();
    if (seen?.row?.id !== lock.id || seen.row.size > MOST_BYTES_UNDER_LOCK) {
      return false;
    }
    seen.lock = lock;
    return true;
  }

  /** The kept lock of this upload, if there is one. */
  keptLock(id: string): HeldLock | undefined {
    const lock = this.current.getStore()?.lock;
    return lock?.id === id ? lock : undefined;
  }

  /**
   * Gives back the kept lock, if there is one.
   * @param isFreed whether another statement has already done that in the database.
   */
  async letGo(isFreed = false): Promise<void> {
    const seen = this.current.getStore();
    const lock = seen?.lock;
    if (seen === undefined || lock === undefined) {
      return;
    }
    seen.lock = undefined;
    await (isFreed ? lock.freed() : lock.release());
  }

  /** Forgets the row, which has changed. */
  forget(): void {
    const seen = this.current.getStore();
    if (seen !== undefined) {
      seen.row = undefined;
    }
  }

  /** Wraps a locker, so that rows read while one of its locks is held are remembered. */
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
