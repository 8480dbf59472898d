import type { Queryable } from '../../kernel/database/database.js';
import type { UploadStorage } from './storage/upload-storage.js';

/** How many uploads one statement reads or deletes. */
const BATCH = 100;

/** How many uploads a user has, unfinished ones included. */
export async function countUploadsOf(database: Queryable, accountId: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'SELECT count(*) AS count FROM uploads WHERE account_id = $1',
    [accountId],
  );
  return row?.count ?? 0;
}

/**
 * Whether the bytes of at least one of a user's newest finished uploads are in the storage, or there is no finished
 * upload. If none are there, this is the wrong storage.
 */
export async function hasBytesOf(
  database: Queryable,
  storage: UploadStorage,
  accountId: string,
): Promise<boolean> {
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM uploads WHERE account_id = $1 AND finished_at IS NOT NULL
      ORDER BY created_at DESC LIMIT ${BATCH}`,
    [accountId],
  );
  for (const { id } of rows) {
    const found = await storage.received(id).then(
      () => true,
      () => false,
    );
    if (found) {
      return true;
    }
  }
  return rows.length === 0;
}

/** Removes all uploads of a user for good. @returns how many there were. */
export async function removeUploadsOf(
  database: Queryable,
  storage: UploadStorage,
  accountId: string,
): Promise<number> {
  let removed = 0;
  for (;;) {
    // The rows go first, which notes what is to be discarded: after an interruption the service does that.
    const rows = await database.query<{ id: string }>(
      `DELETE FROM uploads
        WHERE id = ANY (ARRAY(SELECT id FROM uploads WHERE account_id = $1 LIMIT ${BATCH}))
        RETURNING id`,
      [accountId],
    );
    if (rows.length === 0) {
      return removed;
    }
    for (const { id } of rows) {
      await storage.discard(id);
    }
    removed += rows.length;
  }
}
