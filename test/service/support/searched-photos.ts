import type { Queryable } from '../../../service/kernel/database/database.js';
import { LOCATION_VERSION } from '../../../service/library/previews/file-location.js';

/**
 * Notes that the picture process has done its work for photos whose rows a test has inserted: there is no picture and no
 * location. So it does not search for their bytes, and links send them.
 * @param ids a pattern of `LIKE`
 */
export async function markAsSearched(database: Queryable, ids = '%'): Promise<void> {
  const location = { kind: 'searched', hasLocation: false, patches: [] };
  await database.query(
    `UPDATE thumbnails SET state = 'failed', lease_until = NULL, location = $2::jsonb, location_version = $3
      WHERE upload_id LIKE $1`,
    [ids, JSON.stringify(location), LOCATION_VERSION],
  );
}

/** Resolves when the picture process has searched a file that was sent. Until then its result may come at any time. */
export async function untilSearched(database: Queryable, id: string): Promise<void> {
  const isSearched = async (): Promise<boolean> => {
    const sql = 'SELECT 1 FROM thumbnails WHERE upload_id = $1 AND location IS NOT NULL';
    return (await database.query(sql, [id])).length > 0;
  };
  while (!(await isSearched())) await new Promise((resolve) => setTimeout(resolve, 20));
}
