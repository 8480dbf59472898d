import type { Queryable } from '../database/database.js';
import type { Look } from './look.js';

/**
 * How far the thumbnail of a photo is. `pending`: it may yet be made. `failed`: there will be none.
 */
export type Thumbnail =
  { readonly state: 'pending' | 'failed' } | { readonly state: 'made'; readonly picture: Buffer };

/** How often a thumbnail is tried at whose making something ended the whole service. */
const MAX_ATTEMPTS = 3;

/** Uploads that one statement looks through for photos without a thumbnail. */
const PART = 500;

/** Some of the photos that nobody has looked at. */
export interface Unseen {
  readonly ids: readonly string[];
  /** Where to go on; undefined at the end. */
  readonly last: string | undefined;
}

/** The thumbnails that the service has made, and who is at work at which. */
export class ThumbnailTable {
  constructor(private readonly database: Queryable) {}

  async find(id: string, now: Date): Promise<Thumbnail> {
    const [row] = await this.database.query<{
      state: 'none' | 'made' | 'failed';
      is_over: boolean;
      picture: string | null;
    }>(
      `SELECT state, encode(picture, 'base64') AS picture,
              attempts >= ${MAX_ATTEMPTS} AND lease_until < $2 AS is_over
         FROM thumbnails WHERE upload_id = $1`,
      [id, now],
    );
    if (row === undefined || row.state === 'none') {
      return { state: row?.is_over === true ? 'failed' : 'pending' };
    }
    return row.state === 'failed' || row.picture === null
      ? { state: 'failed' }
      : { state: 'made', picture: Buffer.from(row.picture, 'base64') };
  }

  /**
   * Takes the making of a thumbnail upon itself until `until`.
   * @returns the size of the file in bytes; undefined when it is done, or somebody else is at it, or the photo is gone.
   */
  async claim(id: string, now: Date, until: Date): Promise<number | undefined> {
    const [row] = await this.database.query<{ size: number | string }>(
      `INSERT INTO thumbnails (upload_id, attempts, lease_until)
       SELECT id, 1, $3 FROM uploads WHERE id = $1 AND finished_at IS NOT NULL
       ON CONFLICT (upload_id) DO UPDATE
          SET attempts = thumbnails.attempts + 1, lease_until = excluded.lease_until
        WHERE thumbnails.state = 'none' AND thumbnails.lease_until < $2
          AND thumbnails.attempts < ${MAX_ATTEMPTS}
       RETURNING (SELECT size FROM uploads WHERE id = upload_id) AS size`,
      [id, now, until],
    );
    return row && Number(row.size);
  }

  /** Notes what was found out. Where there is no picture, there will be none. */
  async keep(id: string, { width, height, capturedAt, picture }: Look): Promise<void> {
    await this.database.query(
      `WITH told AS (
         UPDATE uploads SET width = $2, height = $3, captured_at = $4
          WHERE id = $1 AND ($2::integer IS NOT NULL OR $4::text IS NOT NULL)
       )
       UPDATE thumbnails
          SET state = CASE WHEN $5::text IS NULL THEN 'failed' ELSE 'made' END,
              picture = decode($5::text, 'base64'), lease_until = NULL
        WHERE upload_id = $1 AND state = 'none'`,
      [id, width ?? null, height ?? null, capturedAt ?? null, picture ?? null],
    );
  }

  /** Gives back what could not be tried, to be tried again at `from`. */
  async giveBack(id: string, from: Date): Promise<void> {
    await this.database.query(
      `UPDATE thumbnails SET attempts = attempts - 1, lease_until = $2
        WHERE upload_id = $1 AND state = 'none'`,
      [id, from],
    );
  }

  /** Looks through a part of the photos, in the order of their ids, for those that nobody has looked at. */
  async unseen(after: string): Promise<Unseen> {
    const [row] = await this.database.query<{ ids: string[] | null; last: string | null }>(
      `WITH part AS (
         SELECT id, finished_at IS NOT NULL AND trashed_at IS NULL AS is_shown
           FROM uploads WHERE id > $1 ORDER BY id LIMIT ${PART}
       )
       SELECT (SELECT max(id) FROM part) AS last, json_agg(id ORDER BY id) AS ids FROM part
        WHERE is_shown AND NOT EXISTS (
          SELECT 1 FROM thumbnails
           WHERE upload_id = part.id AND (state <> 'none' OR attempts >= ${MAX_ATTEMPTS})
        )`,
      [after],
    );
    return { ids: row?.ids ?? [], last: row?.last ?? undefined };
  }
}
