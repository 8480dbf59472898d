import type { Visibility } from '../../auth/accounts/photo-policy.js';
import type { Queryable, SqlValue } from '../../platform/database/database.js';
import { NO_PROJECT, type PhotoCounts } from './project.js';

/** For how many users in projects one statement adds up the rows. */
const SUMMED = 500;

/**
 * How many photos a user sees in a workspace.
 * @param project the id of a project, or {@link NO_PROJECT}; undefined for all photos
 */
export async function countPhotos(
  database: Pick<Queryable, 'query'>,
  { workspaceId, accountId }: Visibility,
  project: string | undefined,
): Promise<PhotoCounts> {
  const values: SqlValue[] = [workspaceId];
  const conditions = ['workspace_id = $1'];
  if (project !== undefined) {
    values.push(project === NO_PROJECT ? '' : project);
    conditions.push(`project_id = $${values.length}`);
  }
  if (accountId !== undefined) {
    values.push(accountId);
    conditions.push(`account_id = $${values.length}`);
  }
  const [row] = await database.query<PhotoCounts & object>(
    `SELECT COALESCE(sum(photos), 0)::integer AS photos, COALESCE(sum(replaced), 0)::integer AS replaced,
            COALESCE(sum(trashed), 0)::integer AS trashed FROM photo_counts WHERE ${conditions.join(' AND ')}`,
    values,
  );
  return row ?? { photos: 0, replaced: 0, trashed: 0 };
}

/**
 * Replaces the rows that triggers have added to `photo_counts` by their sums. Several processes may do this at the same
 * time: each inserts the sum of the rows that it has deleted.
 */
export async function sumPhotoCounts(database: Queryable, signal?: AbortSignal): Promise<void> {
  let summed = SUMMED;
  while (summed === SUMMED && signal?.aborted !== true) {
    const [row] = await database.query<{ summed: number }>(
      `WITH changed AS (
         SELECT DISTINCT workspace_id, project_id, account_id FROM photo_counts WHERE NOT is_sum LIMIT ${SUMMED}
       ), gone AS (
         DELETE FROM photo_counts WHERE ctid = ANY (ARRAY(
           SELECT photo_counts.ctid FROM changed JOIN photo_counts USING (workspace_id, project_id, account_id)
              FOR UPDATE OF photo_counts SKIP LOCKED)) RETURNING *
       ), sums AS (
         INSERT INTO photo_counts (workspace_id, project_id, account_id, photos, replaced, trashed, is_sum)
         SELECT workspace_id, project_id, account_id, sum(photos), sum(replaced), sum(trashed), true FROM gone
          GROUP BY workspace_id, project_id, account_id
         HAVING (sum(photos), sum(replaced), sum(trashed)) <> (0, 0, 0)
       )
       SELECT count(*)::integer AS summed FROM changed`,
    );
    summed = row?.summed ?? 0;
  }
}
