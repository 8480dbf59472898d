import type { Lock, Locker, RequestRelease } from '@tus/server';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../kernel/database/database.js';
import { prepared } from '../../../kernel/database/prepared.js';
import { ASYNC_COMMIT } from '../../../kernel/database/async-commit.js';
import { TusError } from '../tus-error.js';
import type { UploadLocks } from './upload-locks.js';

/** A holder that has not renewed its lock for this long counts as dead. In seconds of the database's clock. */
const LEASE_SECONDS = 5;
/** How often a holder renews its lock and looks whether another request wants it. */
const RENEW_MS = 250;
/** How long a waiting request waits between two tries: the first time, and at most. */
const RETRY_MS = 50;
const MAX_RETRY_MS = 400;
const ACQUIRE_TIMEOUT_MS = 10_000;

/**
 * SQL: whether nobody renews a lock. One that ends later than any lease was taken while the database's clock was ahead.
 * A statement may wait for the row, so that now() is too early for it.
 */
const LEASE_IS_OVER = `(upload_locks.expires_at < now()
     OR upload_locks.expires_at > clock_timestamp() + make_interval(secs => 2 * $3))`;

/*
 * A crash of the database server may lose what the last half second did to locks. Then a lock that was given back is
 * free after its lease, and one that was taken is lost; its holder notices that at the next renewal.
 */
const TAKE = prepared(
  `${ASYNC_COMMIT}
   INSERT INTO upload_locks (upload_id, holder, expires_at)
   SELECT $1, $2, now() + make_interval(secs => $3) FROM soon
   ON CONFLICT (upload_id) DO UPDATE SET
     holder = excluded.holder, expires_at = excluded.expires_at, wanted = false
   WHERE ${LEASE_IS_OVER}
   RETURNING holder`,
);
const RENEW = prepared(
  `${ASYNC_COMMIT}
   UPDATE upload_locks SET expires_at = now() + make_interval(secs => $3)
     FROM soon WHERE upload_id = $1 AND holder = $2 RETURNING wanted`,
);
const RELEASE = prepared(
  `${ASYNC_COMMIT}
   DELETE FROM upload_locks USING soon WHERE upload_id = $1 AND holder = $2`,
);

/**
 * One request at a time per upload, in all processes on one database. Requests within one process
 * queue in {@link UploadLocks}; the first of them then takes a row of `upload_locks`. A process that is
 * killed leaves its row behind; the row no longer counts when it was not renewed in time.
 */
export class SharedUploadLocks implements Locker {
  constructor(
    private readonly local: UploadLocks,
    private readonly database: Database,
  ) {}

  newLock(id: string): Lock {
    const local = this.local.newLock(id);
    const holder = randomUUID();
    let renewal: NodeJS.Timeout | undefined;
    return {
      lock: async (signal, requestRelease) => {
        await local.lock(signal, requestRelease);
        try {
          await this.acquire(id, holder, signal);
        } catch (error) {
          await local.unlock();
          throw error;
        }
        renewal = this.keep(id, holder, requestRelease);
      },
      unlock: async () => {
        clearInterval(renewal);
        await this.database
          .query(RELEASE, [id, holder])
          // The database may be away: a row that is left behind expires soon.
          .catch(() => undefined);
        await local.unlock();
      },
    };
  }

  private async acquire(id: string, holder: string, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + ACQUIRE_TIMEOUT_MS;
    for (
      let wait = RETRY_MS;
      !(await this.take(id, holder));
      wait = Math.min(wait * 1.5, MAX_RETRY_MS)
    ) {
      if (signal.aborted || performance.now() > deadline) {
        throw new TusError(503, 'another request is working on this upload; try again');
      }
      await sleep(wait);
    }
  }

  /** Takes the lock if it is free or its holder is dead; otherwise requests its release. */
  private async take(id: string, holder: string): Promise<boolean> {
    const taken = await this.database.query(TAKE, [id, holder, LEASE_SECONDS]);
    if (taken.length > 0) {
      return true;
    }
    await this.database.query(
      'UPDATE upload_locks SET wanted = true WHERE upload_id = $1 AND NOT wanted',
      [id],
    );
    return false;
  }

  /** Renews the lock while it is held. Stops the request when another one wants the lock, or it was lost. */
  private keep(id: string, holder: string, requestRelease: RequestRelease): NodeJS.Timeout {
    let renewedAt = performance.now();
    const renew = async (): Promise<boolean> => {
      const [row] = await this.database.query<{ wanted: boolean }>(RENEW, [
        id,
        holder,
        LEASE_SECONDS,
      ]);
      renewedAt = performance.now();
      return row?.wanted === false;
    };
    const mayGoOn = (): Promise<boolean> =>
      // Without the database the lock is still ours until the lease ends.
      renew().catch(() => performance.now() - renewedAt < LEASE_SECONDS * 1000);
    return setInterval(() => {
      void mayGoOn().then((may) => (may ? undefined : requestRelease()));
    }, RENEW_MS).unref();
  }
}
