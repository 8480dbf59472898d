import { Resolver } from 'node:dns/promises';
import {
  boolean,
  check,
  custom,
  exactOptional,
  integer,
  maxValue,
  minValue,
  number,
  object,
  optional,
  picklist,
  pipe,
  regex,
  safeInteger,
  string,
  transform,
  union,
  type InferOutput,
} from 'valibot';
import { CODE_SIGN_IN_APPS, CODE_SIGN_INS } from '../../identity/index.js';
import { AUDIT_DAYS } from '../modules.js';
import type { Database } from '../../kernel/database/database.js';
import { isLoopback } from '../../kernel/http/loopback.js';
import type { Log } from '../../kernel/log.js';
import { readMailAddress } from '../../kernel/mail/mail-address.js';
import type { ImageWorker } from '../../library/index.js';

const seconds = (name: string, usual: number) => {
  const must = `${name} must be a whole number of seconds, at least 1`;
  return optional(pipe(number(must), integer(must), minValue(1, must)), usual);
};

const count = (name: string, least: number, usual: number) => {
  const must = `${name} must be a whole number, at least ${least}`;
  return optional(pipe(number(must), safeInteger(must), minValue(least, must)), usual);
};

const text = (what: string) => string(`${what} must be a string`);

const flag = (name: string) => boolean(`${name} must be true or false`);

const isFunction = (value: unknown): boolean => typeof value === 'function';

const port = (name: string) => {
  const must = `${name} must be a whole number from 0 to 65535`;
  return pipe(number(must), integer(must), minValue(0, must), maxValue(65_535, must));
};

const HOST_NAME = /^[A-Za-z0-9.:_-]+$/;

const host = (name: string) => {
  const must = `${name} must be a host name or an IP address`;
  return optional(pipe(string(must), regex(HOST_NAME, must)), 'localhost');
};

const HOUR = 3600;
const DAY = 24 * HOUR;

const LIFETIMES = object({
  accessTokenSeconds: seconds('accessTokenSeconds', HOUR),
  refreshTokenSeconds: seconds('refreshTokenSeconds', 90 * DAY),
  deviceCodeSeconds: seconds('deviceCodeSeconds', 900),
  pollIntervalSeconds: seconds('pollIntervalSeconds', 5),
  unfinishedUploadSeconds: seconds('unfinishedUploadSeconds', 7 * DAY),
});

const UPLOAD_LIMITS = object({
  workspaceBytes: count('workspaceBytes', 1, 100 * 1024 ** 3),
  minFreeDiskBytes: count('minFreeDiskBytes', 0, 1024 ** 3),
  unfinishedUploads: count('unfinishedUploads', 1, 1000),
  recheckSeconds: count('recheckSeconds', 1, 20),
});

/** An origin under which browsers reach the service. It has no path: all paths are fixed by the interface. */
const originOf = (name: string, must: string) =>
  pipe(
    string(must),
    check(isOrigin, must),
    transform((given) => new URL(given)),
    check(
      (url) => url.protocol === 'https:' || isLoopback(url.hostname),
      `${name} must be https; http is accepted for this machine only (localhost, 127.0.0.1, [::1])`,
    ),
    transform((url) => url.origin),
  );

const DATABASE_URL_MUST =
  'the database URL must look like postgres://user:password@host:5432/database, with special characters of the password percent-encoded';

/**
 * The messages never repeat any part of the URL. It has a password in it; if that is not percent-encoded, even what
 * looks like the host or the path may be a part of the password.
 */
const DATABASE_URL = pipe(
  string(DATABASE_URL_MUST),
  check(
    (given) => URL.canParse(given) && /^postgres(ql)?:$/.test(new URL(given).protocol),
    DATABASE_URL_MUST,
  ),
  check(
    isEncoded,
    'the user name and the password in the database URL must be percent-encoded ("/" as %2F, "#" as %23, "?" as %3F, "@" as %40, "%" as %25)',
  ),
);

const ENDPOINT_MUST = 'the S3 endpoint must be an http or https address without a user name';

/** The endpoint is checked here, so that an error shows at the start and not at the first upload. */
const S3 = object({
  bucket: text('the S3 bucket'),
  region: text('the S3 region'),
  endpoint: exactOptional(pipe(string(ENDPOINT_MUST), check(isEndpoint, ENDPOINT_MUST))),
  publicEndpoint: exactOptional(
    originOf(
      'S3_PUBLIC_ENDPOINT',
      'S3_PUBLIC_ENDPOINT must be an origin such as https://storage.example',
    ),
  ),
  checksums: exactOptional(flag('the S3 checksums')),
  credentials: exactOptional(
    object({
      accessKeyId: text('the S3 access key id'),
      secretAccessKey: text('the S3 secret access key'),
    }),
  ),
});

const CODE_SIGN_IN = object({
  signIn: optional(
    picklist(CODE_SIGN_INS, `CODE_SIGN_IN must be one of ${CODE_SIGN_INS.join(', ')}`),
    'standard',
  ),
  apps: optional(
    picklist(CODE_SIGN_IN_APPS, `CODE_SIGN_IN_APPS must be one of ${CODE_SIGN_IN_APPS.join(', ')}`),
    'all',
  ),
});
const SMTP_URL_MUST =
  'SMTP_URL must look like smtps://user:password@host:465 or smtp://host:587, with special characters of the password percent-encoded';

/** As for the database, no message repeats any part of the URL. */
const SMTP_URL = pipe(
  string(SMTP_URL_MUST),
  check((given) => URL.canParse(given) && isSmtpUrl(given), SMTP_URL_MUST),
);

const MAIL_FROM_MUST =
  'MAIL_FROM must be an e-mail address, or a name and an address such as North Studio <mail@studio.example>';

const MAIL_FROM = pipe(
  string(MAIL_FROM_MUST),
  transform(readSender),
  check((sender) => sender !== undefined, MAIL_FROM_MUST),
  transform((sender) => sender ?? { name: '', address: '' }),
);

const HELP_CONTACT_MUST = 'HELP_CONTACT must be one line of at most 200 characters';

const OUTGOING_PROXY_MUST =
  'OUTGOING_PROXY must look like http://proxy.example:3128 or http://user:password@proxy.example:3128';

/** No message repeats any part of the URL: it may have a password. */
const OUTGOING_PROXY = pipe(
  string(OUTGOING_PROXY_MUST),
  check((given) => URL.canParse(given) && isProxyUrl(new URL(given)), OUTGOING_PROXY_MUST),
);

/** The values that each option may have, and its default. */
export const OPTIONS = object({
  port: optional(port('port'), 8780),
  host: host('host'),
  dataDir: pipe(
    text('the data folder'),
    check((folder) => folder.trim() !== '', 'the data folder must not be empty'),
  ),
  metricsPort: optional(port('METRICS_PORT')),
  metricsHost: host('METRICS_HOST'),
  tls: optional(flag('tls'), false),
  baseUrl: optional(
    originOf('the base URL', 'the base URL must be an origin such as https://service.example'),
  ),
  contentUrl: optional(
    originOf('the content URL', 'the content URL must be an origin such as https://files.example'),
  ),
  lifetimes: optional(LIFETIMES, {}),
  database: optional(
    union(
      [picklist(['embedded', 'memory']), custom<Database>(isDatabase)],
      'database must be "embedded", "memory" or an open database',
    ),
    'embedded',
  ),
  databaseUrl: optional(DATABASE_URL),
  demoAccount: optional(flag('demoAccount')),
  showDemoAccount: optional(flag('showDemoAccount')),
  platformClients: optional(text('platformClients')),
  trustedProxies: count('trustedProxies', 0, 0),
  shutdownGraceSeconds: count('shutdownGraceSeconds', 0, 10),
  requestSeconds: seconds('requestSeconds', 30),
  uploadIdleSeconds: seconds('uploadIdleSeconds', 60),
  auditDays: count('AUDIT_DAYS', 1, AUDIT_DAYS),
  allowsPrivateAddresses: optional(flag('allowsPrivateAddresses'), false),
  outgoingProxy: optional(OUTGOING_PROXY),
  resolveTxt: optional(
    custom<(name: string) => Promise<string[][]>>(isFunction, 'resolveTxt must be a function'),
    () => {
      const resolver = new Resolver({ timeout: 3000, tries: 2 });
      return (name: string) => resolver.resolveTxt(name);
    },
  ),
  s3: optional(S3),
  codeSignIn: optional(CODE_SIGN_IN, {}),
  mail: optional(object({ smtpUrl: SMTP_URL, from: MAIL_FROM })),
  helpContact: optional(
    pipe(
      string(HELP_CONTACT_MUST),
      regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,200}$/u, HELP_CONTACT_MUST),
    ),
  ),
  uploads: optional(UPLOAD_LIMITS, {}),
  freeDiskBytes: optional(
    custom<() => Promise<number>>(isFunction, 'freeDiskBytes must be a function'),
  ),
  imageWorker: optional(
    custom<
      Pick<ImageWorker, 'inTurn' | 'mark' | 'logo' | 'mailPicture' | 'webPicture' | 'pages' | 'end'>
    >((value) => has(value, 'inTurn'), 'imageWorker must be an ImageWorker'),
  ),
  signal: optional(
    custom<AbortSignal>((value) => has(value, 'aborted'), 'signal must be an AbortSignal'),
    () => new AbortController().signal,
  ),
  log: optional(custom<Log>(isFunction, 'log must be a function'), () => () => undefined),
  now: optional(custom<() => Date>(isFunction, 'now must be a function'), () => () => new Date()),
});

/** Options that were checked one by one, but not yet against each other. */
export type ReadOptions = Readonly<InferOutput<typeof OPTIONS>>;

function isOrigin(given: string): boolean {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    // The name is put into headers and security policies, where other characters have special meanings.
    /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(url.hostname) &&
    url.pathname === '/' &&
    url.username + url.password + url.search + url.hash === ''
  );
}

function isEncoded(databaseUrl: string): boolean {
  const url = new URL(databaseUrl);
  // `URL` would encode a space and leave out a line break, without an error.
  const hasSpace = /\s/.test(databaseUrl);
  const isSplit = url.hash !== '' || url.pathname.includes('@') || url.search.includes('@');
  return !isSplit && !hasSpace && isPercentEncoded(url.username) && isPercentEncoded(url.password);
}

function isPercentEncoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function isSmtpUrl(given: string): boolean {
  const { protocol, hostname, pathname, username, password, search, hash } = new URL(given);
  return (
    /^smtps?:$/.test(protocol) &&
    hostname !== '' &&
    (pathname === '' || pathname === '/') &&
    search + hash === '' &&
    !/\s/.test(given) &&
    isPercentEncoded(username) &&
    isPercentEncoded(password)
  );
}

function isProxyUrl({
  protocol,
  hostname,
  pathname,
  search,
  hash,
  username,
  password,
}: URL): boolean {
  const isBare = pathname === '/' && search + hash === '';
  const isProxy = ['http:', 'https:'].includes(protocol) && hostname !== '' && isBare;
  return isProxy && isPercentEncoded(username) && isPercentEncoded(password);
}

/** Reads an address with or without a name: `North Studio <mail@studio.example>`. */
function readSender(
  given: string,
): { readonly name: string; readonly address: string } | undefined {
  const [, named = '', inBrackets] = /^([^<>"]*)<([^<>]*)>$/.exec(given) ?? [];
  const name = named.trim();
  const address = readMailAddress(inBrackets ?? given);
  return address === undefined || /\p{Cc}/u.test(name) ? undefined : { name, address };
}

function isEndpoint(given: string): boolean {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '';
}

function isDatabase(value: unknown): boolean {
  return has(value, 'transaction');
}

function has(value: unknown, member: string): boolean {
  return typeof value === 'object' && value !== null && member in value;
}
