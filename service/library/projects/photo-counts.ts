import type { Visibility } from '../../identity/index.js';
import type { Queryable, SqlValue } from '../../kernel/database/database.js';
import { NO_PROJECT, type PhotoCounts } from './project.js';

/** For how many users in projects the function of the database adds up the rows at once. */
const MAX_SUMMED = 500;

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
  const conditions = ['workspace_id = wanted.id'];
  if (project !== undefined) {
    values.push(project === NO_PROJECT ? '' : project);
    conditions.push(`project_id = $${values.length}`);
  }
  if (accountId !== undefined) {
    values.push(accountId);
    conditions.push(`account_id = $${values.length}`);
  }
  // By `unnest` the planner expects as many rows as most workspaces have. For a large one it would read all workspaces.
  const [row] = await database.query<PhotoCounts & object>(
    `SELECT COALESCE(sum(photos), 0)::integer AS photos, COALESCE(sum(replaced), 0)::integer AS replaced,
            COALESCE(sum(trashed), 0)::integer AS trashed
       FROM unnest(ARRAY[$1::text]) AS wanted (id) JOIN photo_counts ON ${conditions.join(' AND ')}`,
    values,
  );
  return row ?? { photos: 0, replaced: 0, trashed: 0 };
}

/** Replaces the rows that triggers have added to `photo_counts` by their sums. Several processes may do this at the same time. */
export async function sumPhotoCounts(database: Queryable, signal?: AbortSignal): Promise<void> {
  let summed = MAX_SUMMED;
  while (summed === MAX_SUMMED && signal?.aborted !== true) {
    const [row] = await database.query<{ summed: number }>('SELECT sum_photo_counts() AS summed');
    summed = row?.summed ?? 0;
  }
}
