import { analyse, purgeExpired } from '../platform/database/cleanup.js';
import type { Job } from '../platform/scheduler.js';
import { auditInto } from '../auth/accounts/audit.js';
import { purgeTrash } from '../features/photos/data/trash-purge.js';
import { forgetExpiredShares } from '../features/shares/expired-shares.js';
import { removeDeletedFiles } from '../features/uploads/storage/deleted-files.js';
import type { UploadFinalizer } from '../features/uploads/tus/finalize.js';
import { UnfinishedUploads } from '../features/uploads/repository/unfinished-uploads.js';
import { UploadUpkeep } from '../features/uploads/repository/upload-cleanup.js';
import type { SharedServices } from './shared-services.js';
import type { AppContext } from './app-context.js';

const PURGE_EVERY_MS = 5 * 60_000;
const REMOVE_STRAYS_EVERY_MS = 24 * 3_600_000;
const ANALYSE_EVERY_MS = 10 * 60_000;
const CATCH_UP_EVERY_MS = 30_000;

/** The work that the service does beside the requests. */
export interface Jobs {
  /** What is done in the background, once or over and over. */
  readonly jobs: Job[];
  /** Removes, all at once, what the chores remove: what has expired, was given up, or belongs to nothing any more. */
  purge(): Promise<void>;
}

/** Builds the chores: they remove what nobody needs any more, and do what was left undone when a service ended. */
export function createJobs(
  { options, database, reportError }: AppContext,
  { photos, shares, store, making, now }: SharedServices,
  finishing: UploadFinalizer,
): Jobs {
  const uploads = new UploadUpkeep({
    unfinished: new UnfinishedUploads(database),
    store,
    finishIfComplete: (upload) => finishing.finishIfComplete(upload),
    reportError,
  });
  const abandonedBefore = (): Date =>
    new Date(now().getTime() - options.lifetimes.unfinishedUploadSeconds * 1000);
  const purgeShortLived = async (signal?: AbortSignal): Promise<void> => {
    await purgeExpired(database, now(), signal);
    await forgetExpiredShares({ shares, audit: auditInto(options.log) }, signal);
    if (signal?.aborted === true) {
      return;
    }
    await uploads.removeAbandoned(abandonedBefore(), signal);
    await purgeTrash({ photos, store, now, reportError }, signal);
    await removeDeletedFiles({ database, store, reportError }, signal);
  };
  return {
    purge: async () => {
      await purgeShortLived();
      await uploads.removeStrays(abandonedBefore());
    },
    jobs: [
      { run: (signal) => uploads.recover(signal), everyMs: undefined },
      { run: purgeShortLived, everyMs: PURGE_EVERY_MS },
      { run: () => making.catchUp(), everyMs: CATCH_UP_EVERY_MS },
      // A PostgreSQL server does this by itself (autovacuum).
      ...(database.isShared ? [] : [{ run: () => analyse(database), everyMs: ANALYSE_EVERY_MS }]),
      {
        run: (signal) => uploads.removeStrays(abandonedBefore(), signal),
        everyMs: REMOVE_STRAYS_EVERY_MS,
      },
    ],
  };
}
