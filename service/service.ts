import type { EventEmitter } from 'node:events';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import path from 'node:path';
import { Accounts } from './accounts/accounts.js';
import { DEMO_ACCOUNT, seedDemoAccount } from './accounts/demo.js';
import type { DemoAccount } from './accounts/demo.js';
import { PersonalTokens } from './accounts/personal-access-tokens.js';
import { KnownBrowsers } from './accounts/known-browsers.js';
import { PasswordCheck } from './accounts/password-check.js';
import { withAmbientTransactions } from './database/ambient-transaction.js';
import type { AmbientDatabase } from './database/ambient-transaction.js';
import type { Database } from './database/database.js';
import { lockFolder } from './database/folder-lock.js';
import { healthOf } from './database/health.js';
import { migrate } from './database/migrate.js';
import { onBehalfOf } from './database/on-behalf.js';
import { whenAvailable } from './database/patience.js';
import { openEmbeddedDatabase, openMemoryDatabase } from './database/pglite.js';
import { openPostgresDatabase } from './database/postgres.js';
import { analyse, purgeExpired, purgeOrphans } from './database/upkeep.js';
import { ServiceStartError, systemErrorCode } from './errors.js';
import { lineAbout } from './log.js';
import { Housekeeping } from './housekeeping.js';
import type { Chore } from './housekeeping.js';
import { answerMe } from './me/me.js';
import { clientAddress, widestNetwork } from './http/client-address.js';
import { isClientGone } from './http/client-gone.js';
import { chooseLanguage } from './http/language-choice.js';
import { answerMalformed } from './http/malformed-requests.js';
import { listenAt, portOf } from './http/listen.js';
import { providerFront } from './http/provider-front.js';
import { createFront } from './http/front.js';
import type { Handler } from './http/handler.js';
import { answerHealth } from './http/health-answer.js';
import { answerStarting } from './http/starting.js';
import { AttemptLimit } from './limits/attempt-limit.js';
import { FairStart } from './limits/fair-start.js';
import { BearerCheck } from './oauth/bearer.js';
import { FinishedInteractions } from './oauth/finished-interactions.js';
import { FormTokens } from './oauth/form-tokens.js';
import { Connections } from './oauth/grants.js';
import { Interactions } from './oauth/interactions.js';
import { OfficialNames } from './oauth/official-names.js';
import { loadPlatformClients } from './oauth/platform-clients.js';
import type { PlatformClient } from './oauth/platform-clients.js';
import { createProvider, SESSION_SECONDS } from './oauth/provider.js';
import { loadSecrets } from './oauth/secrets.js';
import type { ServiceSecrets } from './oauth/secrets.js';
import { WorkspaceClients } from './oauth/workspace-clients.js';
import { checkOptions } from './options.js';
import type { CheckedOptions, ServiceOptions } from './options.js';
import { SignInStep } from './pages/sign-in-step.js';
import { SettingsPages } from './settings/settings.js';
import { loadCertificate } from './tls.js';
import type { ServiceCertificate } from './tls.js';
import { DiskSpace, freeDiskOf } from './uploads/disk-space.js';
import { openStorage } from './uploads/open-storage.js';
import { SharedUploadLocks } from './uploads/shared-upload-locks.js';
import { UploadLocks } from './uploads/upload-locks.js';
import { UploadRecords } from './uploads/upload-records.js';
import { Uploads } from './uploads/uploads.js';

export { ServiceStartError } from './errors.js';
export type { ServiceStartErrorCode } from './errors.js';
export type { Log, LogLine } from './log.js';
export type { Lifetimes, ServiceOptions, UploadLimits } from './options.js';

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
  /** Removes what has expired and what was given up; happens by itself every few minutes. */
  purge(): Promise<void>;
  /** Lets the requests in flight end, then frees the port, the database and the data folder. */
  close(): Promise<void>;
}

/** How much later than the uploads themselves the front ends one that rests. */
const IDLE_GRACE_MS = 2000;
const PURGE_EVERY_MS = 5 * 60_000;
const PURGE_ORPHANS_EVERY_MS = 3_600_000;
const ANALYSE_EVERY_MS = 10 * 60_000;
export const LONGEST_REQUEST_MS = 3_600_000;
/** Longer than proxies and clients keep a connection, so that they are the ones to end it. */
export const KEEP_ALIVE_MS = 75_000;
const HANDSHAKE_MS = 15_000;

/**
 * Starts the Creative Workspace Service in this process. While its database is away it listens, answers
 * 503, and waits; `options.signal` ends the wait.
 * @throws {ServiceStartError} when an option is wrong, the port is taken or the data folder cannot
 * be used; its message is one sentence for people.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const checked = checkOptions(options);
  // What was acquired, in order; given back in reverse.
  const releases: (() => Promise<void>)[] = [];
  const release = async (): Promise<void> => {
    for (const give of releases.splice(0).reverse()) await give();
  };
  const reportError = (error: unknown): void => {
    const time = checked.now().toISOString();
    checked.log({ time, level: 'error', event: 'server_error', message: lineAbout(error) });
  };
  try {
    await prepareDataDir(checked.dataDir);
    const clients = await loadPlatformClients(checked.platformClients);
    if (checked.databaseUrl === undefined && checked.database === 'embedded') {
      const lockFile = path.join(checked.dataDir, 'service.lock');
      const unlock = lockFolder(lockFile, checked.dataDir);
      releases.push(() => {
        unlock();
        return Promise.resolve();
      });
    }
    // Taken before the slow part, so that a port in use is told at once.
    let handler: Handler = answerStarting(checked.log);
    const certificate = checked.tls
      ? await loadCertificate(checked.dataDir, checked.now())
      : undefined;
    const servers = await listen(checked, () =>
      makeServer(certificate, checked, (request, response) => void handler(request, response)),
    );
    const ownOrigin = originOf(portOf(servers[0]), checked);
    let opened: Database | undefined;
    releases.push(
      async () => {
        await opened?.close();
      },
      ...servers.map((server) => drainOnClose(server, checked.shutdownGraceSeconds * 1000)),
    );

    const { signal } = checked;
    const started = whenAvailable(
      async () => {
        const open = opened ?? (await openDatabase(checked, reportError));
        if (signal.aborted) await open.close();
        signal.throwIfAborted();
        opened = open;
        const database = withAmbientTransactions(open);
        return { database, secrets: await prepareDatabase(database, checked) };
      },
      reportError,
      signal,
    );
    const { database, secrets } = await Promise.race([started, rejectionBy(signal)]).catch(
      async (error: unknown) => {
        // Ends a wait for another process; and nothing may be given back that is still in use.
        const unused = opened;
        opened = undefined;
        await unused?.close();
        await started.catch(() => undefined);
        throw error;
      },
    );

    const baseUrl = checked.baseUrl ?? ownOrigin;
    const service = assemble(checked, { database, secrets, clients, baseUrl, reportError });
    handler = service.handle;
    const housekeeping = new Housekeeping(reportError);
    releases.push(() => housekeeping.close());
    // Not awaited: neither many rows nor one that somebody holds may keep the service from starting.
    housekeeping.start(service.chores);
    return {
      baseUrl,
      demo: DEMO_ACCOUNT,
      hasDemoAccount: checked.demoAccount,
      warnings: checked.warnings,
      listensOn: new URL(ownOrigin).host,
      authorityFile: certificate?.authorityFile,
      purge: service.purge,
      close: release,
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Brings the database to where the service can work with it. May be called again after it failed. */
async function prepareDatabase(
  database: Database,
  options: CheckedOptions,
): Promise<ServiceSecrets> {
  await migrate(database);
  if (options.demoAccount) await seedDemoAccount(database);
  return loadSecrets(database);
}

/** What {@link assemble} builds the service on. */
interface Foundation {
  readonly database: AmbientDatabase;
  readonly secrets: ServiceSecrets;
  readonly clients: PlatformClient[];
  readonly baseUrl: string;
  readonly reportError: (error: unknown) => void;
}

/** Builds the parts over a prepared database and wires them. */
function assemble(
  options: CheckedOptions,
  { database, secrets, clients, baseUrl, reportError }: Foundation,
): { handle: Handler; purge: () => Promise<void>; chores: Chore[] } {
  const { log, now, lifetimes } = options;
  const formTokens = new FormTokens(secrets.formKey);
  const limit = new AttemptLimit(database, now);
  const addressOf = clientAddress(options.trustedProxies);
  const accounts = new Accounts(database, options.demoAccount ? undefined : DEMO_ACCOUNT.password);
  const isSecure = baseUrl.startsWith('https:');
  const knownBrowsers = new KnownBrowsers(formTokens, isSecure, now);
  const passwords = new PasswordCheck({ accounts, limit, addressOf, knownBrowsers });
  const personalTokens = new PersonalTokens(database, now);
  const demo = options.demoAccount && options.showDemoAccount ? DEMO_ACCOUNT : undefined;
  const signIn = new SignInStep(passwords, demo);
  const finished = new FinishedInteractions(database, now);
  const provider = createProvider({
    baseUrl,
    database,
    accounts,
    clients,
    secrets,
    formTokens,
    finished,
    limit,
    addressOf,
    lifetimes,
    now,
  });
  // Koa's own error event, which the provider's types leave out; without a listener it prints stacks.
  // It tells what happens after a request was handled: most often that the client is gone.
  const koaEvents: EventEmitter = provider;
  koaEvents.on('error', (error: unknown, context?: { readonly res: ServerResponse }) => {
    if (context === undefined || !isClientGone(error, context.res)) reportError(error);
  });
  const interactions = new Interactions({
    provider,
    accounts,
    finished,
    signIn,
    formTokens,
    sessionSeconds: SESSION_SECONDS,
  });
  const settings = new SettingsPages({
    provider,
    accounts,
    signIn,
    connections: new Connections(database, now),
    clients: new WorkspaceClients(database, now),
    officialNames: new OfficialNames(clients.map((client) => client.client_name)),
    personalTokens,
    formTokens,
    sessionSeconds: SESSION_SECONDS,
  });
  const records = new UploadRecords(database);
  const uploadFolder = path.join(options.dataDir, 'uploads');
  const space = new DiskSpace(
    options.s3 === undefined ? (options.freeDiskBytes ?? freeDiskOf(uploadFolder)) : undefined,
    options.uploads.minFreeDiskBytes,
  );
  const localLocks = new UploadLocks();
  const bearer = new BearerCheck(provider, database, personalTokens, now);
  const uploads = new Uploads({
    bearer,
    records,
    store: openStorage(options, records),
    space,
    limits: options.uploads,
    idleSeconds: options.uploadIdleSeconds,
    locks: database.isShared ? new SharedUploadLocks(localLocks, database) : localLocks,
    log,
    now,
  });
  const start = new FairStart();
  const front = createFront(
    {
      oauth: providerFront(provider),
      me: answerMe({ bearer, database, provider }),
      interaction: (request, response) => interactions.handle(request, response),
      settings: (request, response, match) => settings.handle(request, response, match),
      language: chooseLanguage(isSecure),
      health: answerHealth({ isHealthy: healthOf(database), hasRoom: () => space.hasRoomFor(0) }),
      uploads: (request, response, about) => uploads.handle(request, response, about),
    },
    {
      log,
      baseUrl,
      requestMs: options.requestSeconds * 1000,
      // The uploads answer a client that rests; this is for one that does not read that either.
      uploadIdleMs: options.uploadIdleSeconds * 1000 + IDLE_GRACE_MS,
    },
  );
  const purgeShortLived = async (signal?: AbortSignal): Promise<void> => {
    await purgeExpired(database, now(), signal);
    const keepMs = lifetimes.unfinishedUploadSeconds * 1000;
    if (signal?.aborted === true) return;
    await uploads.removeAbandoned(new Date(now().getTime() - keepMs), signal);
  };
  return {
    handle: async (request, response) => {
      const who = widestNetwork(addressOf(request));
      await start.turn(who);
      if (response.destroyed) return;
      await onBehalfOf(who, () => front(request, response));
    },
    purge: async () => {
      await purgeShortLived();
      await purgeOrphans(database, now());
    },
    chores: [
      { run: (signal) => uploads.recover(signal), everyMs: undefined },
      { run: purgeShortLived, everyMs: PURGE_EVERY_MS },
      // A PostgreSQL server does so by itself.
      ...(database.isShared ? [] : [{ run: () => analyse(database), everyMs: ANALYSE_EVERY_MS }]),
      {
        run: (signal) => purgeOrphans(database, now(), signal),
        everyMs: PURGE_ORPHANS_EVERY_MS,
      },
    ],
  };
}

async function prepareDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    const probe = path.join(dataDir, `.write-test-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe, { force: true });
  } catch (cause) {
    throw new ServiceStartError(
      'data_dir_not_writable',
      `Cannot write to the data folder ${dataDir} (${systemErrorCode(cause) || 'unknown reason'}); choose another folder.`,
      { cause },
    );
  }
}

async function openDatabase(
  options: CheckedOptions,
  onConnectionLost: (error: Error) => void,
): Promise<Database> {
  if (options.databaseUrl !== undefined) {
    return openPostgresDatabase(options.databaseUrl, onConnectionLost);
  }
  if (typeof options.database === 'object') return options.database;
  if (options.database === 'memory') return openMemoryDatabase(options.memoryDatabaseCache);
  const folder = path.join(options.dataDir, 'database');
  await mkdir(folder, { recursive: true });
  // It holds password hashes and the service's keys.
  await chmod(folder, 0o700);
  return openEmbeddedDatabase(folder);
}

/** Rejects when the signal is aborted, with its reason; never resolves. */
function rejectionBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}

function makeServer(
  certificate: ServiceCertificate | undefined,
  { requestSeconds }: CheckedOptions,
  listener: RequestListener,
): Server {
  const limits = {
    headersTimeout: requestSeconds * 1000,
    // Uploads: a big file on a slow line takes long. The router limits everything else.
    requestTimeout: LONGEST_REQUEST_MS,
    // How exactly those two are kept.
    connectionsCheckingInterval: Math.min(5000, requestSeconds * 500),
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server =
    certificate === undefined
      ? createServer(limits, listener)
      : createTlsServer(
          {
            ...limits,
            key: certificate.key,
            cert: certificate.chain,
            minVersion: 'TLSv1.2',
            handshakeTimeout: HANDSHAKE_MS,
          },
          listener,
        );
  // Node would ask for every body that is announced; the router does so for those that it takes.
  server.on('checkContinue', (request, response) => {
    server.emit('request', request, response);
  });
  answerMalformed(server);
  return server;
}

async function listen(
  { port, host }: CheckedOptions,
  make: () => Server,
): Promise<[Server, ...Server[]]> {
  try {
    return await listenAt(make, { port, host });
  } catch (cause) {
    throw systemErrorCode(cause) === 'EADDRINUSE'
      ? new ServiceStartError(
          'port_in_use',
          `Port ${port} on ${host} is in use; choose another port.`,
          { cause },
        )
      : new ServiceStartError(
          'cannot_listen',
          `Cannot listen on ${host}, port ${port} (${systemErrorCode(cause)}).`,
          { cause },
        );
  }
}

function originOf(port: number, { host, tls }: CheckedOptions): string {
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Makes a function that closes the server when its requests have been answered. Connections that
 * are idle, or become so, are closed at once; what is left after the grace time is cut.
 */
function drainOnClose(server: Server, graceMs: number): () => Promise<void> {
  let closing = false;
  server.prependListener('request', (_request, response) => {
    if (closing) response.setHeader('Connection', 'close');
    response.once('close', () => {
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
  });
  return () =>
    new Promise((resolve) => {
      closing = true;
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      server.closeIdleConnections();
    });
}
