import type { Lock, Locker } from '@tus/server';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StoredUpload } from './stored-upload.js';

/** The lock of an upload in the database. */
export interface HeldLock {
  readonly id: string;
  readonly holder: string;
  /** Gives it back. */
  release(): Promise<void>;
  /** Hears that it was given back with another statement. */
  freed(): Promise<void>;
}

/**
 * How long an upload may be whose lock is kept until it is finished, in bytes: to read a longer one takes so long that
 * others should not wait for it.
 */
const MOST_BYTES_UNDER_LOCK = 64 * 1024 * 1024;

/** The row that one request works on. */
interface Seen {
  /** Whether the request is alone with the row: it holds the lock of its upload, or has just added it. */
  isAlone: boolean;
  row: StoredUpload | undefined;
  /** By which the lock was taken with the addition of the row, until it is asked for. */
  holder: string | undefined;
  /** A lock that is to be given back. */
  lock: HeldLock | undefined;
}

/**
 * Remembers, within one request, the row of its upload as it was read under the lock of that upload: otherwise it would
 * be read several times. What must not rest on an old row (whether an upload is finished, by whom, with what outcome)
 * is decided by the statements that write.
 */
export class RequestRows {
  private readonly current = new AsyncLocalStorage<Seen>();

  /** Runs a request. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const seen: Seen = { isAlone: false, row: undefined, holder: undefined, lock: undefined };
    return this.current.run(seen, work);
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

  /** Takes a row that this request has added; `holder`: by which its lock was taken with it. */
  noteAdded(row: StoredUpload, holder?: string): void {
    this.noteLocked(row);
    const seen = this.current.getStore();
    if (seen !== undefined) {
      seen.holder = holder;
    }
  }

  /** Takes the row that was read when its lock was taken. */
  noteLocked(row: StoredUpload | undefined): void {
    const seen = this.current.getStore();
    if (seen !== undefined) {
      seen.isAlone = true;
      seen.row = row;
    }
  }

  /** Whether somebody will give back a lock that is taken with the addition of a row. */
  get areKept(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** By which the lock of an upload was taken when it was added; told once. */
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
   * Keeps a lock until the upload is finished, which is most often the next thing that happens, or until
   * {@link RequestRows.letGo}.
   * @returns whether it is kept; else it is to be given back at once.
   */
  keepLock(lock: HeldLock): boolean {
    const seen = this.current.getStore();
    if (seen?.row?.id !== lock.id || seen.row.size > MOST_BYTES_UNDER_LOCK) {
      return false;
    }
    seen.lock = lock;
    return true;
  }

  /** The lock of an upload that is kept. */
  keptLock(id: string): HeldLock | undefined {
    const lock = this.current.getStore()?.lock;
    return lock?.id === id ? lock : undefined;
  }

  /** Gives back what is kept; `isFreed`: that was done with another statement. */
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
