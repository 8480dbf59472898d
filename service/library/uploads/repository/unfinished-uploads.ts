import type { Database } from '../../../kernel/database/database.js';
import { idArray } from '../../../kernel/database/id-array.js';
import type { StoredUpload } from '../upload.js';
import { COLUMNS, toStored, type UploadRow } from './upload-row.js';

/** How many rows one statement of the housekeeping touches. */
const BATCH = 500;

/** A process that holds the claim and has not renewed it for this long counts as dead. */
const CLAIM_SECONDS = 30;

/** The row of `upload_locks` for the process with the claim. No upload has such an id. */
const CLAIM = 'all:unfinished';

/** The unfinished uploads of everybody, for the housekeeping. */
export class UnfinishedUploads {
  constructor(private readonly database: Database) {}

  /** All uploads that are not finished, of everybody, in batches; ends early when aborted. */
  async *all(signal: AbortSignal): AsyncGenerator<StoredUpload[], void, undefined> {
    let last = '';
    while (!signal.aborted) {
      const rows = await this.database.query<UploadRow>(
        `SELECT ${COLUMNS} FROM uploads
          WHERE finished_at IS NULL AND id > $1 ORDER BY id LIMIT ${BATCH}`,
        [last],
      );
      yield rows.map(toStored);
      const end = rows.at(-1);
      if (end === undefined || rows.length < BATCH) {
        return;
      }
      last = end.id;
    }
  }

  /** Those of these ids that belong to unfinished uploads. */
  async amongst(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM uploads WHERE finished_at IS NULL
          AND id = ANY (${idArray('$1')})`,
      [JSON.stringify(ids)],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Claims the search through all unfinished uploads, or renews the claim, so that of several
   * processes that start together only one does it. A process that dies loses the claim after {@link CLAIM_SECONDS}. A claim
   * that ends later than that was taken while the database's clock was ahead, and does not count.
   * @returns whether this holder has the claim.
   */
  async claim(holder: string): Promise<boolean> {
    if (!this.database.isShared) {
      return true;
    }
    const rows = await this.database.query(
      `INSERT INTO upload_locks (upload_id, holder, expires_at)
       VALUES ($1, $2, now() + make_interval(secs => ${CLAIM_SECONDS}))
       ON CONFLICT (upload_id) DO UPDATE SET
         holder = excluded.holder, expires_at = excluded.expires_at
       WHERE upload_locks.expires_at < now()
          OR upload_locks.expires_at > clock_timestamp() + make_interval(secs => ${2 * CLAIM_SECONDS})
          OR upload_locks.holder = excluded.holder
       RETURNING upload_id`,
      [CLAIM, holder],
    );
    return rows.length > 0;
  }

  /** Gives the claim back. */
  async release(holder: string): Promise<void> {
    if (!this.database.isShared) {
      return;
    }
    await this.database.query('DELETE FROM upload_locks WHERE upload_id = $1 AND holder = $2', [
      CLAIM,
      holder,
    ]);
  }

  /**
   * Deletes some of the unfinished uploads for which nothing has come in since `before`.
   * @returns their ids; none when no more are left.
   */
  async removeAbandoned(before: Date): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `DELETE FROM uploads WHERE finished_at IS NULL AND active_at < $1 AND id IN (
         SELECT id FROM uploads WHERE finished_at IS NULL AND active_at < $1
          ORDER BY active_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
       RETURNING id`,
      [before],
    );
    return rows.map(({ id }) => id);
  }
}
