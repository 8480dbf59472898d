import type { Database } from '../database/database.js';
import type { UploadStorage } from './upload-storage.js';

/** How many uploads are looked up at once. */
const BATCH = 500;

export interface DiscardParts {
  readonly database: Database;
  readonly store: Pick<UploadStorage, 'discard'>;
  readonly reportError: (error: unknown) => void;
}

/**
 * Removes what the storage still has of uploads whose rows are gone. The database notes them with the removal of the
 * row, and forgets them here when their bytes are gone: whatever is cut off is done again.
 * Several processes may do it at the same time.
 * @param signal stops it after the upload at hand.
 */
export async function removeDiscarded(
  { database, store, reportError }: DiscardParts,
  signal?: AbortSignal,
): Promise<void> {
  let last = '';
  for (;;) {
    // One that has a row again (a backup that was put back) is not touched.
    const batch = await database.query<{ id: string }>(
      `SELECT id FROM discarded_uploads AS noted
        WHERE id > $1 AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.id = noted.id)
        ORDER BY id LIMIT ${BATCH}`,
      [last],
    );
    const gone: string[] = [];
    for (const { id } of batch) {
      if (signal?.aborted === true) {
        break;
      }
      // One that the storage does not give up stays noted, and the others go on.
      await store.discard(id).then(() => gone.push(id), reportError);
    }
    await forget(database, gone);
    const end = batch.at(-1);
    if (end === undefined || batch.length < BATCH || signal?.aborted === true) {
      return;
    }
    last = end.id;
  }
}

async function forget(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) {
    await database.query(
      'DELETE FROM discarded_uploads WHERE id IN (SELECT jsonb_array_elements_text($1::jsonb))',
      [JSON.stringify(ids)],
    );
  }
}
