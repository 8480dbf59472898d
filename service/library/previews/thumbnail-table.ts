import type { Database } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import { prepared } from '../../kernel/database/prepared.js';
import { ASYNC_COMMIT } from '../../kernel/database/async-commit.js';
import { queueDeletion, type ThumbnailVariant, type UploadStorage } from '../uploads/index.js';
import { LOCATION_VERSION, toSentLocation, type FileLocation } from './file-location.js';
import { hasZone, IMAGE_WORKER_VERSION, type ImageInfo, type Pictures } from './image-info.js';
import { searchedTexts } from './picture-info.js';

/**
 * A thumbnail: how many bytes it has in the storage, or the bytes while they are still in the row of an earlier version of the
 * service, see `move-thumbnails.ts`.
 */
export type ThumbnailPicture = { readonly size: number } | Buffer;

/** The state of a photo's thumbnail. `pending`: it may still be made. `failed`: there will be none. */
export type Thumbnail =
  | {
      readonly state: 'pending' | 'failed';
      /** The thumbnail that was made before, if the preview was lost. */
      readonly picture: ThumbnailPicture | undefined;
    }
  | { readonly state: 'made'; readonly picture: ThumbnailPicture };

/** A photo with work left. */
export interface PendingPhoto {
  readonly id: string;
  readonly workspaceId: string;
}

/** Who uploaded a file, with which app. */
interface Uploader {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly clientId: string;
}

/** How often a file is tried, when the attempts before ended its process or the whole service. */
export const MAX_ATTEMPTS = 3;

/** What is left to do for a photo. */
export interface ClaimedPhoto {
  /** In bytes. */
  readonly size: number;
  /** How often it has been tried, this time included. */
  readonly attempts: number;
  readonly needsPictures: boolean;
  /** The location that was found before; undefined when it is to be searched. */
  readonly location: { readonly hasLocation: boolean } | undefined;
  /** How many bytes the poster has that the app sent. */
  readonly posterBytes: number | undefined;
}

/** How the work on a file was done. */
export interface WorkDone {
  /** Of the poster that was there when the work began. */
  readonly posterBytes?: number | undefined;
  /** Whether it is a film, and there was no ffmpeg. */
  readonly lacksFfmpeg?: boolean;
}

/** The location in a file of unknown kind. */
const OF_UNKNOWN_KIND: FileLocation = { kind: 'unsearchable', reason: 'unknown-kind' };

/** How long one attempt may take, fetching included, before another service may try, in milliseconds. */
export const LEASE_MS = 300_000;

/** A lease that ends later than this was taken while the clock was ahead, and is over. */
const LATEST_LEASE = `interval '${2 * LEASE_MS} milliseconds'`;

/** SQL: whether the lease on a photo is over at the time `now`. */
function leaseIsOver(now: `$${number}`): string {
  return `(lease_until < ${now} OR lease_until > ${now}::timestamptz + ${LATEST_LEASE})`;
}

/** SQL: whether a photo is given up at the time `now`: its attempts ended the service. */
export function isGivenUp(now: `$${number}`): string {
  return `(attempts >= ${MAX_ATTEMPTS} AND image_worker_version >= ${IMAGE_WORKER_VERSION} AND ${leaseIsOver(now)})`;
}

/** How many photos with work left one query returns, and of how many workspaces. */
const BATCH_SIZE = 500;
const MAX_WORKSPACES = 100;

/** How many photos that an earlier version tried are tried again at a time. */
const RETRY_BATCH_SIZE = 500;

/** How much of the texts of a picture a search looks through, in characters. */
const MAX_SEARCH_TEXT = 4000;

/** Added to the version of pictures that are made of a poster of the app: an address of a picture never changes its bytes. */
const WITH_POSTER = 1000;

/** In the place of a version: a film that was read where there was no ffmpeg. */
const WITHOUT_FFMPEG = -1;

/** SQL: the version that is noted at the end of work. */
function versionAt(lacksFfmpeg: `$${number}`): string {
  return `CASE WHEN ${lacksFfmpeg}::boolean THEN ${WITHOUT_FFMPEG} ELSE ${IMAGE_WORKER_VERSION} END`;
}

/** SQL: the state that work on pictures leads to. A poster that came in between needs work again. */
function unlessPosterCame(state: 'made' | 'failed', posterBytes: `$${number}`): string {
  return `CASE WHEN poster_bytes IS NOT DISTINCT FROM ${posterBytes} THEN '${state}' ELSE 'none' END`;
}

/** The columns that {@link withThumbnails} adds to the row of a photo. */
export interface ThumbnailRow {
  /** Null when the photo has no row yet. */
  state: 'none' | 'made' | 'failed' | null;
  is_over: boolean | null;
  picture: string | null;
  picture_bytes: number | null;
}

/**
 * A query for photos with their thumbnails, see {@link ThumbnailRow}. `$3` is the time.
 * @param photos a query for photos, with their `id`; it has the parameters `$1` and `$2`.
 */
export function withThumbnails(photos: string): string {
  return `SELECT shown.*, state, encode(picture, 'base64') AS picture, picture_bytes,
          ${isGivenUp('$3')} AS is_over
     FROM (${photos}) AS shown LEFT JOIN thumbnails ON upload_id = shown.id`;
}

/*
 * A crash of the database may lose what these wrote in the last half second: then it is done again.
 */
const CLAIM = prepared(
  `${ASYNC_COMMIT}
   UPDATE thumbnails SET lease_until = $3, image_worker_version = ${IMAGE_WORKER_VERSION},
          state = CASE WHEN state = 'failed' AND image_worker_version < ${IMAGE_WORKER_VERSION} THEN 'none' ELSE state END,
          attempts = CASE WHEN image_worker_version < ${IMAGE_WORKER_VERSION} THEN 1 ELSE attempts + 1 END
     FROM soon CROSS JOIN uploads
    WHERE upload_id = $1 AND uploads.id = $1 AND (lease_until IS NULL OR ${leaseIsOver('$2')})
      AND (location IS NULL OR location_version < ${LOCATION_VERSION} OR ($4::boolean AND state = 'none'))
      AND (attempts < ${MAX_ATTEMPTS} OR image_worker_version < ${IMAGE_WORKER_VERSION})
   RETURNING size, attempts, state, poster_bytes, location_version >= ${LOCATION_VERSION} AS is_located,
             location->'hasLocation' = 'true' AS has_location`,
);
const SAVE_LOCATION = prepared(
  `${ASYNC_COMMIT}
   UPDATE thumbnails SET location = $2::jsonb, location_version = ${LOCATION_VERSION}
     FROM soon WHERE upload_id = $1`,
);
/** Notes that nothing is left to do for a photo. */
const FINISH = prepared(
  `${ASYNC_COMMIT}
   UPDATE thumbnails SET attempts = 0, lease_until = NULL FROM soon WHERE upload_id = $1 AND state <> 'none'`,
);
/**
 * Notes of files that their kind is unknown. Rows that another process locks are left out: it claims or removes them, and
 * two such statements would wait for each other. Not prepared: a plan from the time when the table was small would read
 * all of it later.
 */
const RECORD_UNKNOWN_KIND = `${ASYNC_COMMIT}
   UPDATE thumbnails
      SET state = CASE WHEN state = 'none' THEN 'failed' ELSE state END, attempts = 0, lease_until = NULL,
          image_worker_version = ${IMAGE_WORKER_VERSION}, location = $2::jsonb, location_version = ${LOCATION_VERSION}
     FROM soon
    WHERE upload_id = ANY (ARRAY(
            SELECT upload_id FROM thumbnails
             WHERE upload_id = ANY (${idArray('$1')}) FOR UPDATE SKIP LOCKED))`;
const SAVE_FACTS = prepared(
  `${ASYNC_COMMIT}
   UPDATE uploads SET width = $2, height = $3, captured_at = $4, taken_at = COALESCE($5, finished_at),
          picture_info = $6::jsonb, search_text = left(search_form(name || E'\\n' || $7::text), ${MAX_SEARCH_TEXT}),
          media_type = $8, media_info = $9::jsonb
     FROM soon WHERE id = $1`,
);
/** Like the removal of a photo, this locks the row in `uploads` first. */
const RECORD_PICTURES = prepared(
  `${ASYNC_COMMIT}, shown AS (
     UPDATE uploads SET preview_width = $3, preview_height = $4, preview_bytes = $5,
            preview_version = CASE WHEN $7::integer IS NULL THEN 0 ELSE ${WITH_POSTER} END + ${IMAGE_WORKER_VERSION},
            frames_bytes = $6
      WHERE id = $1 RETURNING id, poster_bytes
   )
   UPDATE thumbnails
      SET state = ${unlessPosterCame('made', '$7')}, picture = NULL, picture_bytes = $2, attempts = 0, lease_until = NULL,
          image_worker_version = ${versionAt('$8')}
     FROM soon CROSS JOIN shown WHERE upload_id = shown.id RETURNING state`,
);
const RECORD_FAILURE = prepared(
  `${ASYNC_COMMIT}, file AS (SELECT id, poster_bytes FROM uploads WHERE id = $1 FOR SHARE)
   UPDATE thumbnails
      SET state = ${unlessPosterCame('failed', '$2')}, attempts = 0, lease_until = NULL,
          image_worker_version = ${versionAt('$3')}
     FROM soon CROSS JOIN file WHERE upload_id = $1 AND state = 'none' RETURNING state`,
);
/** How long an app's poster may take to be stored, in milliseconds. */
const POSTER_LEASE_MS = 60_000;

const FIND_FOR_POSTER = prepared(
  `SELECT poster_bytes IS NULL AND (media_type IS NULL OR media_type LIKE 'video/%') AS takes_poster FROM uploads
    WHERE id = $1 AND account_id = $2 AND workspace_id = $3 AND client_id = $4 AND finished_at IS NOT NULL AND trashed_at IS NULL`,
);
const EXISTS = prepared('SELECT id FROM uploads WHERE id = $1');
const CLAIM_POSTER = prepared(
  `UPDATE uploads SET poster_claimed_at = $2
    WHERE id = $1 AND poster_bytes IS NULL AND (poster_claimed_at IS NULL OR poster_claimed_at < $3) RETURNING id`,
);
/** Work that is being done on the film stays claimed: see {@link unlessPosterCame}. */
const RECORD_POSTER = prepared(
  `WITH film AS (UPDATE uploads SET poster_bytes = $2
                  WHERE id = $1 AND poster_bytes IS NULL AND poster_claimed_at = $3 RETURNING id)
   UPDATE thumbnails SET state = 'none', attempts = 0 FROM film WHERE upload_id = film.id RETURNING upload_id`,
);

/** The thumbnail stays until there is another one. */
const FORGET_PREVIEW = prepared(
  `WITH shown AS (
     UPDATE uploads SET preview_width = NULL, preview_height = NULL, preview_bytes = NULL, preview_version = NULL
      WHERE id = $1 RETURNING id
   )
   UPDATE thumbnails SET state = 'none', attempts = 0, lease_until = timestamptz 'epoch'
     FROM shown WHERE upload_id = shown.id AND state = 'made'`,
);

/**
 * Reads an index that holds only photos without a thumbnail, however many others there are: the next workspaces that
 * have some, each by one step in the index, and as many photos of each. The planner is forced to use it: only this index
 * gives the order, and {@link IN_THE_ORDER_OF_AN_INDEX} runs before. Otherwise it may read all thumbnails, if the
 * statistics are from a time when there was much to do, or if the index has grown larger than the table.
 */
const PENDING = prepared(pendingWith(`(state = 'none' OR location IS NULL)`));
/** Where no thumbnails are made. */
const PENDING_SEARCHES = prepared(pendingWith('location IS NULL'));

function pendingWith(work: string): string {
  return `WITH RECURSIVE step AS (
     SELECT (SELECT workspace_id FROM thumbnails
              WHERE ${work} AND workspace_id COLLATE "C" > $2
              ORDER BY workspace_id COLLATE "C" LIMIT 1) AS id
      UNION ALL
     SELECT (SELECT workspace_id FROM thumbnails
              WHERE ${work} AND workspace_id COLLATE "C" > step.id
              ORDER BY workspace_id COLLATE "C" LIMIT 1)
       FROM step WHERE step.id IS NOT NULL
   ), workspace AS (SELECT id FROM step WHERE id IS NOT NULL LIMIT ${MAX_WORKSPACES})
   SELECT photo.upload_id AS id, workspace.id AS "workspaceId"
     FROM workspace CROSS JOIN LATERAL (
       SELECT upload_id FROM thumbnails JOIN uploads ON uploads.id = upload_id
        WHERE ${work} AND thumbnails.workspace_id COLLATE "C" = workspace.id
          AND (lease_until IS NULL OR ${leaseIsOver('$1')})
          AND (attempts < ${MAX_ATTEMPTS} OR image_worker_version < ${IMAGE_WORKER_VERSION}) AND trashed_at IS NULL
        ORDER BY thumbnails.workspace_id COLLATE "C", upload_id COLLATE "C"
        LIMIT (SELECT ${BATCH_SIZE} / greatest(count(*), 1) FROM workspace)
     ) AS photo`;
}

/** A later version may do what an earlier one could not. */
const RETRY = prepared(
  `UPDATE thumbnails SET state = 'none', attempts = 0, lease_until = timestamptz 'epoch'
    WHERE upload_id = ANY (ARRAY(
      SELECT upload_id FROM thumbnails
       WHERE state = 'failed' AND image_worker_version > ${WITHOUT_FFMPEG} AND image_worker_version < ${IMAGE_WORKER_VERSION}
       ORDER BY image_worker_version LIMIT ${RETRY_BATCH_SIZE} FOR UPDATE SKIP LOCKED
    ))`,
);

/** The same for films, where there is ffmpeg now. What they had before is shown until then. */
const READ_FILMS_AGAIN = prepared(
  `UPDATE thumbnails SET state = 'none', attempts = 0, lease_until = timestamptz 'epoch'
    WHERE upload_id = ANY (ARRAY(
      SELECT upload_id FROM thumbnails
       WHERE image_worker_version = ${WITHOUT_FFMPEG} AND state <> 'none'
       ORDER BY upload_id COLLATE "C" LIMIT ${RETRY_BATCH_SIZE} FOR UPDATE SKIP LOCKED
    ))`,
);

/** The same for locations. What was found before counts no longer, see {@link StoredLocations}. */
const SEARCH_AGAIN = prepared(
  `UPDATE thumbnails SET location = NULL, attempts = 0, lease_until = timestamptz 'epoch'
    WHERE upload_id = ANY (ARRAY(
      SELECT upload_id FROM thumbnails
       WHERE location IS NOT NULL AND location_version < ${LOCATION_VERSION}
       ORDER BY location_version LIMIT ${RETRY_BATCH_SIZE} FOR UPDATE SKIP LOCKED
    ))`,
);

/** Makes the planner read rows in the order of an index, for the rest of the transaction. */
const IN_THE_ORDER_OF_AN_INDEX = prepared(
  `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true)`,
);

/**
 * The thumbnails that the service has made, and which of them are being made. The database makes the row of a photo
 * when the upload is finished.
 */
export class ThumbnailTable {
  constructor(private readonly database: Database) {}

  /**
   * Claims the work on a photo until `until`.
   * @param makesPictures whether pictures are made; if not, only its location is searched
   * @returns undefined when there is nothing to do, another process does it, or the photo is gone.
   */
  async claim(
    id: string,
    now: Date,
    until: Date,
    makesPictures = true,
  ): Promise<ClaimedPhoto | undefined> {
    const [row] = await this.database.query<{
      size: number;
      attempts: number;
      state: string;
      poster_bytes: number | null;
      is_located: boolean;
      has_location: boolean | null;
    }>(CLAIM, [id, now, until, makesPictures]);
    return (
      row && {
        size: row.size,
        attempts: row.attempts,
        needsPictures: row.state === 'none',
        location: row.is_located ? { hasLocation: row.has_location === true } : undefined,
        posterBytes: row.poster_bytes ?? undefined,
      }
    );
  }

  /** Stores where the location is in a file. */
  async saveLocation(id: string, location: FileLocation): Promise<void> {
    const sent = JSON.stringify(toSentLocation(location));
    await this.database.query(SAVE_LOCATION, [id, sent]);
  }

  /** Notes of files that their kind is unknown: there is no picture of them, and their location cannot be searched. */
  async recordUnknownKind(ids: readonly string[]): Promise<void> {
    await this.database.query(RECORD_UNKNOWN_KIND, [
      JSON.stringify(ids),
      JSON.stringify(OF_UNKNOWN_KIND),
    ]);
  }

  /** Stores the media type of a file, and the details of its content. */
  async saveFacts(
    id: string,
    mediaType: string,
    { width, height, capturedAt, info, media }: ImageInfo,
  ): Promise<void> {
    await this.database.query(SAVE_FACTS, [
      id,
      width ?? null,
      height ?? null,
      capturedAt ?? null,
      capturedAt === undefined ? null : inUtc(capturedAt),
      info === undefined ? null : JSON.stringify(info),
      info === undefined ? '' : searchedTexts(info),
      mediaType,
      media === undefined ? null : JSON.stringify(media),
    ]);
  }

  /**
   * Notes the pictures of a photo, which are stored. If the photo is gone, they are removed later.
   * @returns 'again' when another poster came since then
   */
  async recordPictures(
    id: string,
    { thumbnail, preview, width, height, frames }: Pictures,
    { posterBytes, lacksFfmpeg = false }: WorkDone = {},
  ): Promise<'done' | 'again'> {
    const [kept] = await this.database.query<{ state: string }>(RECORD_PICTURES, [
      ...[id, thumbnail.length, width, height, preview.length, frames?.length ?? null],
      ...[posterBytes ?? null, lacksFfmpeg],
    ]);
    if (kept === undefined) {
      await queueDeletion(this.database, id);
    }
    return kept?.state === 'none' ? 'again' : 'done';
  }

  /** Notes that there is no picture of a photo, for this version; see {@link ThumbnailTable.recordPictures}. */
  async recordFailure(
    id: string,
    { posterBytes, lacksFfmpeg = false }: WorkDone = {},
  ): Promise<'done' | 'again'> {
    const [kept] = await this.database.query<{ state: string }>(RECORD_FAILURE, [
      ...[id, posterBytes ?? null, lacksFfmpeg],
    ]);
    return kept?.state === 'none' ? 'again' : 'done';
  }

  /** Whether a file takes a poster; undefined when the caller has not uploaded it, or it is in the trash. */
  async findForPoster(
    id: string,
    { accountId, workspaceId, clientId }: Uploader,
  ): Promise<{ readonly takesPoster: boolean } | undefined> {
    const [row] = await this.database.query<{ takes_poster: boolean }>(FIND_FOR_POSTER, [
      ...[id, accountId, workspaceId, clientId],
    ]);
    return row && { takesPoster: row.takes_poster };
  }

  /**
   * Claims the poster of a film before it is stored, so that of several at once none overwrites another one. A claim ends after
   * {@link POSTER_LEASE_MS}: its process may have died.
   * @returns whether it is the first one
   */
  async claimPoster(id: string, now: Date): Promise<boolean> {
    const ended = new Date(now.getTime() - POSTER_LEASE_MS);
    return (await this.database.query(CLAIM_POSTER, [id, now, ended])).length > 0;
  }

  /**
   * Notes the poster of a film, which is stored, so that its pictures are made again. If the film is gone, it is removed later.
   * @param claimedAt as it was given to {@link ThumbnailTable.claimPoster}
   * @returns whether the claim still held
   */
  async recordPoster(id: string, bytes: number, claimedAt: Date): Promise<boolean> {
    const [kept] = await this.database.query(RECORD_POSTER, [id, bytes, claimedAt]);
    if (kept === undefined && (await this.database.query(EXISTS, [id])).length === 0) {
      await queueDeletion(this.database, id);
    }
    return kept !== undefined;
  }

  /** Notes that the location of a photo was searched, which has its pictures or will have none. */
  async finish(id: string): Promise<void> {
    await this.database.query(FINISH, [id]);
  }

  /** Gives back a claim whose attempt counts. It can be tried again at once. */
  async endAttempt(id: string): Promise<void> {
    await this.database.query(
      `UPDATE thumbnails SET lease_until = timestamptz 'epoch' WHERE upload_id = $1`,
      [id],
    );
  }

  /** Notes that the preview of a photo has to be made again. */
  async forgetPreview(id: string): Promise<void> {
    await this.database.query(FORGET_PREVIEW, [id]);
  }

  /** Gives back a claim that could not be tried; it can be tried again from `from` on. */
  async releaseClaim(id: string, from: Date): Promise<void> {
    await this.database.query(
      `UPDATE thumbnails SET attempts = attempts - 1, lease_until = $2
        WHERE upload_id = $1 AND lease_until IS NOT NULL`,
      [id, from],
    );
  }

  /**
   * Some photos with work left that are not claimed, of the workspaces in the order of their ids.
   * @param makesPictures see {@link ThumbnailTable.claim}
   * @param after the id of the last workspace of the part before; an empty text for the first part
   * @returns none when there are no more after it
   */
  async pending(now: Date, after = '', makesPictures = true): Promise<PendingPhoto[]> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(IN_THE_ORDER_OF_AN_INDEX);
      return transaction.query<PendingPhoto>(makesPictures ? PENDING : PENDING_SEARCHES, [
        now,
        after,
      ]);
    });
  }

  /**
   * Retries some of the photos that an earlier version tried: those that failed, and the searches for locations.
   * @param drawsFilms whether there is ffmpeg, for films that were read without it
   */
  async retryOlder(drawsFilms = false): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query(IN_THE_ORDER_OF_AN_INDEX);
      await transaction.query(RETRY);
      await transaction.query(SEARCH_AGAIN);
      if (drawsFilms) {
        await transaction.query(READ_FILMS_AGAIN);
      }
    });
  }
}

/** A time of capture as a moment: in UTC if it has no zone. For the form see `image-info.ts`. */
function inUtc(capturedAt: string): Date {
  return new Date(hasZone(capturedAt) ? capturedAt : `${capturedAt}Z`);
}

/** The thumbnail that a row of {@link withThumbnails} holds. */
export function toThumbnail(row: ThumbnailRow): Thumbnail {
  const { state, is_over: isOver } = row;
  const made = toPicture(row.picture, row.picture_bytes);
  if (state === null || state === 'none') {
    return { state: isOver === true ? 'failed' : 'pending', picture: made };
  }
  return state === 'failed' || made === undefined
    ? { state: 'failed', picture: made }
    : { state: 'made', picture: made };
}

/** @param inRow the bytes in base64 */
export function toPicture(
  inRow: string | null,
  storedBytes: number | null,
): ThumbnailPicture | undefined {
  if (inRow !== null) {
    return Buffer.from(inRow, 'base64');
  }
  return storedBytes === null ? undefined : { size: storedBytes };
}

/** The bytes of a thumbnail; undefined when the storage has lost it. */
export async function readThumbnail(
  store: Pick<UploadStorage, 'readThumbnail'>,
  id: string,
  picture: ThumbnailPicture,
  variant?: ThumbnailVariant,
): Promise<Buffer | undefined> {
  return Buffer.isBuffer(picture) ? picture : store.readThumbnail(id, picture.size, variant);
}
