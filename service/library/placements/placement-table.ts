import type { Visibility } from '../../identity/index.js';
import type { Database, Queryable, SqlValue } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';

/** A file that is placed in another one, or in which another one is placed. */
export interface Use {
  /** The id of its current version. */
  readonly id: string;
  readonly name: string;
  /** The number of the placed version, from 1; undefined beyond {@link MAX_NUMBER}. */
  readonly version: number | undefined;
  /** The id of the placed version. */
  readonly uploadId: string;
  /** The number of the current version of the placed file. */
  readonly currentVersion: number | undefined;
  readonly isCurrent: boolean;
}

/** What a file is used in, and what it contains. */
export interface Uses {
  readonly usedIn: readonly Use[];
  readonly contains: readonly Use[];
}

/** A file that is used, and one in which it is. */
export interface UsedFile {
  readonly name: string;
  readonly container: { readonly id: string; readonly name: string };
}

/** The upload whose placements are sent. */
export interface Container {
  readonly id: string;
  readonly workspaceId: string;
  readonly accountId: string;
  readonly clientId: string;
}

/** The uploads that somebody sees: in a workspace, perhaps only of one user or one app. */
export interface UsesView extends Visibility {
  readonly clientId?: string | undefined;
}

/** How many files may be placed in one. */
export const MAX_PLACEMENTS = 500;

/** Versions are numbered up to this one, so that no request counts thousands. */
const MAX_NUMBER = 100;

type UseRow = Omit<Use, 'version' | 'currentVersion'> & {
  readonly version: number | null;
  readonly currentVersion: number | null;
};

/** The number of a version, from 1; NULL for a high one. */
const numberOf = (upload: string): string =>
  `(SELECT CASE WHEN count(*) <= ${MAX_NUMBER} THEN count(*)::integer END FROM (
      SELECT 1 FROM uploads AS earlier
       WHERE earlier.photo_id = ${upload}.photo_id AND (earlier.finished_at, earlier.id) <= (${upload}.finished_at, ${upload}.id)
       LIMIT ${MAX_NUMBER + 1}) AS counted)`;

/** @param shown the file that is named; `placed` and `current` are the placed version and the current one of the placed file */
const useOf = (shown: string): string =>
  `json_build_object('id', ${shown}.id, 'name', ${shown}.name, 'uploadId', placed.id, 'version', ${numberOf('placed')},
                     'currentVersion', ${numberOf('current')}, 'isCurrent', placed.id = current.id)`;

const CURRENT = `CROSS JOIN LATERAL (SELECT * FROM uploads
    WHERE uploads.photo_id = placed.photo_id AND uploads.is_current AND uploads.trashed_at IS NULL LIMIT 1) AS current`;

/** Which files are placed in which, as far as the current version of a file says so. */
export class PlacementTable {
  constructor(private readonly database: Pick<Database, 'query' | 'transaction'>) {}

  /**
   * Replaces the placements of a finished upload outside the trash. Only files count that the user sees, and that are no versions
   * of the same file.
   * @param view what the user sees of the workspace. @param ids at most {@link MAX_PLACEMENTS}
   * @returns whether there is such an upload
   */
  async replace(container: Container, view: Visibility, ids: readonly string[]): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      // A second request for the same container waits.
      const [found] = await transaction.query<{ photo_id: string }>(
        `SELECT photo_id FROM uploads
          WHERE id = $1 AND workspace_id = $2 AND account_id = $3 AND client_id = $4
            AND finished_at IS NOT NULL AND trashed_at IS NULL FOR NO KEY UPDATE`,
        [container.id, container.workspaceId, container.accountId, container.clientId],
      );
      if (found === undefined) {
        return false;
      }
      await transaction.query('DELETE FROM placements WHERE container_id = $1', [container.id]);
      const values: SqlValue[] = [
        container.id,
        JSON.stringify(ids),
        view.workspaceId,
        found.photo_id,
      ];
      const value = (one: SqlValue): string => `$${values.push(one)}`;
      await transaction.query(
        `INSERT INTO placements (container_id, upload_id)
         SELECT $1, id FROM uploads
          WHERE id = ANY (${idArray('$2')})
            AND workspace_id = $3 AND photo_id <> $4 AND finished_at IS NOT NULL AND trashed_at IS NULL
            ${view.accountId === undefined ? '' : `AND account_id = ${value(view.accountId)}`}
          ORDER BY id`,
        values,
      );
      return true;
    });
  }

  /**
   * What the versions of a file are used in, and what its current version contains, by name.
   * @param file its photo id, and the id of the version whose contents are wanted
   * @param most of each; one more shows that there are more
   */
  async of(
    file: { readonly photoId: string; readonly id: string },
    view: UsesView,
    most: number,
  ): Promise<Uses> {
    const values: SqlValue[] = [file.photoId, file.id];
    const value = (one: SqlValue): string => `$${values.push(one)}`;
    const limit = value(most);
    const [row] = await this.database.query<{
      used_in: UseRow[] | null;
      contains: UseRow[] | null;
    }>(
      // In the order of an index: a file that is used thousands of times costs no more.
      `SELECT (SELECT json_agg(${useOf('container')}) FROM (
                 SELECT placements.container_id, placements.upload_id
                   FROM uploads AS version
                   JOIN placements ON placements.upload_id = version.id
                   JOIN uploads AS container ON container.id = placements.container_id
                  WHERE version.photo_id = $1 AND container.photo_id <> $1
                    AND ${visible('container', view, value)} AND container.is_current
                  LIMIT ${limit}) AS used
                 JOIN uploads AS placed ON placed.id = used.upload_id
                 JOIN uploads AS container ON container.id = used.container_id
                 ${CURRENT}) AS used_in,
              (SELECT json_agg(${useOf('current')}) FROM (
                 SELECT upload_id FROM placements WHERE container_id = $2) AS inside
                 JOIN uploads AS placed ON placed.id = inside.upload_id AND ${visible('placed', view, value)}
                 ${CURRENT}) AS contains`,
      values,
    );
    return {
      usedIn: toUses(row?.used_in ?? []),
      contains: toUses(row?.contains ?? []).slice(0, most),
    };
  }

  /**
   * Those of these files that are used in others, each with one that the user sees; files that are both among these are left out.
   * @param ids of any versions. @param most how many are wanted
   */
  async used(view: Visibility, ids: readonly string[], most: number): Promise<UsedFile[]> {
    return usedFiles(this.database, view, ids, most);
  }
}

async function usedFiles(
  database: Queryable,
  view: Visibility,
  ids: readonly string[],
  most: number,
): Promise<UsedFile[]> {
  const values: SqlValue[] = [JSON.stringify(ids), most];
  const value = (one: SqlValue): string => `$${values.push(one)}`;
  const rows = await database.query<{ name: string; container_id: string; container_name: string }>(
    `WITH wanted AS MATERIALIZED (
       SELECT DISTINCT photo_id FROM uploads WHERE id = ANY (${idArray('$1')}))
     SELECT current.name, container.id AS container_id, container.name AS container_name
       FROM wanted
       JOIN uploads AS placed ON placed.photo_id = wanted.photo_id
       JOIN placements ON placements.upload_id = placed.id
       JOIN uploads AS container ON container.id = placements.container_id
       ${CURRENT}
      WHERE ${visible('container', view, value)} AND container.is_current
        AND container.photo_id NOT IN (SELECT photo_id FROM wanted)
      LIMIT $2`,
    values,
  );
  return rows
    .map((row) => ({
      name: row.name,
      container: { id: row.container_id, name: row.container_name },
    }))
    .toSorted((one, other) => byName(one, other) || byName(one.container, other.container));
}

/** Whether somebody sees a finished upload that is not in the trash. */
function visible(
  upload: string,
  { workspaceId, accountId, clientId }: UsesView,
  value: (one: SqlValue) => string,
): string {
  return [
    `${upload}.workspace_id = ${value(workspaceId)}`,
    `${upload}.finished_at IS NOT NULL AND ${upload}.trashed_at IS NULL`,
    ...(accountId === undefined ? [] : [`${upload}.account_id = ${value(accountId)}`]),
    ...(clientId === undefined ? [] : [`${upload}.client_id = ${value(clientId)}`]),
  ].join(' AND ');
}

function toUses(rows: readonly UseRow[]): Use[] {
  return rows
    .map(({ version, currentVersion, ...use }) => ({
      ...use,
      version: version ?? undefined,
      currentVersion: currentVersion ?? undefined,
    }))
    .toSorted(byName);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name.localeCompare(other.name, 'en', { numeric: true });
}
