import type { Queryable, SqlValue } from './database.js';

/** How many rows one statement deletes or reads: few, so that other statements get their turn in between. */
const BATCH = 500;

/** Rows of one table that are deleted some time after a date in a column. */
export interface ExpiringRows {
  readonly table: string;
  /** The column with the date. It has an index, except in tables with few rows. */
  readonly by: string;
  /** How long after that date the rows are kept, in milliseconds. */
  readonly keptMs: number;
  /** A condition for the rows, if not all are meant. */
  readonly kinds?: string;
  /** A statement that deletes what belongs to the deleted rows, which are in `gone`. */
  readonly with?: string;
}

/**
 * Deletes expired rows. Several processes may do this at the same time: rows that another transaction has locked are
 * left for the next time.
 * @param rows of all modules
 * @param signal stops it after the current batch.
 */
export async function purgeExpired(
  database: Queryable,
  now: Date,
  rows: readonly ExpiringRows[],
  signal?: AbortSignal,
): Promise<void> {
  for (const one of rows) {
    await deleteInBatches(database, now, one, signal);
  }
}

async function deleteInBatches(
  database: Queryable,
  now: Date,
  { table, by, keptMs, kinds = 'true', with: more }: ExpiringRows,
  signal: AbortSignal | undefined,
): Promise<void> {
  const params: SqlValue[] = [new Date(now.getTime() - keptMs)];
  // In the order of the index, so that a step reads only the rows that it deletes.
  let deleted = BATCH;
  while (deleted === BATCH && signal?.aborted !== true) {
    const [row] = await database.query<{ deleted: number }>(
      `WITH gone AS (
         DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${table} WHERE ${kinds} AND ${by} < $1
            ORDER BY ${by} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
         )) RETURNING *
       )${more === undefined ? '' : `, more AS (${more})`}
       SELECT count(*)::integer AS deleted FROM gone`,
      params,
    );
    deleted = row?.deleted ?? 0;
  }
}
