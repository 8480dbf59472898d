import type { Database } from '../../kernel/database/database.js';
import { isLoopback } from '../../kernel/http/loopback.js';
import type { Log } from '../../kernel/log.js';
import { OPTIONS, type ReadOptions } from './schemas.js';
import { invalidOption, validOption } from './valid-option.js';
import {
  directOrigin,
  type ImageWorker,
  type UploadLimits,
  type S3Options,
} from '../../library/index.js';
import type { CodeSignInPolicy } from '../../identity/index.js';
import type { TokenLifetimes } from '../../oauth/index.js';

/** How long tokens, codes and unfinished uploads live, in seconds. */
export interface Lifetimes extends TokenLifetimes {
  /** How long an unfinished upload is kept after the last bytes came in. Default 7 days. */
  readonly unfinishedUploadSeconds: number;
}

/** The options of {@link startService}. All but `dataDir` may be left out. */
export interface ServiceOptions {
  /** The TCP port; 0 takes a free port. Default 8780. */
  readonly port?: number;
  /**
   * The address to listen on. Default `localhost`: 127.0.0.1 and ::1, which only this machine reaches. An address that
   * other machines reach needs a `baseUrl`.
   */
  readonly host?: string;
  /** The port of `GET /metrics`, for the operator's monitoring; 0 takes a free port. Default: no such port. */
  readonly metricsPort?: number;
  /** The address to listen on for metrics. Everybody who reaches it can read them. Default `localhost`. */
  readonly metricsHost?: string;
  /**
   * Whether to serve https, with a certificate for this machine that is made at the first start and kept in
   * `<dataDir>/tls`. Clients have to trust its authority, see `RunningService.authorityFile`. Default false.
   */
  readonly tls?: boolean;
  /** The folder for the embedded database, the uploads and the certificate; made when missing. */
  readonly dataDir: string;
  /**
   * The origin that clients and browsers use, if it is not `http(s)://host:port`, for instance behind a proxy. It must
   * be https, or http with a name that only this machine has, see {@link isLoopback}.
   */
  readonly baseUrl?: string;
  /**
   * An origin for stored files alone. They come from strangers, so it is safer to keep them apart from the pages. The
   * pages then link to them by addresses that are valid for some minutes. Its host also leads to this service, and must
   * be another one than that of the base URL, best under another registrable domain. Default: stored files have the
   * origin of the pages.
   */
  readonly contentUrl?: string;
  readonly lifetimes?: Partial<Lifetimes>;
  /**
   * `embedded` (default) keeps the database in `<dataDir>/database`; `memory` loses it when the service closes. An open
   * database is used as it is, and closed with the service.
   */
  readonly database?: 'embedded' | 'memory' | Database;
  /** URL of a PostgreSQL server to use, see {@link openPostgresDatabase}. `database` is then ignored. */
  readonly databaseUrl?: string;
  /**
   * Whether there is a demo account. Without it, its password is refused. Default true, but false with `databaseUrl`,
   * or if other machines can reach the service.
   */
  readonly demoAccount?: boolean;
  /**
   * Whether the sign-in page shows the demo account. Default true, but false if other machines can reach the service.
   */
  readonly showDemoAccount?: boolean;
  /** Path of the file with the registry of platform clients. Default: the file that comes with the service. */
  readonly platformClients?: string;
  /**
   * How many proxies in front of the service are the operator's own. That many entries at the end of `X-Forwarded-For`
   * are believed. Default 0: the header is ignored.
   */
  readonly trustedProxies?: number;
  /** How long requests in flight may continue when the service closes, in seconds. Default 10. */
  readonly shutdownGraceSeconds?: number;
  /**
   * How long a request may take from the end of its headers to the last byte of the response, in seconds. The headers
   * may take the same time again. Uploads have no such limit. Downloads have none once the request is complete. Default
   * 30.
   */
  readonly requestSeconds?: number;
  /** How long an upload or a download may make no progress before it is cut off, in seconds. Default 60. */
  readonly uploadIdleSeconds?: number;
  /** How many days events of accounts and workspaces are kept. Default 365. */
  readonly auditDays?: number;
  /**
   * Whether webhooks and company accounts may use http and private addresses. For development and closed networks.
   * Default false: owners of a workspace cannot reach the network of the service.
   */
  readonly allowsPrivateAddresses?: boolean;
  /**
   * The proxy that webhooks and company accounts go through, `http://user:password@host:port`. It resolves the names, and
   * must keep owners of a workspace from private addresses. Default: direct connections.
   */
  readonly outgoingProxy?: string;
  /** Looks up TXT records in the DNS, to confirm the domains of companies. Default: with the resolver of the machine. */
  readonly resolveTxt?: (name: string) => Promise<string[][]>;
  /** S3-compatible storage that keeps the uploads. Default: they are in `<dataDir>/uploads`. */
  readonly s3?: S3Options;
  /** The operator's own policy for sign-ins with a code; that of the workspace is checked, too. */
  readonly codeSignIn?: Partial<CodeSignInPolicy>;
  /**
   * How to send mail. `smtpUrl` is `smtp://user:password@host:587`, or `smtps://`; `from` is an address, or a name and an
   * address in angle brackets. Default: no mail is sent.
   */
  readonly mail?: { readonly smtpUrl: string; readonly from: string };
  /** Whom users ask for help: an e-mail address, an https address or words, at most 200 characters. Default: nobody. */
  readonly helpContact?: string;
  /** How much uploads may take. */
  readonly uploads?: Partial<UploadLimits>;
  /**
   * Returns the free disk space in bytes; unused with `s3`. Default: that of the file system of `<dataDir>/uploads`.
   */
  readonly freeDiskBytes?: () => Promise<number>;
  /** Reads and makes pictures. It ends with the service. Default: a separate process, see {@link ImageWorker}. */
  readonly imageWorker?: Pick<
    ImageWorker,
    'inTurn' | 'mark' | 'logo' | 'mailPicture' | 'webPicture' | 'pages' | 'end'
  >;
  /** Aborting it stops a start that still waits for its database; see {@link startService}. */
  readonly signal?: AbortSignal;
  /** Receives structured log lines. Default: none are written. */
  readonly log?: Log;
  /** The clock for records and limits. `oidc-provider` uses the machine's own clock. Default: that clock. */
  readonly now?: () => Date;
}

/** {@link ServiceOptions} with every default filled in and every value checked. */
export interface CheckedOptions extends ReadOptions {
  readonly demoAccount: boolean;
  readonly showDemoAccount: boolean;
  /** Warnings about the chosen options, for the operator; each is one line. */
  readonly warnings: readonly string[];
}

/**
 * Checks the options and fills in the defaults.
 * @throws {ServiceStartError} `invalid_option`. The message names the option and its valid values.
 */
export function checkOptions(options: ServiceOptions): CheckedOptions {
  const read = validOption(OPTIONS, options);
  const { host, port, tls, baseUrl } = read;
  if (tls && baseUrl?.startsWith('http:') === true) {
    throw invalidOption('the base URL must be https when the service itself speaks TLS');
  }
  if (baseUrl === undefined && !isLoopback(host)) {
    throw invalidOption(
      `a service that listens on ${host} needs a base URL: the https origin that users open, or http://localhost:${port} if only this machine reaches it (a container)`,
    );
  }
  checkFileOrigins(read);
  // Whether other machines can send requests.
  const isExposed =
    !isLoopback(host) || (baseUrl !== undefined && !isLoopback(new URL(baseUrl).hostname));
  // The password of the demo account is public. If other machines can sign in, the account must be enabled explicitly.
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
 * Checks the content URL and the public endpoint of the storage against the other options.
 * @throws {ServiceStartError} `invalid_option` when stored files would not be apart from the pages (the same host), or
 *   browsers would not show them (http on an https page).
 */
function checkFileOrigins({ host, baseUrl, contentUrl, s3, tls }: ReadOptions): void {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const isSecure = base === undefined ? tls : base.protocol === 'https:';
  for (const [name, origin] of [
    ['the content URL', contentUrl],
    ['S3_PUBLIC_ENDPOINT', s3 && directOrigin(s3)],
  ] as const) {
    if (origin === undefined) {
      continue;
    }
    const { hostname, protocol } = new URL(origin);
    if (hostname === (base?.hostname ?? host)) {
      throw invalidOption(
        `${name} must have another host name than the base URL, because cookies ignore the port`,
      );
    }
    if ((protocol === 'https:') !== isSecure) {
      throw invalidOption(`${name} and the base URL must both be https, or neither`);
    }
  }
}

function warningsAbout(chosen: {
  host: string;
  baseUrl?: string | undefined;
  contentUrl?: string | undefined;
  database: unknown;
  databaseUrl?: string | undefined;
  isExposed: boolean;
  demoAccount: boolean;
}): string[] {
  const warnings: string[] = [];
  const isPublic = chosen.baseUrl !== undefined && !isLoopback(new URL(chosen.baseUrl).hostname);
  if (isPublic && chosen.databaseUrl === undefined && chosen.database === 'embedded') {
    warnings.push(
      'The embedded database has one process and one connection, which is enough for one studio. For more, set DATABASE_URL to a PostgreSQL server; see docs/deployment.md.',
    );
  }
  if (chosen.isExposed && chosen.demoAccount) {
    warnings.push(
      'The demo account is on, and other machines can reach this service: its password is public.',
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

/** Whether the host of an origin is a subdomain of the host of `parent`. */
function isBelow(origin: string | undefined, parent: string | undefined): boolean {
  return (
    origin !== undefined &&
    parent !== undefined &&
    new URL(origin).hostname.endsWith(`.${new URL(parent).hostname}`)
  );
}
