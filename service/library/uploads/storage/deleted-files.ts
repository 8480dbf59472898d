import type { Database } from '../../../kernel/database/database.js';
import type { UploadStorage } from './upload-storage.js';

/** How many uploads are looked up at once. */
const BATCH = 500;

/** The LIMITs force the query planner to look up single rows; otherwise it may read all uploads. */
const NOTED = `
  SELECT noted.id, held.id IS NOT NULL AS is_back
    FROM (SELECT id FROM discarded_uploads WHERE id > $1 ORDER BY id LIMIT ${BATCH}) AS noted
    LEFT JOIN LATERAL (SELECT id FROM uploads WHERE uploads.id = noted.id LIMIT 1) AS held ON true
   ORDER BY noted.id`;

export interface DiscardDeps {
  readonly database: Database;
  readonly store: Pick<UploadStorage, 'discard' | 'settleDiscards'>;
  readonly reportError: (error: unknown) => void;
}

/**
 * Removes the remaining bytes of uploads whose rows are gone. The database notes the id when it removes the
 * row; the note is deleted here once the bytes are gone, so that interrupted work is done again.
 * Several processes may do it at the same time.
 * @param signal stops it after the current upload.
 */
export async function removeDeletedFiles(
  { database, store, reportError }: DiscardDeps,
  signal?: AbortSignal,
): Promise<void> {
  let last = '';
  for (;;) {
    const batch = await database.query<{ id: string; is_back: boolean }>(NOTED, [last]);
    const gone: string[] = [];
    // An upload that has a row again (from a restored backup) is not touched.
    for (const { id } of batch.filter(({ is_back: isBack }) => !isBack)) {
      if (signal?.aborted === true) {
        break;
      }
      // An upload that the storage fails to remove stays noted; the others are still removed.
      await store.discard(id).then(() => gone.push(id), reportError);
    }
    if (gone.length > 0) {
      await store.settleDiscards();
      await forget(database, gone);
    }
    const end = batch.at(-1);
    if (end === undefined || batch.length < BATCH || signal?.aborted === true) {
      return;
    }
    last = end.id;
  }
}

async function forget(database: Database, ids: readonly string[]): Promise<void> {
  await database.query(
    'DELETE FROM discarded_uploads WHERE id IN (SELECT jsonb_array_elements_text($1::jsonb))',
    [JSON.stringify(ids)],
  );
}
