import type { Queryable } from '../../../kernel/database/database.js';
import {
  WorkQueue,
  type Ended,
  type TakenRow,
  type WorkQueueDeps,
  type WorkTable,
} from '../../../kernel/jobs/work-queue.js';
import { lineAbout } from '../../../kernel/log.js';
import type { UploadStorage } from './upload-storage.js';

const MINUTE_MS = 60_000;

const QUEUE: WorkTable = {
  table: 'discarded_uploads',
  // The LIMIT forces the query planner to look up single rows; otherwise it may read all uploads.
  columns: `discarded_uploads.id, attempts, EXISTS (
    SELECT 1 FROM uploads WHERE uploads.id = discarded_uploads.id LIMIT 1) AS "isBack"`,
  batch: 500,
  leaseMs: 5 * MINUTE_MS,
  retryMs: [1, 5, 15, 60, 360].map((minutes) => minutes * MINUTE_MS),
};

interface NotedRow extends TakenRow {
  /** Whether the upload has a row again, from a restored backup. Its bytes are not touched. */
  readonly isBack: boolean;
}

export interface DiscardDeps extends WorkQueueDeps {
  readonly store: Pick<UploadStorage, 'discard' | 'settleDiscards'>;
  readonly reportError: (error: unknown) => void;
}

/** Notes that what the storage has of an upload is to be removed: its row went while something was written. */
export async function queueDeletion(queryable: Queryable, id: string): Promise<void> {
  await queryable.query('INSERT INTO discarded_uploads (id) VALUES ($1) ON CONFLICT DO NOTHING', [
    id,
  ]);
}

/**
 * Removes the remaining bytes of uploads whose rows are gone. The database notes the id when it removes the
 * row; the note is deleted here once the bytes are gone, so that interrupted work is done again.
 * @param signal stops it after the current upload.
 */
export async function removeDeletedFiles(deps: DiscardDeps, signal?: AbortSignal): Promise<void> {
  const { database, store, reportError } = deps;
  const queue = new WorkQueue<NotedRow>(QUEUE, deps);
  await queue.run(async (rows) => {
    const ended: Ended<NotedRow>[] = [];
    for (const row of rows) {
      if (signal?.aborted === true) {
        break;
      }
      // An upload that the storage fails to remove stays noted; the others are still removed.
      const failure = row.isBack
        ? 'the upload is back'
        : await store.discard(row.id).catch((error: unknown) => {
            reportError(error);
            return lineAbout(error);
          });
      ended.push({ row, isDone: failure === undefined, failure: failure ?? undefined });
    }
    await store.settleDiscards();
    await queue.end(database, ended);
    return true;
  }, signal);
}
