import type { Queryable } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';
import type { PreviewVariant, Variant } from '../uploads/index.js';

/** A picture of an upload that the storage should have. */
export interface StoredPicture {
  readonly variant: Variant<PreviewVariant>;
  /** In bytes. */
  readonly size: number;
}

const FIND = prepared(
  `SELECT variant, page, size FROM (
     SELECT 'preview' AS variant, NULL::integer AS page, preview_bytes AS size FROM uploads WHERE id = $1
     UNION ALL SELECT 'frames', NULL, frames_bytes FROM uploads WHERE id = $1
     UNION ALL SELECT 'poster', NULL, poster_bytes FROM uploads WHERE id = $1
     UNION ALL SELECT 'thumbnail', NULL, picture_bytes FROM thumbnails WHERE upload_id = $1
     UNION ALL SELECT 'watermarked', NULL, preview_bytes FROM watermarked_pictures WHERE upload_id = $1
     UNION ALL SELECT 'watermarked-thumbnail', NULL, thumbnail_bytes FROM watermarked_pictures WHERE upload_id = $1
     UNION ALL SELECT CASE WHEN is_marked THEN 'watermarked' ELSE 'preview' END, page, preview_bytes
                 FROM page_pictures WHERE upload_id = $1
     UNION ALL SELECT CASE WHEN is_marked THEN 'watermarked-thumbnail' ELSE 'thumbnail' END, page, thumbnail_bytes
                 FROM page_pictures WHERE upload_id = $1
   ) AS pictures WHERE size IS NOT NULL`,
);

/** The pictures of an upload and of its pages that the storage should have. */
export async function storedPictures(
  database: Queryable,
  uploadId: string,
): Promise<readonly StoredPicture[]> {
  const rows = await database.query<{ variant: PreviewVariant; page: number | null; size: number }>(
    FIND,
    [uploadId],
  );
  return rows.map(({ variant, page, size }) => ({
    variant: page === null ? variant : { page, as: variant },
    size,
  }));
}
