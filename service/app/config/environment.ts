import { check, object, optional, pipe, string, transform, trim, type InferOutput } from 'valibot';
import type { ServiceOptions } from './options.js';
import type { S3Options, UploadLimits } from '../../library/index.js';
import { invalidOption, validOption } from './valid-option.js';

const MIB = 1024 * 1024;

/** A variable with an empty value counts as not set. */
const TEXT = pipe(
  optional(string(), ''),
  trim(),
  transform((value) => (value === '' ? undefined : value)),
);

const wholeNumber = (name: string) =>
  pipe(
    TEXT,
    check(
      (value) => value === undefined || /^\d{1,9}$/.test(value),
      `${name} must be a whole number`,
    ),
    transform((value) => (value === undefined ? undefined : Number(value))),
  );

const onOrOff = (name: string) =>
  pipe(
    TEXT,
    check(
      (value) => value === undefined || value === 'on' || value === 'off',
      `${name} must be "on" or "off"`,
    ),
    transform((value) => (value === undefined ? undefined : value === 'on')),
  );

/** The variables that a deployment may set. Sizes are in MiB: in bytes they are hard to read and easy to get wrong. */
export const ENVIRONMENT = object({
  DATABASE_URL: TEXT,
  CODE_SIGN_IN: TEXT,
  CODE_SIGN_IN_APPS: TEXT,
  CONTENT_URL: TEXT,
  PLATFORM_CLIENTS: TEXT,
  DEMO_ACCOUNT: onOrOff('DEMO_ACCOUNT'),
  TRUSTED_PROXIES: wholeNumber('TRUSTED_PROXIES'),
  SHUTDOWN_GRACE_SECONDS: wholeNumber('SHUTDOWN_GRACE_SECONDS'),
  METRICS_PORT: wholeNumber('METRICS_PORT'),
  METRICS_HOST: TEXT,
  WORKSPACE_QUOTA_MIB: wholeNumber('WORKSPACE_QUOTA_MIB'),
  MIN_FREE_DISK_MIB: wholeNumber('MIN_FREE_DISK_MIB'),
  AUDIT_DAYS: wholeNumber('AUDIT_DAYS'),
  ALLOW_PRIVATE_ADDRESSES: onOrOff('ALLOW_PRIVATE_ADDRESSES'),
  OUTGOING_PROXY: TEXT,
  S3_BUCKET: TEXT,
  S3_REGION: TEXT,
  S3_ENDPOINT: TEXT,
  S3_PUBLIC_ENDPOINT: TEXT,
  S3_CHECKSUMS: onOrOff('S3_CHECKSUMS'),
  S3_ACCESS_KEY_ID: TEXT,
  S3_SECRET_ACCESS_KEY: TEXT,
  SMTP_URL: TEXT,
  MAIL_FROM: TEXT,
  HELP_CONTACT: TEXT,
});

type Settings = InferOutput<typeof ENVIRONMENT>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the options that a deployment sets in its environment; docs/deployment.md lists them.
 * @returns only the options that are set.
 * @throws {ServiceStartError} `invalid_option`. The message names the variable, but never its value.
 */
export function optionsFromEnvironment(environment: Environment): Partial<ServiceOptions> {
  refuseMisspelt(environment);
  const set = validOption(ENVIRONMENT, environment);
  return withoutUndefined({
    databaseUrl: set.DATABASE_URL,
    contentUrl: set.CONTENT_URL,
    platformClients: set.PLATFORM_CLIENTS,
    demoAccount: set.DEMO_ACCOUNT,
    trustedProxies: set.TRUSTED_PROXIES,
    shutdownGraceSeconds: set.SHUTDOWN_GRACE_SECONDS,
    metricsPort: set.METRICS_PORT,
    metricsHost: set.METRICS_HOST,
    codeSignIn: codeSignInFrom(set),
    auditDays: set.AUDIT_DAYS,
    allowsPrivateAddresses: set.ALLOW_PRIVATE_ADDRESSES,
    outgoingProxy: set.OUTGOING_PROXY,
    s3: s3From(set),
    uploads: uploadLimitsFrom(set),
    mail: mailFrom(set),
    helpContact: set.HELP_CONTACT,
  });
}

/** A misspelt variable would silently leave its default: the embedded database in place of the operator's. */
function refuseMisspelt(environment: Environment): void {
  const unset = Object.keys(ENVIRONMENT.entries).filter((name) => environment[name] === undefined);
  for (const given of Object.keys(environment)) {
    const meant =
      given in ENVIRONMENT.entries ? undefined : unset.find((name) => isNear(name, given));
    if (meant !== undefined) {
      throw invalidOption(`there is no variable ${given}; rename it to ${meant}, or remove it`);
    }
  }
}

/** Whether one character is missing, superfluous or another, two are swapped, or the case differs. */
function isNear(name: string, given: string): boolean {
  const givens = shortened(given.toUpperCase());
  return shortened(name).some((part) => givens.includes(part));
}

/** A name, and the same without each of its characters. */
function shortened(name: string): string[] {
  return [name, ...Array.from(name, (_, at) => name.slice(0, at) + name.slice(at + 1))];
}

/** The values are checked with the other options. */
function codeSignInFrom(set: Settings): ServiceOptions['codeSignIn'] | undefined {
  const { CODE_SIGN_IN: signIn, CODE_SIGN_IN_APPS: apps } = set;
  return signIn === undefined && apps === undefined
    ? undefined
    : (withoutUndefined({ signIn, apps }) as ServiceOptions['codeSignIn']);
}

function uploadLimitsFrom(set: Settings): Partial<UploadLimits> | undefined {
  const { WORKSPACE_QUOTA_MIB: workspace, MIN_FREE_DISK_MIB: free } = set;
  if (workspace === undefined && free === undefined) {
    return undefined;
  }
  return withoutUndefined({
    workspaceBytes: workspace === undefined ? undefined : workspace * MIB,
    minFreeDiskBytes: free === undefined ? undefined : free * MIB,
  });
}

function mailFrom({ SMTP_URL: smtpUrl, MAIL_FROM: from }: Settings): ServiceOptions['mail'] {
  if ((smtpUrl === undefined) !== (from === undefined)) {
    throw invalidOption('SMTP_URL and MAIL_FROM must be set together');
  }
  return smtpUrl === undefined || from === undefined ? undefined : { smtpUrl, from };
}

function s3From(set: Settings): S3Options | undefined {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = set;
  if (set.S3_BUCKET === undefined) {
    const others = [
      set.S3_REGION,
      set.S3_ENDPOINT,
      set.S3_PUBLIC_ENDPOINT,
      set.S3_CHECKSUMS,
      accessKeyId,
      secretAccessKey,
    ];
    // Otherwise photos would silently go into the data folder.
    if (others.some((value) => value !== undefined)) {
      throw invalidOption('S3_BUCKET must be set when another S3_ variable is');
    }
    return undefined;
  }
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw invalidOption('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together');
  }
  return {
    bucket: set.S3_BUCKET,
    region: set.S3_REGION ?? 'us-east-1',
    ...(set.S3_ENDPOINT !== undefined && { endpoint: set.S3_ENDPOINT }),
    ...(set.S3_PUBLIC_ENDPOINT !== undefined && { publicEndpoint: set.S3_PUBLIC_ENDPOINT }),
    ...(set.S3_CHECKSUMS !== undefined && { checksums: set.S3_CHECKSUMS }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
  };
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(values: T): Partial<Defined<T>> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<Defined<T>>;
}
