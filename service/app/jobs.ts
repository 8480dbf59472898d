import { purgeExpired } from '../kernel/database/cleanup.js';
import {
  EmailAddresses,
  Invitations,
  MailComposer,
  MailSender,
  PasswordChanges,
  noticesOf,
} from '../identity/index.js';
import { openMailTransport } from '../kernel/mail/mail-transport.js';
import { vacuumChanged } from '../kernel/database/vacuum.js';
import type { Job } from '../kernel/scheduler.js';
import {
  purgeTrash,
  moveThumbnails,
  sumPhotoCounts,
  removeDeletedFiles,
  UnfinishedUploads,
  UploadCleanup,
  type UploadFinalizer,
} from '../library/index.js';
import { expireShares } from '../delivery/index.js';
import { expiringRows } from './modules.js';
import type { SharedServices } from './shared-services.js';
import { EVENTS } from './events.js';
import type { AppContext } from './app-context.js';

const PURGE_EVERY_MS = 5 * 60_000;
const REMOVE_STRAYS_EVERY_MS = 24 * 3_600_000;
const VACUUM_EVERY_MS = 60_000;
const CATCH_UP_EVERY_MS = 30_000;
/** Often, because pages add up the rows since the last time. The database bounds them. */
const SUM_EVERY_MS = 10_000;
const SEND_EVERY_MS = 2000;

/** The background work of the service. */
export interface Jobs {
  /** Jobs that run once or repeatedly. */
  readonly jobs: Job[];
  /** Jobs that wait for other servers or take long. Each runs apart, so that no other job waits with it. */
  readonly separateJobs: Job[];
  /** Removes everything that the jobs remove, at once: expired, abandoned and orphaned records and files. */
  purge(): Promise<void>;
}

/** Builds the jobs. They remove obsolete data and finish work that an earlier process left incomplete. */
export function createJobs(
  foundation: AppContext,
  common: SharedServices,
  finishing: UploadFinalizer,
): Jobs {
  const { options, database, reportError } = foundation;
  const { photos, shares, store, thumbnailWorker, webhookSender, audit, now } = common;
  const uploads = new UploadCleanup({
    unfinished: new UnfinishedUploads(database),
    store,
    finishIfComplete: (upload) => finishing.finishIfComplete(upload),
    reportError,
  });
  const abandonedBefore = (): Date =>
    new Date(now().getTime() - options.lifetimes.unfinishedUploadSeconds * 1000);
  const purgeShortLived = async (signal?: AbortSignal): Promise<void> => {
    await purgeExpired(database, now(), expiringRows(options.auditDays), signal);
    await expireShares({ shares, audit }, signal);
    if (signal?.aborted === true) {
      return;
    }
    await uploads.removeAbandoned(abandonedBefore(), signal);
    await purgeTrash({ photos, store, now, reportError }, signal);
    await removeDeletedFiles({ database, store, reportError }, signal);
  };
  const mail = mailSender(foundation, common);
  return {
    separateJobs: [
      { run: (signal) => moveThumbnails({ database, store }, signal), everyMs: undefined },
      { run: (signal) => webhookSender.run(signal), everyMs: SEND_EVERY_MS },
      ...(mail === undefined
        ? []
        : [{ run: (signal: AbortSignal) => mail.run(signal), everyMs: SEND_EVERY_MS }]),
    ],
    purge: async () => {
      await purgeShortLived();
      await uploads.removeStrays(abandonedBefore());
    },
    jobs: [
      { run: (signal) => uploads.recover(signal), everyMs: undefined },
      { run: purgeShortLived, everyMs: PURGE_EVERY_MS },
      { run: () => thumbnailWorker.catchUp(), everyMs: CATCH_UP_EVERY_MS },
      { run: (signal) => sumPhotoCounts(database, signal), everyMs: SUM_EVERY_MS },
      // A PostgreSQL server does this automatically (autovacuum).
      ...(database.isShared
        ? []
        : [
            {
              run: (signal: AbortSignal) => vacuumChanged(database, signal),
              everyMs: VACUUM_EVERY_MS,
            },
          ]),
      {
        run: (signal) => uploads.removeStrays(abandonedBefore(), signal),
        everyMs: REMOVE_STRAYS_EVERY_MS,
      },
    ],
  };
}

/** Sends mail; undefined for a service without the setting. */
function mailSender(
  { options, database, baseUrl, reportError }: AppContext,
  { limit, now }: SharedServices,
): MailSender | undefined {
  if (options.mail === undefined) {
    return undefined;
  }
  const composer = new MailComposer({
    database,
    limit,
    baseUrl,
    passwordChanges: new PasswordChanges(database, now, () => Promise.resolve()),
    invitations: new Invitations(database, now),
    emailAddresses: new EmailAddresses(database, now),
    notices: noticesOf(EVENTS),
    helpContact: options.helpContact,
  });
  const transport = openMailTransport(options.mail, baseUrl);
  return new MailSender({ database, transport, composer, now, reportError });
}
