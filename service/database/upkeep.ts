import type { Queryable, SqlValue } from './database.js';

/** Expired tokens are kept for a day. */
const KEEP_EXPIRED_MS = 24 * 3600 * 1000;
/**
 * Device codes, which anybody can have made, are kept for an hour: enough for a late client to hear
 * `expired_token`, not "not found".
 */
const KEEP_DEVICE_CODES_MS = 3600 * 1000;

/** Rows deleted by one statement: few enough for others to get in between. */
const BATCH = 500;

/** What can be deleted at `now`, in a table. Rows that a transaction has locked are left for later. */
interface Expired {
  readonly table: string;
  /** The column of the time at which a row can go; an index has it, but for locks, of which there are few. */
  readonly by: 'expires_at' | 'window_ends' | 'first_polled_at';
  /** Which rows, where not all. */
  readonly kinds?: string;
  readonly before: Date;
  /** What is deleted with them: a statement about the rows of `gone`. */
  readonly with?: string;
}

const CONSENTS = `DELETE FROM consents
  WHERE grant_id IN (SELECT id FROM gone WHERE kind = 'Grant')`;

/**
 * One step of {@link purgeOrphans}: gives the id that it came to, or null when there was nothing behind `$1`. Written
 * so that the planner has no choice: left to itself it reads both tables from end to end at each step.
 */
const ORPHANS = `
  WITH step AS MATERIALIZED (
    SELECT next.grant_id, next.created_at, held.id AS held FROM (
      SELECT grant_id, created_at FROM consents WHERE grant_id > $1 ORDER BY grant_id LIMIT ${BATCH}
    ) AS next LEFT JOIN LATERAL (
      SELECT id FROM oidc_records WHERE kind = 'Grant' AND id = next.grant_id LIMIT 1
    ) AS held ON true
  ), gone AS (
    DELETE FROM consents WHERE grant_id = ANY (ARRAY(
      SELECT grant_id FROM step WHERE held IS NULL AND created_at < $2
    ))
  )
  SELECT max(grant_id) AS last FROM step`;

/**
 * Deletes what has expired. Sign-in pages, browser sessions and counts of attempts go at once: anybody can
 * make them, and nobody misses them. Device codes go an hour later, the rest a day later. Several processes
 * may do so at once.
 * @param signal stops it after the current batch.
 */
export async function purgeExpired(
  database: Queryable,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const dayAgo = new Date(now.getTime() - KEEP_EXPIRED_MS);
  const hourAgo = new Date(now.getTime() - KEEP_DEVICE_CODES_MS);
  const expired: readonly Expired[] = [
    {
      table: 'oidc_records',
      by: 'expires_at',
      kinds: `kind IN ('Session', 'Interaction')`,
      before: now,
    },
    { table: 'attempts', by: 'window_ends', before: now },
    { table: 'oidc_records', by: 'expires_at', kinds: `kind = 'DeviceCode'`, before: hourAgo },
    // A consent goes with its grant.
    { table: 'oidc_records', by: 'expires_at', before: dayAgo, with: CONSENTS },
    { table: 'device_polls', by: 'first_polled_at', before: hourAgo },
    { table: 'personal_access_tokens', by: 'expires_at', before: dayAgo },
    { table: 'invitations', by: 'expires_at', before: now },
    { table: 'password_resets', by: 'expires_at', before: now },
    { table: 'upload_locks', by: 'expires_at', before: dayAgo },
  ];
  for (const one of expired) {
    await deleteInBatches(database, one, signal);
  }
}

/**
 * Deletes the consents, older than a day, whose grants are gone. They go with their grants; these here are left of an
 * earlier version. It looks at every consent, {@link BATCH} of them in one statement, in the order of their ids.
 */
export async function purgeOrphans(
  database: Queryable,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(now.getTime() - KEEP_EXPIRED_MS);
  let last: string | null = '';
  while (last !== null && signal?.aborted !== true) {
    const [step]: { last: string | null }[] = await database.query(ORPHANS, [last, before]);
    last = step?.last ?? null;
  }
}

/**
 * Counts what the tables hold, so that the database chooses the right indexes. Without this an embedded
 * database takes each table for empty, and sorts fifty thousand uploads for every page of the list.
 */
export async function analyse(database: Queryable): Promise<void> {
  // Not of the system's own tables, which no query of ours reads: that takes far longer, at every start.
  const tables = await database.query<{ name: string }>(
    'SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()',
  );
  await database.query(`ANALYZE ${tables.map(({ name }) => name).join(', ')}`);
}

async function deleteInBatches(
  database: Queryable,
  { table, by, kinds = 'true', before, with: more }: Expired,
  signal: AbortSignal | undefined,
): Promise<void> {
  const params: SqlValue[] = [before];
  // In the order of an index, so that a step reads what it deletes, and nothing else.
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
