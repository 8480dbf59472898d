import type { Database } from '../../kernel/database/database.js';

/** How long what guests typed is kept after the end of their link, in days. */
export const GUEST_DAYS = 90;

/** How many answers one statement changes. */
const BATCH = 500;

/**
 * Ends what guests typed some time after their link is gone. Approvals stay, without their guests: they say which bytes were
 * approved. Several processes may do this at once.
 * @param keptMs how long after their link answers are kept
 * @param signal stops it after the current batch
 */
export async function expireGuests(
  { database, now }: { readonly database: Database; readonly now: () => Date },
  keptMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const end = new Date(now().getTime() + keptMs);
  await inBatches(database, signal, (batch) => [
    `UPDATE share_answers SET expires_at = $1 WHERE id = ANY (ARRAY(${batch('expires_at IS NULL')})) RETURNING id`,
    [end],
  ]);
  const isApproval = `kind = 'approval' AND withdrawn_at IS NULL`;
  await inBatches(database, signal, (batch) => [
    `DELETE FROM share_answers WHERE id = ANY (ARRAY(${batch(`expires_at <= $1 AND NOT (${isApproval})`)})) RETURNING id`,
    [now()],
  ]);
  await inBatches(database, signal, (batch) => [
    `UPDATE share_answers SET guest_id = '', guest_name = '', expires_at = NULL
      WHERE id = ANY (ARRAY(${batch(`expires_at <= $1 AND ${isApproval}`)})) RETURNING id`,
    [now()],
  ]);
}

async function inBatches(
  database: Database,
  signal: AbortSignal | undefined,
  statement: (batch: (condition: string) => string) => readonly [string, readonly Date[]],
): Promise<void> {
  const [sql, params] = statement(
    (condition) => `SELECT id FROM share_answers
      WHERE share_id IS NULL AND guest_id <> '' AND ${condition} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
  );
  let changed = BATCH;
  while (changed === BATCH && signal?.aborted !== true) {
    changed = (await database.query(sql, params)).length;
  }
}
