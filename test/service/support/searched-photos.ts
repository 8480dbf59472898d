import type { Queryable } from '../../../service/platform/database/database.js';
import { LOCATION_VERSION } from '../../../service/features/previews/file-location.js';

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
