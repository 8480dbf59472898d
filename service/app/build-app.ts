import { directOrigin, UploadFinalizer } from '../library/index.js';
import { contentRoutes } from '../delivery/index.js';
import type { Handler } from '../kernel/http/handler.js';
import { RequestLimit } from '../kernel/http/request-limit.js';
import { ClientFiles } from '../site/client-files.js';
import { clientRoute } from '../site/client-route.js';
import { createRequestHandler, type PipelineOptions } from '../site/request-pipeline.js';
import { compileRoutes, type FindRoute } from '../kernel/http/router.js';
import { createJobs, type Jobs } from './jobs.js';
import { sharedServices, type SharedServices } from './shared-services.js';
import type { AppContext } from './app-context.js';
import { withoutTail } from '../site/addresses/share-paths.js';
import { redactPath } from './redact-path.js';
import { serviceRoutes } from './routes.js';
import { routeServices } from './services.js';

/** How much longer than the upload handler the request pipeline waits for an upload that brings no bytes, in milliseconds. */
const IDLE_GRACE_MS = 2000;

/** The request handler of the service and its background work. */
export interface App extends Jobs {
  readonly handle: Handler;
  /** Finds a route at the base URL. */
  readonly findRoute: FindRoute;
  /** Checks the storage of uploads, see `UploadStorage.check`. */
  checkStorage(): Promise<void>;
  /** Stops the work on pictures, which runs independently of requests and jobs. */
  close(): Promise<void>;
}

/** Builds the parts of the service over a prepared database, and connects them. */
export function buildApp(foundation: AppContext): App {
  const common = sharedServices(foundation);
  const finishing = new UploadFinalizer({
    uploads: common.table,
    store: common.store,
    now: common.now,
    reportError: foundation.reportError,
    onFinished: (photo, head) => {
      common.thumbnailWorker.enqueue(photo, head);
    },
  });
  const clientFiles = new ClientFiles();
  const findRoute = compileRoutes([
    ...serviceRoutes(routeServices(foundation, common, finishing)),
    clientRoute(clientFiles),
  ]);
  return {
    handle: requestHandler(foundation, common, { findRoute, clientFiles }),
    findRoute,
    ...createJobs(foundation, common, finishing),
    checkStorage: () => common.store.check(),
    close: async () => {
      await Promise.all([common.watermarks.close(), common.thumbnailWorker.close()]);
    },
  };
}

function requestHandler(
  { options, baseUrl }: AppContext,
  { content, ...common }: SharedServices,
  { findRoute, clientFiles }: Pick<PipelineOptions, 'findRoute' | 'clientFiles'>,
): Handler {
  return createRequestHandler({
    findRoute,
    clientFiles,
    storageOrigin: options.s3 && directOrigin(options.s3),
    contentHost: content && {
      origin: content.origin,
      findRoute: compileRoutes(contentRoutes({ ...common, addresses: content })),
    },
    addressOf: common.addressOf,
    redactPath,
    withoutTail,
    log: options.log,
    limit: new RequestLimit(common.addressOf),
    baseUrl,
    requestMs: options.requestSeconds * 1000,
    // The upload handler answers an idle client first. This ends the connection of one that does not read that answer.
    uploadIdleMs: options.uploadIdleSeconds * 1000 + IDLE_GRACE_MS,
  });
}
