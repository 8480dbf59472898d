import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ResourceStack } from './kernel/resource-stack.js';
import { DEMO_ACCOUNT, type DemoAccount } from './identity/index.js';
import { buildApp } from './app/build-app.js';
import { redactPath } from './app/redact-path.js';
import { prepareDataDir } from './app/data-folder.js';
import { lockFolder } from './kernel/database/folder-lock.js';
import { waitForDatabase } from './kernel/database/wait-for-database.js';
import type { PoolState } from './kernel/database/database.js';
import { StartingDatabase } from './app/starting-database.js';
import { startJobs } from './kernel/jobs/jobs.js';
import type { Handler } from './kernel/http/handler.js';
import { listen } from './kernel/http/server.js';
import { clientAddress } from './kernel/http/request/client-address.js';
import { createStartupHandler } from './site/startup-handler.js';
import { lineAbout } from './kernel/log.js';
import { sendMetrics } from './kernel/metrics/endpoint.js';
import { NOOP_METRICS } from './kernel/metrics/metrics-port.js';
import { Metrics } from './kernel/metrics/metrics.js';
import { loadPlatformClients } from './oauth/index.js';
import { checkOptions, type CheckedOptions, type ServiceOptions } from './app/config/options.js';
import { loadCertificate } from './kernel/tls/tls.js';

export type { LogLine } from './kernel/log.js';
export type { Lifetimes, ServiceOptions } from './app/config/options.js';

/** A service that accepts requests. */
export interface RunningService {
  /** The origin under which clients and browsers reach the service, without a slash at the end. */
  readonly baseUrl: string;
  /** The demo sign-in; it works only where the option `demoAccount` is on. */
  readonly demo: DemoAccount;
  readonly hasDemoAccount: boolean;
  /** Warnings about the options, for the operator; each is one line. Most often there are none. */
  readonly warnings: readonly string[];
  /** Where the service listens, as `host:port`. Behind a proxy this differs from the base URL. */
  readonly listensOn: string;
  /** The version of the service, as in package.json. */
  readonly version: string;
  /** The database and the storage of uploads, for the operator, without credentials. */
  readonly uses: { readonly database: string; readonly storage: string };
  /** How many proxies are trusted, see {@link ServiceOptions.trustedProxies}. */
  readonly trustedProxies: number;
  /** With `tls`: path of the file with the certificate of the authority that clients have to trust; else undefined. */
  readonly authorityFile: string | undefined;
  /** With `metricsPort`: the URL for the operator's monitoring; else undefined. */
  readonly metricsUrl: string | undefined;
  /**
   * Removes expired, abandoned and orphaned records and files. The service does this automatically: most of it every
   * few minutes, the rest once a day.
   */
  purge(): Promise<void>;
  /**
   * Takes no new connections, lets the requests in flight end, and frees the ports, the database and the data folder.
   */
  close(): Promise<void>;
}

/**
 * Starts the Creative Workspace Service in this process. While its database or its storage is unavailable, it listens,
 * answers 503 and waits. When `options.signal` is aborted, it stops waiting and rejects. After an error, everything is
 * closed.
 * @throws {ServiceStartError} when an option is wrong, or a port, the data folder, the database, the storage or the
 *   registry of platform clients cannot be used. Its message is one sentence for the operator.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const checked = checkOptions(options);
  const acquired = new ResourceStack();
  try {
    return await start(checked, acquired);
  } catch (error) {
    // Why it could not start matters more than what could not be released after that.
    await acquired.release().catch(() => undefined);
    throw error;
  }
}

async function start(options: CheckedOptions, acquired: ResourceStack): Promise<RunningService> {
  const reportError = (error: unknown): void => {
    const time = options.now().toISOString();
    options.log({ time, level: 'error', event: 'server_error', message: lineAbout(error) });
  };
  await prepareDataDir(options.dataDir);
  const clients = await loadPlatformClients(options.platformClients);
  if (options.databaseUrl === undefined && options.database === 'embedded') {
    acquired.add(lockFolder(path.join(options.dataDir, 'service.lock'), options.dataDir));
  }
  const certificate = options.tls
    ? await loadCertificate(options.dataDir, options.now())
    : undefined;

  // The port is opened before the slow part of the start, so that a port in use is reported at once.
  const isSecure = options.baseUrl?.startsWith('https:') ?? options.tls;
  let handler: Handler = createStartupHandler({
    log: options.log,
    addressOf: clientAddress(options.trustedProxies),
    redactPath,
    isSecure,
  });
  const listening = await listen({ ...options, certificate }, (request, response) =>
    handler(request, response),
  );
  const starting = new StartingDatabase(options, reportError);
  acquired.add(() => starting.close());
  acquired.add(() => listening.close());
  const { metrics, origin: metricsOrigin } = await startMetrics(options, acquired, {
    poolState: () => starting.poolState(),
    reportError,
  });
  const prepared = await starting.open();

  const baseUrl = options.baseUrl ?? listening.origin;
  const counts = metrics ?? NOOP_METRICS;
  const service = await buildApp({ ...prepared, options, clients, baseUrl, reportError, counts });
  acquired.add(() => service.close());
  await waitForDatabase(() => service.checkStorage(), reportError, options.signal);
  handler = metrics?.around(service.handle, service.findRoute) ?? service.handle;
  const version = await readVersion();
  // Nothing is awaited after this: on the embedded database the first runs of all jobs would delay the caller.
  const jobs = startJobs(service.jobs, reportError);
  acquired.add(() => jobs.close());
  return {
    baseUrl,
    demo: DEMO_ACCOUNT,
    hasDemoAccount: options.demoAccount,
    warnings: options.warnings,
    listensOn: new URL(listening.origin).host,
    version,
    uses: {
      database: prepared.database.description ?? databaseOf(options),
      storage: storageOf(options),
    },
    trustedProxies: options.trustedProxies,
    authorityFile: certificate?.authorityFile,
    metricsUrl: metricsOrigin && `${metricsOrigin}/metrics`,
    purge: () => jobs.cleanUp(),
    close: () => acquired.release(),
  };
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version?: unknown };
  return String(version);
}

function databaseOf({ database, dataDir }: CheckedOptions): string {
  return database === 'embedded'
    ? `embedded, in ${path.join(dataDir, 'database')}`
    : 'embedded, in memory';
}

function storageOf({ s3, dataDir }: CheckedOptions): string {
  if (s3 === undefined) {
    return path.join(dataDir, 'uploads');
  }
  const host = s3.endpoint === undefined ? `Amazon S3, ${s3.region}` : new URL(s3.endpoint).host;
  return `bucket ${s3.bucket} (${host})`;
}

/** Opens the port for the monitoring, if the options name one. It answers already while the database is away. */
async function startMetrics(
  options: CheckedOptions,
  acquired: ResourceStack,
  deps: {
    readonly poolState: () => PoolState | undefined;
    readonly reportError: (error: unknown) => void;
  },
): Promise<{ metrics: Metrics | undefined; origin: string | undefined }> {
  if (options.metricsPort === undefined) {
    return { metrics: undefined, origin: undefined };
  }
  const metrics = new Metrics(deps.poolState);
  const { metricsHost: host, metricsPort: port } = options;
  const listening = await listen(
    { ...options, host, port, portOption: 'METRICS_PORT', certificate: undefined },
    sendMetrics(metrics, host, deps.reportError),
  );
  acquired.add(() => listening.close());
  return { metrics, origin: listening.origin };
}
