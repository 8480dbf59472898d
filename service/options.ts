import type { Database } from './database/database.js';
import { ServiceStartError } from './errors.js';
import type { Log } from './log.js';

/** How long things live, in seconds. */
export interface Lifetimes {
  /** Life of an access token (`expires_in`, RFC 6749 §5.1). Default 3600. */
  readonly accessTokenSeconds: number;
  /** Life of a refresh token, counted anew at each rotation. Default 90 days. */
  readonly refreshTokenSeconds: number;
  /** Life of a device code and its user code (`expires_in`, RFC 8628 §3.2). Default 900. */
  readonly deviceCodeSeconds: number;
  /** Least time between two polls (`interval`, RFC 8628 §3.2). Default 5. */
  readonly pollIntervalSeconds: number;
  /** How long an unfinished upload is kept after the last bytes came in. Default 7 days. */
  readonly unfinishedUploadSeconds: number;
}

/** Where and how uploads are kept in S3-compatible storage. */
export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Address of the storage when it is not Amazon's; buckets are then named in the path. */
  readonly endpoint?: string;
  /** Without them the SDK looks for credentials in its usual places. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** What {@link startService} takes. Everything but `dataDir` has a default. */
export interface ServiceOptions {
  /** TCP port; 0 takes a free one. Default 8780. */
  readonly port?: number;
  /** Address to listen on. Default 127.0.0.1: this machine only. */
  readonly host?: string;
  /**
   * Serve https with a certificate for this machine, which is made at the first use and kept in `<dataDir>/tls`.
   * Clients have to trust it, see `RunningService.authorityFile`. Default false.
   */
  readonly tls?: boolean;
  /** Folder for the database and the uploads; made when missing. */
  readonly dataDir: string;
  /** The origin that clients and browsers use, when it differs from `http(s)://host:port` (a proxy). */
  readonly baseUrl?: string;
  readonly lifetimes?: Partial<Lifetimes>;
  /**
   * `embedded` (default) keeps the database in `<dataDir>/database`; `memory` forgets it at close; an
   * open one is used as it is, and closed with the service.
   */
  readonly database?: 'embedded' | 'memory' | Database;
  /** A PostgreSQL server to use instead, see {@link openPostgresDatabase}; then `database` is unused. */
  readonly databaseUrl?: string;
  /** With `memory`: a file that keeps an empty database, which makes the start faster; for tests. */
  readonly memoryDatabaseCache?: string;
  /** Whether there is a demo account at all. Default true, but false with `databaseUrl`. */
  readonly demoAccount?: boolean;
  /** Whether the sign-in page tells the demo account. Default true. */
  readonly showDemoAccount?: boolean;
  /** File with the registry of platform clients. Default: the one that comes with the service. */
  readonly platformClients?: string;
  /**
   * How many proxies in front of the service are ours; so many entries at the end of
   * `X-Forwarded-For` are believed. Default 0: the header is ignored.
   */
  readonly trustedProxies?: number;
  /** How long requests in flight may go on when the service closes, in seconds. Default 10. */
  readonly shutdownGraceSeconds?: number;
  /** Keep uploads in S3-compatible storage instead of `<dataDir>/uploads`. */
  readonly s3?: S3Options;
  /** Receives structured log lines. Default: none are written. */
  readonly log?: Log;
  /** The clock for the poll interval and for records; `oidc-provider` keeps the machine's own. */
  readonly now?: () => Date;
}

/** {@link ServiceOptions} with every default filled in and every value checked. */
export interface CheckedOptions {
  readonly port: number;
  readonly host: string;
  readonly tls: boolean;
  readonly dataDir: string;
  readonly baseUrl: string | undefined;
  readonly lifetimes: Lifetimes;
  readonly database: 'embedded' | 'memory' | Database;
  readonly databaseUrl: string | undefined;
  readonly memoryDatabaseCache: string | undefined;
  readonly demoAccount: boolean;
  readonly showDemoAccount: boolean;
  readonly platformClients: string | undefined;
  readonly trustedProxies: number;
  readonly shutdownGraceSeconds: number;
  readonly s3: S3Options | undefined;
  readonly log: Log;
  readonly now: () => Date;
}

const DEFAULT_LIFETIMES: Lifetimes = {
  accessTokenSeconds: 3600,
  refreshTokenSeconds: 90 * 24 * 3600,
  deviceCodeSeconds: 900,
  pollIntervalSeconds: 5,
  unfinishedUploadSeconds: 7 * 24 * 3600,
};

/**
 * Checks the options and fills in the defaults.
 * @throws {ServiceStartError} `invalid_option`, naming the option and what it must be.
 */
export function checkOptions(options: ServiceOptions): CheckedOptions {
  const port = options.port ?? 8780;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalid('port must be a whole number from 0 to 65535');
  }
  const host = options.host ?? '127.0.0.1';
  if (!/^[A-Za-z0-9.:_-]+$/.test(host)) {
    throw invalid('host must be a host name or an IP address');
  }
  if (options.dataDir.trim() === '') {
    throw invalid('the data folder must not be empty');
  }
  return {
    port,
    host,
    tls: options.tls ?? false,
    dataDir: options.dataDir,
    baseUrl: options.baseUrl === undefined ? undefined : checkBaseUrl(options.baseUrl),
    lifetimes: checkLifetimes(options.lifetimes ?? {}),
    database: options.database ?? 'embedded',
    databaseUrl:
      options.databaseUrl === undefined ? undefined : checkDatabaseUrl(options.databaseUrl),
    memoryDatabaseCache: options.memoryDatabaseCache,
    // Everybody knows its password: on a shared database it is there only when asked for.
    demoAccount: options.demoAccount ?? options.databaseUrl === undefined,
    showDemoAccount: options.showDemoAccount ?? true,
    platformClients: options.platformClients,
    trustedProxies: checkCount('trustedProxies', options.trustedProxies ?? 0),
    shutdownGraceSeconds: checkCount('shutdownGraceSeconds', options.shutdownGraceSeconds ?? 10),
    s3: options.s3,
    log: options.log ?? (() => undefined),
    now: options.now ?? (() => new Date()),
  };
}

function checkLifetimes(given: Partial<Lifetimes>): Lifetimes {
  const lifetimes: Lifetimes = { ...DEFAULT_LIFETIMES, ...given };
  for (const [name, seconds] of Object.entries(lifetimes) as [keyof Lifetimes, number][]) {
    if (!Number.isInteger(seconds) || seconds < 1) {
      throw invalid(`${name} must be a whole number of seconds, at least 1`);
    }
  }
  return lifetimes;
}

function checkCount(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 0) {
    throw invalid(`${name} must be a whole number, at least 0`);
  }
  return value;
}

/** The message never repeats the address: it holds a password. */
function checkDatabaseUrl(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl) || !/^postgres(ql)?:$/.test(new URL(databaseUrl).protocol)) {
    throw invalid('the database URL must look like postgres://user:password@host:5432/database');
  }
  return databaseUrl;
}

/** A base URL is an origin: the paths below it are fixed by the interface. */
function checkBaseUrl(baseUrl: string): string {
  const problem = 'the base URL must be an http or https origin such as https://service.example';
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch (cause) {
    throw invalid(problem, { cause });
  }
  if (!/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search + url.hash !== '') {
    throw invalid(problem);
  }
  return url.origin;
}

function invalid(sentence: string, options?: ErrorOptions): ServiceStartError {
  return new ServiceStartError('invalid_option', `Invalid option: ${sentence}.`, options);
}
