import path from 'node:path';
import { DEMO_ACCOUNT, type DemoAccount } from './accounts/demo.js';
import { assemble } from './assembly/assemble.js';
import { prepareDataDir } from './data-folder.js';
import { lockFolder } from './database/folder-lock.js';
import type { PoolState } from './database/database.js';
import { StartingDatabase } from './starting-database.js';
import { Housekeeping } from './housekeeping.js';
import type { Handler } from './http/handler.js';
import { listen } from './http/server.js';
import { answerStarting } from './http/starting.js';
import { lineAbout } from './log.js';
import { answerMetrics } from './metrics/answer.js';
import { NO_COUNTS } from './metrics/counts.js';
import { Metrics } from './metrics/metrics.js';
import { loadPlatformClients } from './oauth/platform-clients.js';
import { checkOptions, type CheckedOptions, type ServiceOptions } from './options.js';
import { loadCertificate } from './tls.js';

export type { LogLine } from './log.js';
export type { Lifetimes, ServiceOptions } from './options.js';

/** A service that accepts requests. */
export interface RunningService {
  /** The origin under which clients and browsers reach it, without a slash at the end. */
  readonly baseUrl: string;
  /** The demo sign-in; it works only where the option `demoAccount` is on. */
  readonly demo: DemoAccount;
  readonly hasDemoAccount: boolean;
  /** What the operator should know about the options, each one line; most often none. */
  readonly warnings: readonly string[];
  /** Where it listens, as `host:port`; behind a proxy this is not the base URL. */
  readonly listensOn: string;
  /** With `tls`: the file of the certificate that clients have to trust. */
  readonly authorityFile: string | undefined;
  /** Where the operator's monitoring reads, with `metricsPort`. */
  readonly metricsUrl: string | undefined;
  /** Removes what has expired and what was given up; happens by itself every few minutes. */
  purge(): Promise<void>;
  /** Lets the requests in flight end, then frees the port, the database and the data folder. */
  close(): Promise<void>;
}

/** What was acquired, to be given back in reverse. */
class Acquired {
  private readonly releases: (() => Promise<void> | void)[] = [];

  add(release: () => Promise<void> | void): void {
    this.releases.push(release);
  }

  async release(): Promise<void> {
    for (const release of this.releases.splice(0).reverse()) {
      await release();
    }
  }
}

/**
 * Starts the Creative Workspace Service in this process. While its database is away it listens, answers
 * 503, and waits; `options.signal` ends the wait.
 * @throws {ServiceStartError} when an option is wrong, the port is taken or the data folder cannot
 * be used; its message is one sentence for people.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const checked = checkOptions(options);
  const acquired = new Acquired();
  try {
    return await start(checked, acquired);
  } catch (error) {
    await acquired.release();
    throw error;
  }
}

async function start(options: CheckedOptions, acquired: Acquired): Promise<RunningService> {
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

  // Taken before the slow part, so that a port in use is told at once.
  let handler: Handler = answerStarting(options.log);
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
  const counts = metrics ?? NO_COUNTS;
  const service = assemble({ ...prepared, options, clients, baseUrl, reportError, counts });
  handler = metrics?.around(service.handle) ?? service.handle;
  acquired.add(() => service.close());
  const housekeeping = new Housekeeping(reportError);
  acquired.add(() => housekeeping.close());
  // Not awaited: neither many rows nor one that somebody holds may keep the service from starting.
  housekeeping.start(service.chores);
  return {
    baseUrl,
    demo: DEMO_ACCOUNT,
    hasDemoAccount: options.demoAccount,
    warnings: options.warnings,
    listensOn: new URL(listening.origin).host,
    authorityFile: certificate?.authorityFile,
    metricsUrl: metricsOrigin && `${metricsOrigin}/metrics`,
    purge: () => service.purge(),
    close: () => acquired.release(),
  };
}

/** Opens the port for the monitoring, if there is to be one. It answers while the database is waited for, too. */
async function startMetrics(
  options: CheckedOptions,
  acquired: Acquired,
  parts: {
    readonly poolState: () => PoolState | undefined;
    readonly reportError: (error: unknown) => void;
  },
): Promise<{ metrics: Metrics | undefined; origin: string | undefined }> {
  if (options.metricsPort === undefined) {
    return { metrics: undefined, origin: undefined };
  }
  const metrics = new Metrics(parts.poolState);
  const { metricsHost: host, metricsPort: port } = options;
  const listening = await listen(
    { ...options, host, port, certificate: undefined },
    answerMetrics(metrics, parts.reportError),
  );
  acquired.add(() => listening.close());
  return { metrics, origin: listening.origin };
}
