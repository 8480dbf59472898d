import type { Database } from './database/database.js';
import { ServiceStartError } from './errors.js';
import { isLoopback } from './http/loopback.js';
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

/** What uploads may take of what everybody shares. */
export interface UploadLimits {
  /**
   * Room of one workspace in bytes. Unfinished uploads count with their whole length, and each
   * upload with 16 KiB more than its bytes. Default 100 GiB.
   */
  readonly workspaceBytes: number;
  /** Free disk in bytes that uploads leave for the database and the machine. Default 1 GiB. */
  readonly minFreeDiskBytes: number;
  /** Unfinished uploads that one person may have in one workspace. Default 1000. */
  readonly unfinishedUploads: number;
  /** How often a long request is checked for a permission that ended, in seconds. Default 30. */
  readonly recheckSeconds: number;
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
  /**
   * Address to listen on. Default `localhost`: 127.0.0.1 and ::1, this machine only. One that others reach needs a
   * `baseUrl`.
   */
  readonly host?: string;
  /**
   * Serve https with a certificate for this machine, which is made at the first use and kept in `<dataDir>/tls`.
   * Clients have to trust it, see `RunningService.authorityFile`. Default false.
   */
  readonly tls?: boolean;
  /** Folder for the database and the uploads; made when missing. */
  readonly dataDir: string;
  /**
   * The origin that clients and browsers use, when it differs from `http(s)://host:port` (a proxy). It is
   * https, or http under a name of this machine alone: see {@link isLoopback}.
   */
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
  /**
   * Whether there is a demo account at all; where there is none, nobody can sign in with its password.
   * Default true, but false with `databaseUrl` and where other machines can reach the service.
   */
  readonly demoAccount?: boolean;
  /** Whether the sign-in page tells the demo account. Default true, but false where other machines can reach it. */
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
  /**
   * How long a request that is no upload may take, from its headers to the last byte of the answer,
   * in seconds; its headers may take as long again. Default 30.
   */
  readonly requestSeconds?: number;
  /** How long an upload may bring no byte before its connection is ended, in seconds. Default 60. */
  readonly uploadIdleSeconds?: number;
  /** Keep uploads in S3-compatible storage instead of `<dataDir>/uploads`. */
  readonly s3?: S3Options;
  /** What uploads may take. */
  readonly uploads?: Partial<UploadLimits>;
  /** Tells the free disk in bytes. Default: asks the file system of `<dataDir>/uploads`. */
  readonly freeDiskBytes?: () => Promise<number>;
  /** Gives up a start that still waits for its database; see {@link startService}. */
  readonly signal?: AbortSignal;
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
  readonly requestSeconds: number;
  readonly uploadIdleSeconds: number;
  readonly s3: S3Options | undefined;
  readonly uploads: UploadLimits;
  readonly freeDiskBytes: (() => Promise<number>) | undefined;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly now: () => Date;
  /** What the operator should know about this choice of options, each one line. */
  readonly warnings: readonly string[];
}

const DEFAULT_LIFETIMES: Lifetimes = {
  accessTokenSeconds: 3600,
  refreshTokenSeconds: 90 * 24 * 3600,
  deviceCodeSeconds: 900,
  pollIntervalSeconds: 5,
  unfinishedUploadSeconds: 7 * 24 * 3600,
};

const DEFAULT_UPLOAD_LIMITS: UploadLimits = {
  workspaceBytes: 100 * 1024 ** 3,
  minFreeDiskBytes: 1024 ** 3,
  unfinishedUploads: 1000,
  recheckSeconds: 30,
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
  const host = options.host ?? 'localhost';
  if (!/^[A-Za-z0-9.:_-]+$/.test(host)) {
    throw invalid('host must be a host name or an IP address');
  }
  if (options.dataDir.trim() === '') {
    throw invalid('the data folder must not be empty');
  }
  const tls = options.tls ?? false;
  const baseUrl = options.baseUrl === undefined ? undefined : checkBaseUrl(options.baseUrl, tls);
  if (baseUrl === undefined && !isLoopback(host)) {
    throw invalid(
      `a service that listens on ${host} needs a base URL: the https origin that people use, or http://localhost:${port} if only this machine reaches it (a container)`,
    );
  }
  // Other machines can send requests, whether or not they are meant to.
  const isExposed =
    !isLoopback(host) || (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname));
  // Everybody knows its password: where others come in, it is there only when asked for.
  const demoAccount = options.demoAccount ?? (options.databaseUrl === undefined && !isExposed);
  return {
    port,
    host,
    tls,
    dataDir: options.dataDir,
    baseUrl,
    lifetimes: checkLifetimes(options.lifetimes ?? {}),
    database: options.database ?? 'embedded',
    databaseUrl:
      options.databaseUrl === undefined ? undefined : checkDatabaseUrl(options.databaseUrl),
    memoryDatabaseCache: options.memoryDatabaseCache,
    demoAccount,
    showDemoAccount: options.showDemoAccount ?? !isExposed,
    platformClients: options.platformClients,
    trustedProxies: checkCount('trustedProxies', options.trustedProxies ?? 0),
    shutdownGraceSeconds: checkCount('shutdownGraceSeconds', options.shutdownGraceSeconds ?? 10),
    requestSeconds: checkSeconds('requestSeconds', options.requestSeconds ?? 30),
    uploadIdleSeconds: checkSeconds('uploadIdleSeconds', options.uploadIdleSeconds ?? 60),
    s3: options.s3 && checkS3(options.s3),
    uploads: checkUploadLimits(options.uploads ?? {}),
    freeDiskBytes: options.freeDiskBytes,
    signal: options.signal ?? new AbortController().signal,
    log: options.log ?? (() => undefined),
    now: options.now ?? (() => new Date()),
    warnings: warningsAbout({ host, baseUrl, isExposed, demoAccount }),
  };
}

function warningsAbout(chosen: {
  host: string;
  baseUrl: string | undefined;
  isExposed: boolean;
  demoAccount: boolean;
}): string[] {
  const warnings: string[] = [];
  if (chosen.isExposed && chosen.demoAccount) {
    warnings.push(
      'The demo account is on, and other machines can reach this service: everybody knows its password.',
    );
  }
  if (!isLoopback(chosen.host) && chosen.baseUrl?.startsWith('http:') === true) {
    warnings.push(
      `Listening on ${chosen.host} without TLS: other machines that come in send passwords and tokens in clear. Publish the port to this machine only.`,
    );
  }
  return warnings;
}

function checkLifetimes(given: Partial<Lifetimes>): Lifetimes {
  const lifetimes: Lifetimes = { ...DEFAULT_LIFETIMES, ...given };
  for (const [name, seconds] of Object.entries(lifetimes) as [keyof Lifetimes, number][]) {
    checkSeconds(name, seconds);
  }
  return lifetimes;
}

function checkSeconds(name: string, seconds: number): number {
  if (!Number.isInteger(seconds) || seconds < 1) {
    throw invalid(`${name} must be a whole number of seconds, at least 1`);
  }
  return seconds;
}

function checkUploadLimits(given: Partial<UploadLimits>): UploadLimits {
  const limits: UploadLimits = { ...DEFAULT_UPLOAD_LIMITS, ...given };
  for (const [name, value] of Object.entries(limits) as [keyof UploadLimits, number][]) {
    const least = name === 'minFreeDiskBytes' ? 0 : 1;
    if (!Number.isSafeInteger(value) || value < least) {
      throw invalid(`${name} must be a whole number, at least ${least}`);
    }
  }
  return limits;
}

function checkCount(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 0) {
    throw invalid(`${name} must be a whole number, at least 0`);
  }
  return value;
}

/**
 * The message never repeats any part of the address: it holds a password, and where that is not
 * percent-encoded, what looks like the host or the path is a part of the password.
 */
function checkDatabaseUrl(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw invalid(
      'the database URL must look like postgres://user:password@host:5432/database, with special characters of the password percent-encoded',
    );
  }
  // A space would be encoded, and a line break left out, in silence.
  const hasSpace = /\s/.test(databaseUrl);
  const isSplit = url.hash !== '' || url.pathname.includes('@') || url.search.includes('@');
  if (isSplit || hasSpace || !isPercentEncoded(url.username) || !isPercentEncoded(url.password)) {
    throw invalid(
      'the user name and the password in the database URL must be percent-encoded ("/" as %2F, "#" as %23, "?" as %3F, "@" as %40, "%" as %25)',
    );
  }
  return databaseUrl;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The endpoint is checked at the start; at the first upload it would be too late. */
function checkS3(s3: S3Options): S3Options {
  const { endpoint } = s3;
  const url = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isGood = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '';
  if (endpoint !== undefined && !isGood) {
    throw invalid('the S3 endpoint must be an http or https address without a user name');
  }
  return s3;
}

/** A base URL is an origin: the paths below it are fixed by the interface. */
function checkBaseUrl(baseUrl: string, tls: boolean): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isOrigin =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    // Names as they stand in headers and policies, where other characters have meanings of their own.
    /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname) &&
    url.pathname === '/' &&
    url.username + url.password + url.search + url.hash === '';
  if (!isOrigin) {
    throw invalid('the base URL must be an origin such as https://service.example');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw invalid(
      'the base URL must be https, as passwords, cookies and tokens would travel in clear; http is for this machine alone (localhost, 127.0.0.1, [::1])',
    );
  }
  if (url.protocol === 'http:' && tls) {
    throw invalid('the base URL must be https when the service itself speaks TLS');
  }
  return url.origin;
}

function invalid(sentence: string): ServiceStartError {
  return new ServiceStartError('invalid_option', `Invalid option: ${sentence}.`);
}
