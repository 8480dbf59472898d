import { randomUUID } from 'node:crypto';
import { unavailability } from '../../kernel/errors.js';
import type { StoredUpload } from './upload.js';
import type { UnfinishedUploads } from './repository/unfinished-uploads.js';
import type { UploadStorage } from './storage/upload-storage.js';

export interface UploadCleanupDeps {
  readonly unfinished: UnfinishedUploads;
  readonly store: Pick<UploadStorage, 'removeOrphans'>;
  /** Finishes an upload that is complete; does nothing for any other. */
  readonly finishIfComplete: (upload: StoredUpload) => Promise<unknown>;
  readonly reportError: (error: unknown) => void;
}

/** Cleans up abandoned uploads. */
export class UploadCleanup {
  constructor(private readonly deps: UploadCleanupDeps) {}

  /**
   * Finishes uploads whose last byte was received just before the service died. Does nothing while another
   * process is doing it. Call it once after a start; requests may run at the same time.
   */
  async recover(signal: AbortSignal): Promise<void> {
    const { unfinished, finishIfComplete, reportError } = this.deps;
    const holder = randomUUID();
    if (!(await unfinished.claim(holder))) {
      return;
    }
    try {
      for await (const batch of unfinished.all(signal)) {
        for (const upload of batch) {
          if (signal.aborted) {
            return;
          }
          // One file that cannot be read must not keep the others from being finished.
          await finishIfComplete(upload).catch(reportError);
        }
        if (!(await unfinished.claim(holder))) {
          return;
        }
      }
    } finally {
      await unfinished.release(holder);
    }
  }

  /** Removes unfinished uploads for which nothing has come in since `before`; `removeDeletedFiles` removes their bytes. */
  async removeAbandoned(before: Date, signal?: AbortSignal): Promise<void> {
    while (signal?.aborted !== true) {
      const ids = await this.deps.unfinished.removeAbandoned(before);
      if (ids.length === 0) {
        return;
      }
    }
  }

  /**
   * Removes stored uploads without a row that were started before `before`. When the
   * storage does not support that, or does not allow it, the error is reported, and the next run tries again.
   * @throws {UnavailableError} while the storage is away.
   */
  async removeStrays(before: Date, signal?: AbortSignal): Promise<void> {
    const { unfinished, store, reportError } = this.deps;
    const search = { before, unfinished: (ids: readonly string[]) => unfinished.amongst(ids) };
    await store.removeOrphans(search, signal).catch((error: unknown) => {
      if (unavailability(error) !== undefined) {
        throw error;
      }
      reportError(error);
    });
  }
}
