import type { Queryable, SqlValue } from '../../../platform/database/database.js';

/**
 * Photos of one user are versions of one another if they have the same name, are in the same workspace and in the
 * same project (or all in none), and are not in the trash. Nothing else is stored about versions: a photo that is moved
 * or restored becomes a version of the photos it then matches.
 */
export interface Version {
  readonly id: string;
  /** In bytes. */
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  readonly createdAt: Date;
  readonly uploadedAt: Date;
  /** In pixels, as it is shown; undefined when that is not known. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** The versions of one photo are counted up to this number. */
export const MAX_COUNTED = 100;

interface VersionRow {
  id: string;
  size: number | string;
  sha256: string;
  created_at: Date;
  finished_at: Date;
  width: number | null;
  height: number | null;
}

/** What all versions of a photo have in common, as one value: only the index `uploads_versions` has it. */
function sameOf(row: string): string {
  return `ARRAY[${row}.account_id, ${row}.workspace_id, COALESCE(${row}.project_id, ''), ${row}.name]`;
}

/** The condition that the row `other` is a version of the row `one`. */
function areVersions(one: string, other: string): string {
  return `${sameOf(other)} = ${sameOf(one)}
    AND ${other}.finished_at IS NOT NULL AND ${other}.trashed_at IS NULL`;
}

/** Which photos are versions of one another. */
export class VersionTable {
  constructor(private readonly database: Queryable) {}

  /**
   * The versions of a photo, newest first, including the photo itself unless it is in the trash. A person who sees a
   * photo also sees its versions: the same user sent them to the same workspace.
   * @param clientId only those that this app has sent.
   */
  async of(id: string, limit: number, clientId?: string): Promise<Version[]> {
    const values: SqlValue[] = [id, limit, ...(clientId === undefined ? [] : [clientId])];
    const rows = await this.database.query<VersionRow>(
      `SELECT versions.* FROM uploads AS one CROSS JOIN LATERAL (
         SELECT id, size, sha256, created_at, finished_at, width, height
           FROM uploads AS other
          WHERE ${areVersions('one', 'other')} ${clientId === undefined ? '' : 'AND other.client_id = $3'}
          ORDER BY other.finished_at DESC, other.id DESC LIMIT $2) AS versions
        WHERE one.id = $1
        ORDER BY versions.finished_at DESC, versions.id DESC`,
      values,
    );
    return rows.map(toVersion);
  }

  /**
   * How many versions there are, by photo id, for those of these photos that are the newest of several. At most
   * {@link MAX_COUNTED} versions are counted.
   */
  async counts(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (ids.length === 0) {
      return new Map();
    }
    // With a list of ids or with NOT EXISTS the planner may choose to read all uploads.
    const rows = await this.database.query<{ id: string; count: number }>(
      `SELECT one.id, versions.count FROM unnest(string_to_array($1, ',')) AS wanted (id)
        CROSS JOIN LATERAL (SELECT * FROM uploads WHERE uploads.id = wanted.id LIMIT 1) AS one
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS count FROM (
            SELECT 1 FROM uploads AS other
             WHERE ${areVersions('one', 'other')}
             LIMIT ${MAX_COUNTED}) AS counted) AS versions
         LEFT JOIN LATERAL (
            SELECT newer.id FROM uploads AS newer
             WHERE ${areVersions('one', 'newer')}
               AND (newer.finished_at, newer.id) > (one.finished_at, one.id)
             ORDER BY newer.finished_at, newer.id LIMIT 1) AS newer ON true
        WHERE versions.count > 1 AND newer.id IS NULL`,
      // No id has a comma in it.
      [ids.join(',')],
    );
    return new Map(rows.map(({ id, count }) => [id, count]));
  }
}

function toVersion(row: VersionRow): Version {
  return {
    id: row.id,
    // PostgreSQL clients give a bigint as text when it might not fit a number.
    size: Number(row.size),
    sha256: row.sha256,
    createdAt: row.created_at,
    uploadedAt: row.finished_at,
    width: row.width ?? undefined,
    height: row.height ?? undefined,
  };
}
