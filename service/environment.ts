import { ServiceStartError } from './errors.js';
import type { S3Options, ServiceOptions, UploadLimits } from './options.js';

const MIB = 1024 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the options that a deployment sets in its environment; docs/deployment.md lists them. An
 * empty value counts as none.
 * @throws {ServiceStartError} `invalid_option`, naming the variable but never its value.
 */
export function optionsFromEnvironment(environment: Environment): Partial<ServiceOptions> {
  const text = (name: string): string | undefined => {
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };
  const number = (name: string): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!/^\d{1,9}$/.test(value)) throw wrong(`${name} must be a whole number`);
    return Number(value);
  };
  const flag = (name: string): boolean | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (value !== 'on' && value !== 'off') throw wrong(`${name} must be "on" or "off"`);
    return value === 'on';
  };
  return withoutUndefined({
    databaseUrl: text('DATABASE_URL'),
    platformClients: text('PLATFORM_CLIENTS'),
    demoAccount: flag('DEMO_ACCOUNT'),
    trustedProxies: number('TRUSTED_PROXIES'),
    shutdownGraceSeconds: number('SHUTDOWN_GRACE_SECONDS'),
    s3: readS3(text),
    uploads: readUploadLimits(number),
  });
}

/** Room is set in MiB: sizes in bytes are hard to read and easy to get wrong. */
function readUploadLimits(
  number: (name: string) => number | undefined,
): Partial<UploadLimits> | undefined {
  const workspace = number('WORKSPACE_QUOTA_MIB');
  const free = number('MIN_FREE_DISK_MIB');
  if (workspace === undefined && free === undefined) return undefined;
  return {
    ...(workspace !== undefined && { workspaceBytes: workspace * MIB }),
    ...(free !== undefined && { minFreeDiskBytes: free * MIB }),
  };
}

function readS3(text: (name: string) => string | undefined): S3Options | undefined {
  const bucket = text('S3_BUCKET');
  if (bucket === undefined) return undefined;
  const endpoint = text('S3_ENDPOINT');
  const accessKeyId = text('S3_ACCESS_KEY_ID');
  const secretAccessKey = text('S3_SECRET_ACCESS_KEY');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw wrong('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together');
  }
  return {
    bucket,
    region: text('S3_REGION') ?? 'us-east-1',
    ...(endpoint !== undefined && { endpoint }),
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

function wrong(sentence: string): ServiceStartError {
  return new ServiceStartError('invalid_option', `Invalid option: ${sentence}.`);
}
