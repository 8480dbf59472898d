import type { Queryable, SqlValue } from './database.js';

/** How long expired tokens and grants are kept, in milliseconds. */
const KEEP_EXPIRED_MS = 24 * 3600 * 1000;
/**
 * How long expired device codes are kept, in milliseconds. Anybody can have them made, so it is short; but a client
 * that polls late still gets `expired_token`, and not an answer as for an unknown code.
 */
const KEEP_DEVICE_CODES_MS = 3600 * 1000;
/** How long the log of webhook deliveries is kept, in milliseconds. */
const KEEP_DELIVERIES_MS = 30 * 24 * 3600 * 1000;
/** How long notices are kept, in milliseconds. */
const KEEP_NOTICES_MS = 90 * 24 * 3600 * 1000;
/** How long events of the audit are kept by default, in days. */
export const AUDIT_DAYS = 365;

/** How many rows one statement deletes or reads: few, so that other statements get their turn in between. */
const BATCH = 500;

/** Rows of one table that can be deleted. Rows that another transaction has locked are left for the next time. */
interface Expired {
  readonly table: string;
  /** The column that is compared with `before`. It has an index, except in `upload_locks`, which has few rows. */
  readonly by:
    | 'expires_at'
    | 'window_ends'
    | 'first_polled_at'
    | 'happened_at'
    | 'created_at'
    | 'due_at';
  /** A condition for the rows, if not all are meant. */
  readonly kinds?: string;
  readonly before: Date;
  /** A statement that deletes what belongs to the deleted rows, which are in `gone`. */
  readonly with?: string;
}

const CONSENTS = `DELETE FROM consents
  WHERE grant_id IN (SELECT id FROM gone WHERE kind = 'Grant')`;

const BROWSERS = `DELETE FROM browser_sessions
  WHERE session_id IN (SELECT id FROM gone WHERE kind = 'Session')`;

export interface PurgeOptions {
  readonly auditDays?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Deletes expired rows. Several processes may do this at the same time.
 *
 * - at once: sign-in pages, browser sessions, counts of attempts, invitations, links for a new password or an
 *   e-mail address, what could be undone, reports of computers, DPoP proofs
 * - after an hour: device codes; times of polls, counted from the first poll
 * - after a day: all other tokens and grants, personal access tokens, locks of uploads, mail that nobody sends
 * - after 30 days: deliveries of webhooks
 * - after `auditDays`: events of the audit
 *
 * @param signal stops it after the current batch.
 */
export async function purgeExpired(
  database: Queryable,
  now: Date,
  { auditDays = AUDIT_DAYS, signal }: PurgeOptions = {},
): Promise<void> {
  const dayAgo = new Date(now.getTime() - KEEP_EXPIRED_MS);
  const hourAgo = new Date(now.getTime() - KEEP_DEVICE_CODES_MS);
  const expired: readonly Expired[] = [
    {
      table: 'oidc_records',
      by: 'expires_at',
      kinds: `kind IN ('Session', 'Interaction')`,
      before: now,
      with: BROWSERS,
    },
    { table: 'attempts', by: 'window_ends', before: now },
    { table: 'dpop_proofs', by: 'expires_at', before: now },
    { table: 'oidc_records', by: 'expires_at', kinds: `kind = 'DeviceCode'`, before: hourAgo },
    // A consent is deleted with its grant.
    { table: 'oidc_records', by: 'expires_at', before: dayAgo, with: CONSENTS },
    { table: 'device_polls', by: 'first_polled_at', before: hourAgo },
    { table: 'personal_access_tokens', by: 'expires_at', before: dayAgo },
    { table: 'invitations', by: 'expires_at', before: now },
    { table: 'password_resets', by: 'expires_at', before: now },
    { table: 'email_confirmations', by: 'expires_at', before: now },
    // Nobody sends these any more: the setting was removed.
    { table: 'outgoing_mail', by: 'due_at', before: dayAgo },
    { table: 'photo_changes', by: 'expires_at', before: now },
    { table: 'removed_answers', by: 'expires_at', before: now },
    { table: 'notices', by: 'created_at', before: new Date(now.getTime() - KEEP_NOTICES_MS) },
    { table: 'device_queues', by: 'expires_at', before: now },
    { table: 'upload_locks', by: 'expires_at', before: dayAgo },
    { table: 'transaction_outcomes', by: 'expires_at', before: now },
    {
      table: 'webhook_deliveries',
      by: 'created_at',
      before: new Date(now.getTime() - KEEP_DELIVERIES_MS),
    },
    {
      table: 'audit_events',
      by: 'happened_at',
      before: new Date(now.getTime() - auditDays * KEEP_EXPIRED_MS),
    },
  ];
  for (const one of expired) {
    await deleteInBatches(database, one, signal);
  }
}

async function deleteInBatches(
  database: Queryable,
  { table, by, kinds = 'true', before, with: more }: Expired,
  signal: AbortSignal | undefined,
): Promise<void> {
  const params: SqlValue[] = [before];
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
