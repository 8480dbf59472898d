import type { Queryable, SqlValue } from '../../../kernel/database/database.js';
import type { Cursor } from './photo-order.js';
import { toPreviewSize, type PreviewRow, type PreviewSize } from './photo.js';

/** One version of a photo. */
export interface Version {
  readonly id: string;
  /** Whether lists and links show this version. */
  readonly isCurrent: boolean;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  /** Through which app it was uploaded. */
  readonly clientId: string;
  readonly createdAt: Date;
  readonly uploadedAt: Date;
  /** In pixels, as it is shown; undefined when that is not known. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly preview: PreviewSize | undefined;
}

/** The versions of one photo are counted up to this number. */
export const MAX_COUNTED = 100;

/** The number of a version, from 1; NULL for a high one, so that it is not counted to the end. */
export const numberOf = (of: string): string =>
  `(SELECT CASE WHEN count(*) <= ${MAX_COUNTED} THEN count(*)::integer END FROM (
      SELECT 1 FROM uploads AS earlier
       WHERE earlier.photo_id = ${of}.photo_id AND (earlier.finished_at, earlier.id) <= (${of}.finished_at, ${of}.id)
       ORDER BY earlier.photo_id, earlier.finished_at, earlier.id LIMIT ${MAX_COUNTED + 1}) AS counted)`;

/** Which of the versions of a photo are wanted. */
interface Wanted {
  readonly limit: number;
  /** Only those that were uploaded before this one. */
  readonly before?: Cursor | undefined;
  /** Only those that this app has sent. */
  readonly clientId?: string | undefined;
}

interface VersionRow extends PreviewRow {
  id: string;
  is_current: boolean;
  name: string;
  size: number;
  sha256: string;
  client_id: string;
  created_at: Date;
  finished_at: Date;
  width: number | null;
  height: number | null;
}

/** The versions of photos. A user who sees a photo also sees its versions: they are in the same place. */
export class VersionTable {
  constructor(private readonly database: Queryable) {}

  /** The versions of a photo, newest first. */
  async of(photoId: string, { limit, before, clientId }: Wanted): Promise<Version[]> {
    const values: SqlValue[] = [photoId, limit];
    const value = (one: SqlValue): string => `$${values.push(one)}`;
    const conditions = [
      'photo_id = $1',
      ...(clientId === undefined ? [] : [`client_id = ${value(clientId)}`]),
      ...(before === undefined
        ? []
        : [`(finished_at, id) < (${value(before.at)}, ${value(before.id)})`]),
    ];
    const rows = await this.database.query<VersionRow>(
      `SELECT id, is_current, name, size, sha256, client_id, created_at, finished_at, width, height,
              preview_width, preview_height, preview_bytes, preview_version FROM uploads
        WHERE ${conditions.join(' AND ')} ORDER BY finished_at DESC, id DESC LIMIT $2`,
      values,
    );
    return rows.map(toVersion);
  }

  /** The numbers of these finished uploads by their ids, without high ones. */
  async numbers(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ id: string; number: number | null }>(
      `SELECT shown.id, ${numberOf('shown')} AS number
         FROM unnest(string_to_array($1, ',')) AS wanted (id)
        CROSS JOIN LATERAL (SELECT id, photo_id, finished_at FROM uploads WHERE uploads.id = wanted.id LIMIT 1) AS shown`,
      [ids.join(',')],
    );
    return new Map(rows.flatMap(({ id, number }) => (number === null ? [] : [[id, number]])));
  }

  /** How many versions there are, by photo id, for photos with several. At most {@link MAX_COUNTED} are counted. */
  async counts(photoIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (photoIds.length === 0) {
      return new Map();
    }
    // Without the order, the planner may choose to read all uploads.
    const rows = await this.database.query<{ id: string; count: number }>(
      `SELECT wanted.id, versions.count FROM unnest(string_to_array($1, ',')) AS wanted (id)
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS count FROM (
            SELECT 1 FROM uploads WHERE photo_id = wanted.id
             ORDER BY finished_at DESC, id DESC LIMIT ${MAX_COUNTED}) AS counted) AS versions
        WHERE versions.count > 1`,
      // No id has a comma in it.
      [photoIds.join(',')],
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }
}

function toVersion(row: VersionRow): Version {
  return {
    id: row.id,
    isCurrent: row.is_current,
    name: row.name,
    // PostgreSQL clients give a bigint as text when it might not fit a number.
    size: row.size,
    sha256: row.sha256,
    clientId: row.client_id,
    createdAt: row.created_at,
    uploadedAt: row.finished_at,
    width: row.width ?? undefined,
    height: row.height ?? undefined,
    preview: toPreviewSize(row),
  };
}
