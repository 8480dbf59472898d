import type { Database } from './database.js';

/** Expired codes are kept for a day, so that a late client hears `expired_token`, not "not found". */
const KEEP_EXPIRED_MS = 24 * 3600 * 1000;

/** Deletes what has expired more than a day before `now`, and what belonged to it. */
export async function purgeExpired(database: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEEP_EXPIRED_MS);
  await database.query('DELETE FROM oidc_records WHERE expires_at < $1', [before]);
  await database.query(
    `DELETE FROM consents WHERE created_at < $1 AND NOT EXISTS (
       SELECT 1 FROM oidc_records WHERE kind = 'Grant' AND id = consents.grant_id
     )`,
    [before],
  );
  await database.query('DELETE FROM device_polls WHERE polled_at < $1', [before]);
  await database.query('DELETE FROM personal_access_tokens WHERE expires_at < $1', [before]);
  await database.query('DELETE FROM attempts WHERE window_ends < $1', [before]);
  await database.query(`DELETE FROM upload_locks WHERE expires_at < now() - interval '1 day'`);
}
