import { startDelivery } from '../delivery/index.js';
import { startIdentity } from '../identity/index.js';
import { purgeExpired } from '../kernel/database/cleanup.js';
import { healthOf } from '../kernel/database/health.js';
import { vacuumChanged } from '../kernel/database/vacuum.js';
import type { Handler } from '../kernel/http/handler.js';
import { healthRoute } from '../kernel/http/health-route.js';
import { RequestLimit } from '../kernel/http/request-limit.js';
import { compileRoutes, type FindRoute, type Route } from '../kernel/http/router.js';
import type { Job } from '../kernel/jobs/jobs.js';
import { startKernel, type Kernel } from '../kernel/kernel.js';
import type { MetricsPort } from '../kernel/metrics/metrics-port.js';
import { directOrigin, startLibrary } from '../library/index.js';
import { openProvider, startOauth, type PlatformClient } from '../oauth/index.js';
import { withoutTail } from '../site/addresses/share-paths.js';
import { ClientFiles } from '../site/client-files.js';
import { clientRoute } from '../site/client-route.js';
import { languageRoute } from '../site/language-route.js';
import { createRequestHandler } from '../site/request-pipeline.js';
import { startWorkspace } from '../workspace/index.js';
import type { CheckedOptions } from './config/options.js';
import { appendEvent, EVENTS } from './events.js';
import { expiringRows, flashMessages, menuEntries } from './modules.js';
import { openApiRoute } from './openapi.js';
import { redactPath } from './redact-path.js';
import type { PreparedDatabase } from './starting-database.js';

/** How much longer than the upload handler the request pipeline waits for an upload that brings no bytes, in milliseconds. */
const IDLE_GRACE_MS = 2000;

const PURGE_EVERY_MS = 5 * 60_000;
const VACUUM_EVERY_MS = 60_000;

/** The inputs of the service: checked options, the prepared database, and the receivers of reports. */
export interface AppInputs extends PreparedDatabase {
  readonly options: CheckedOptions;
  readonly clients: PlatformClient[];
  readonly baseUrl: string;
  readonly reportError: (error: unknown) => void;
  readonly counts: MetricsPort;
}

/** The request handler of the service and its background work. */
export interface App {
  readonly handle: Handler;
  /** The routes at the base URL, without the files that pages load. */
  readonly routes: readonly Route[];
  readonly findRoute: FindRoute;
  /** The routes at the separate host of stored files; empty without one. */
  readonly contentRoutes: readonly Route[];
  readonly jobs: readonly Job[];
  /** Checks the storage of uploads, see `UploadStorage.check`. */
  checkStorage(): Promise<void>;
  /** Stops the work on pictures, which runs independently of requests and jobs. */
  close(): Promise<void>;
}

/** Starts the modules over a prepared database, each with those before it, and joins their routes and jobs. */
export async function buildApp({ options, clients, secrets, ...inputs }: AppInputs): Promise<App> {
  const declared = {
    events: EVENTS,
    menu: menuEntries(),
    flashMessages: flashMessages(),
  };
  const kernel = {
    ...startKernel({ ...inputs, ...declared, secrets, appendEvent }, options),
    secrets,
  };
  const identity = startIdentity(kernel, options, (issuing) =>
    openProvider(kernel, options, clients, issuing),
  );
  const oauth = startOauth(kernel, options, clients, identity);
  const library = await startLibrary(kernel, options, identity, oauth);
  const delivery = startDelivery(kernel, identity, oauth, library);
  const workspace = startWorkspace(kernel, identity, oauth, library, delivery);
  const modules = [identity, oauth, library, delivery, workspace];

  const clientFiles = new ClientFiles();
  const described = [
    healthRoute({ isHealthy: healthOf(kernel.database), hasRoom: library.hasRoom }),
    languageRoute(kernel.isSecure),
    ...modules.flatMap(({ routes }) => routes),
  ];
  const routes = [...described, openApiRoute(described)];
  const findRoute = compileRoutes([...routes, clientRoute(clientFiles)]);
  const { contentHost } = delivery;
  return {
    handle: createRequestHandler({
      ...kernel,
      findRoute,
      clientFiles,
      storageOrigin: options.s3 && directOrigin(options.s3),
      contentHost: contentHost && { ...contentHost, findRoute: compileRoutes(contentHost.routes) },
      redactPath,
      withoutTail,
      limit: new RequestLimit(kernel.addressOf),
      requestMs: options.requestSeconds * 1000,
      // The upload handler answers an idle client first. This ends the connection of one that does not read that answer.
      uploadIdleMs: options.uploadIdleSeconds * 1000 + IDLE_GRACE_MS,
    }),
    routes,
    findRoute,
    contentRoutes: contentHost?.routes ?? [],
    jobs: [
      ...modules.flatMap(({ jobs }) => jobs),
      ...identity.mailJobs(delivery.mails),
      ...databaseJobs(kernel, options),
    ],
    checkStorage: () => library.store.check(),
    close: () => library.close(),
  };
}

function databaseJobs({ database, now }: Kernel, { auditDays }: CheckedOptions): Job[] {
  const rows = expiringRows(auditDays);
  const purging: Job = {
    run: (signal) => purgeExpired(database, now(), rows, signal),
    everyMs: PURGE_EVERY_MS,
    isCleanup: true,
  };
  const vacuuming: Job = {
    run: (signal) => vacuumChanged(database, signal),
    everyMs: VACUUM_EVERY_MS,
  };
  // A PostgreSQL server vacuums automatically.
  return database.isShared ? [purging] : [purging, vacuuming];
}
