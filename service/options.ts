import type { Database } from './database/database.js';
import { isLoopback } from './http/loopback.js';
import type { Log } from './log.js';
import { OPTIONS, type ReadOptions } from './option-schemas.js';
import { invalidOption, validOption } from './valid-option.js';
import type { Looker } from './thumbnails/looker.js';

/** How long things live, in seconds. */
export interface Lifetimes {
  /**
   * Life of an access token (`expires_in`,
   * [RFC 6749 §5.1](https://www.rfc-editor.org/rfc/rfc6749#section-5.1)). Default 3600.
   */
  readonly accessTokenSeconds: number;
  /** Life of a refresh token, counted anew at each rotation. Default 90 days. */
  readonly refreshTokenSeconds: number;
  /**
   * Life of a device code and its user code (`expires_in`,
   * [RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)). Default 900.
   */
  readonly deviceCodeSeconds: number;
  /**
   * Least time between two polls (`interval`,
   * [RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2)). Default 5.
   */
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
  /**
   * Whether bytes go out with the checksums that Amazon's SDK adds to every request, which many other servers do not
   * know. Default true without an `endpoint`, else false. What arrived is read back and hashed either way.
   */
  readonly checksums?: boolean;
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
  /** Port on which `GET /metrics` answers the operator's monitoring; 0 takes a free one. Default: there is none. */
  readonly metricsPort?: number;
  /** Address of that port. Whoever reaches it can read it. Default `localhost`. */
  readonly metricsHost?: string;
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
  /**
   * An origin of its own for stored files, which come from strangers: with it the pages hand them out there, by
   * addresses that are good for some minutes. Its host is another one than that of the base URL, best under another
   * registrable name, and leads to this service too. Default: they lie beside the pages.
   */
  readonly contentUrl?: string;
  readonly lifetimes?: Partial<Lifetimes>;
  /**
   * `embedded` (default) keeps the database in `<dataDir>/database`; `memory` forgets it at close; an
   * open one is used as it is, and closed with the service.
   */
  readonly database?: 'embedded' | 'memory' | Database;
  /** A PostgreSQL server to use instead, see {@link openPostgresDatabase}; then `database` is unused. */
  readonly databaseUrl?: string;
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
  /** Looks at pictures, for thumbnails; ended with the service. Default: a process of its own, see {@link Looker}. */
  readonly looker?: Pick<Looker, 'look' | 'end'>;
  /** Gives up a start that still waits for its database; see {@link startService}. */
  readonly signal?: AbortSignal;
  /** Receives structured log lines. Default: none are written. */
  readonly log?: Log;
  /** The clock for the poll interval and for records; `oidc-provider` keeps the machine's own. */
  readonly now?: () => Date;
}

/** {@link ServiceOptions} with every default filled in and every value checked. */
export interface CheckedOptions extends ReadOptions {
  readonly demoAccount: boolean;
  readonly showDemoAccount: boolean;
  /** What the operator should know about this choice of options, each one line. */
  readonly warnings: readonly string[];
}

/**
 * Checks the options and fills in the defaults.
 * @throws {ServiceStartError} `invalid_option`, naming the option and what it must be.
 */
export function checkOptions(options: ServiceOptions): CheckedOptions {
  const read = validOption(OPTIONS, options);
  const { host, port, tls, baseUrl } = read;
  if (tls && baseUrl?.startsWith('http:') === true) {
    throw invalidOption('the base URL must be https when the service itself speaks TLS');
  }
  if (baseUrl === undefined && !isLoopback(host)) {
    throw invalidOption(
      `a service that listens on ${host} needs a base URL: the https origin that people use, or http://localhost:${port} if only this machine reaches it (a container)`,
    );
  }
  checkContentUrl(read);
  // Other machines can send requests, whether or not they are meant to.
  const isExposed =
    !isLoopback(host) || (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname));
  // Everybody knows its password: where others come in, it is there only when asked for.
  const demoAccount = read.demoAccount ?? (read.databaseUrl === undefined && !isExposed);
  return {
    ...read,
    baseUrl,
    demoAccount,
    showDemoAccount: read.showDemoAccount ?? !isExposed,
    warnings: warningsAbout({ ...read, isExposed, demoAccount }),
  };
}

/**
 * @throws {ServiceStartError} `invalid_option` where stored files would not be apart from the pages, or not be shown.
 */
function checkContentUrl({ host, baseUrl, contentUrl, tls }: ReadOptions): void {
  if (contentUrl === undefined) {
    return;
  }
  const content = new URL(contentUrl);
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  if (content.hostname === (base?.hostname ?? host)) {
    throw invalidOption(
      'the content URL must have another host name than the base URL: browsers keep cookies by the name, whatever the port',
    );
  }
  if ((content.protocol === 'https:') !== (base === undefined ? tls : base.protocol === 'https:')) {
    throw invalidOption('the content URL and the base URL must both be https, or neither');
  }
}

function warningsAbout(chosen: {
  host: string;
  baseUrl?: string | undefined;
  contentUrl?: string | undefined;
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
  if (isBelow(chosen.contentUrl, chosen.baseUrl) || isBelow(chosen.baseUrl, chosen.contentUrl)) {
    warnings.push(
      'The content URL is under the same name as the base URL: browsers take the two for one site. A name under another domain keeps stored files apart.',
    );
  }
  return warnings;
}

/** Whether the host of an origin is one of the names under the host of another. */
function isBelow(origin: string | undefined, parent: string | undefined): boolean {
  return (
    origin !== undefined &&
    parent !== undefined &&
    new URL(origin).hostname.endsWith(`.${new URL(parent).hostname}`)
  );
}
