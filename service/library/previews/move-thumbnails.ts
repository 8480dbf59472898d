import { randomBytes } from 'node:crypto';
import type { Database } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import type { ThumbnailVariant, UploadStorage } from '../uploads/index.js';

/** How many thumbnails are read and written at a time, of 40 KB at most: few, because requests share the threads that write. */
const BATCH = 4;

export interface MoveDeps {
  readonly database: Pick<Database, 'query'>;
  readonly store: Pick<UploadStorage, 'writePreview'>;
}

/** Where an earlier version of the service kept thumbnails. */
interface Source {
  readonly table: string;
  readonly column: string;
  readonly bytesColumn: string;
  readonly variant: ThumbnailVariant;
}

const SOURCES: readonly Source[] = [
  {
    table: 'thumbnails',
    column: 'picture',
    bytesColumn: 'picture_bytes',
    variant: 'thumbnail',
  },
  {
    table: 'watermarked_pictures',
    column: 'thumbnail',
    bytesColumn: 'thumbnail_bytes',
    variant: 'watermarked-thumbnail',
  },
];

/**
 * Moves the thumbnails that are still in rows into the storage. A thumbnail is stored before its row names it, so it can be shown at
 * any time, and a process that dies leaves work for the next one. Several processes may do this at the same time: each begins
 * elsewhere, and writes the same bytes where they meet. If a thumbnail is made again at the same time, the row has another size,
 * and the thumbnail counts as lost.
 * @throws {UnavailableError} while the storage is away
 */
export async function moveThumbnails(deps: MoveDeps, signal?: AbortSignal): Promise<void> {
  const middle = randomBytes(8).toString('hex');
  for (const source of SOURCES) {
    await moveAfter(middle, source, deps, signal);
    await moveAfter('', source, deps, signal);
  }
}

async function moveAfter(
  start: string,
  { table, column, bytesColumn, variant }: Source,
  { database, store }: MoveDeps,
  signal: AbortSignal | undefined,
): Promise<void> {
  let last = start;
  while (signal?.aborted !== true) {
    const batch = await database.query<{ id: string; picture: string }>(
      `SELECT upload_id AS id, encode(${column}, 'base64') AS picture FROM ${table}
        WHERE ${column} IS NOT NULL AND upload_id COLLATE "C" > $1
        ORDER BY upload_id COLLATE "C" LIMIT ${BATCH}`,
      [last],
    );
    const end = batch.at(-1);
    if (end === undefined) {
      return;
    }
    await Promise.all(
      batch.map(({ id, picture }) =>
        store.writePreview(id, Buffer.from(picture, 'base64'), variant),
      ),
    );
    // The files of a photo that was removed in the meantime are removed later.
    await database.query(
      `WITH gone AS (
         INSERT INTO discarded_uploads (id)
         SELECT id FROM jsonb_array_elements_text($1::jsonb) AS batch (id)
          WHERE (SELECT true FROM uploads WHERE uploads.id = batch.id) IS NULL
         ON CONFLICT DO NOTHING
       )
       UPDATE ${table} SET ${bytesColumn} = octet_length(${column}), ${column} = NULL
        WHERE upload_id = ANY (${idArray('$1')}) AND ${column} IS NOT NULL`,
      [JSON.stringify(batch.map(({ id }) => id))],
    );
    last = end.id;
  }
}
