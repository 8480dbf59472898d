import type { Database } from '../database/database.js';
import { prepared } from '../database/prepared.js';
import { SOON } from '../database/soon.js';
import type { Photo } from '../photos/photo.js';
import { LONG_AGO, ONE_PHOTO, toPhoto, type PhotoRow } from '../photos/photo-table.js';
import type { Look } from './look.js';

/** The state of a photo's thumbnail. `pending`: it may still be made. `failed`: there will be none. */
export type Thumbnail =
  | { readonly state: 'pending' }
  | { readonly state: 'failed' }
  | { readonly state: 'made'; readonly picture: Buffer };

/** How often a thumbnail is tried, when the attempts before ended the whole service. */
const MAX_ATTEMPTS = 3;

/** How many photos without a thumbnail one query returns. */
const PART = 500;

interface ThumbnailRow {
  /** Null when the photo has no row yet. */
  state: 'none' | 'made' | 'failed' | null;
  is_over: boolean | null;
  picture: string | null;
}

const FIND = prepared(
  `SELECT shown.*, state, encode(picture, 'base64') AS picture,
          attempts >= ${MAX_ATTEMPTS} AND lease_until < $3 AS is_over
     FROM (${ONE_PHOTO}) AS shown LEFT JOIN thumbnails ON upload_id = shown.id`,
);

/*
 * A crash of the database may lose what these wrote in the last half second: then it is done again.
 */
const CLAIM = prepared(
  `${SOON}
   UPDATE thumbnails SET attempts = attempts + 1, lease_until = $3
     FROM soon CROSS JOIN uploads
    WHERE upload_id = $1 AND uploads.id = $1 AND state = 'none' AND lease_until < $2
      AND attempts < ${MAX_ATTEMPTS}
   RETURNING size`,
);
const KEEP = prepared(
  `${SOON}, told AS (
     UPDATE uploads SET width = $2, height = $3, captured_at = $4
      WHERE id = $1 AND ($2::integer IS NOT NULL OR $4::text IS NOT NULL)
   )
   UPDATE thumbnails
      SET state = CASE WHEN $5::text IS NULL THEN 'failed' ELSE 'made' END,
          picture = decode($5::text, 'base64'), lease_until = NULL
     FROM soon WHERE upload_id = $1 AND state = 'none'`,
);

/**
 * Reads an index that holds only these rows, however many others there are. The planner is forced to use it: only this
 * index gives the order, and {@link IN_THE_ORDER_OF_AN_INDEX} runs before. Otherwise it may read all thumbnails, if the
 * statistics are from a time when there was much to do, or if the index has grown larger than the table.
 */
const UNSEEN = prepared(
  `SELECT upload_id AS id FROM thumbnails JOIN uploads ON uploads.id = upload_id
    WHERE state = 'none' AND lease_until < $1 AND attempts < ${MAX_ATTEMPTS} AND trashed_at IS NULL
    ORDER BY upload_id COLLATE "C" LIMIT ${PART}`,
);

/** Makes the planner read rows in the order of an index, for the rest of the transaction. */
const IN_THE_ORDER_OF_AN_INDEX = prepared(
  `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`,
);

/**
 * The thumbnails that the service has made, and which of them are being made. The database makes the row of a photo
 * when the photo has arrived.
 */
export class ThumbnailTable {
  constructor(private readonly database: Database) {}

  /** A photo that has arrived, even if it is in the trash, and its thumbnail. */
  async find(
    id: string,
    now: Date,
  ): Promise<{ readonly photo: Photo; readonly thumbnail: Thumbnail } | undefined> {
    const [row] = await this.database.query<PhotoRow & ThumbnailRow>(FIND, [id, LONG_AGO, now]);
    return row && { photo: toPhoto(row), thumbnail: toThumbnail(row) };
  }

  /**
   * Claims the making of a thumbnail until `until`.
   * @returns the size of the file in bytes; undefined when there is nothing to make, somebody else is making it, or the
   *   photo is gone.
   */
  async claim(id: string, now: Date, until: Date): Promise<number | undefined> {
    const [row] = await this.database.query<{ size: number | string }>(CLAIM, [id, now, until]);
    return row && Number(row.size);
  }

  /** Notes what was found out. Without a picture, the thumbnail counts as failed. */
  async keep(id: string, { width, height, capturedAt, picture }: Look): Promise<void> {
    await this.database.query(KEEP, [
      id,
      width ?? null,
      height ?? null,
      capturedAt ?? null,
      picture ?? null,
    ]);
  }

  /** Gives back a claim that could not be tried; it can be tried again from `from` on. */
  async giveBack(id: string, from: Date): Promise<void> {
    await this.database.query(
      `UPDATE thumbnails SET attempts = attempts - 1, lease_until = $2
        WHERE upload_id = $1 AND state = 'none'`,
      [id, from],
    );
  }

  /** The ids of some photos that were not looked at yet and are not claimed; none when there are no more. */
  async unseen(now: Date): Promise<string[]> {
    const rows = await this.database.transaction(async (transaction) => {
      await transaction.query(IN_THE_ORDER_OF_AN_INDEX);
      return transaction.query<{ id: string }>(UNSEEN, [now]);
    });
    return rows.map(({ id }) => id);
  }
}

function toThumbnail({ state, is_over: isOver, picture }: ThumbnailRow): Thumbnail {
  if (state === null || state === 'none') {
    return { state: isOver === true ? 'failed' : 'pending' };
  }
  return state === 'failed' || picture === null
    ? { state: 'failed' }
    : { state: 'made', picture: Buffer.from(picture, 'base64') };
}
