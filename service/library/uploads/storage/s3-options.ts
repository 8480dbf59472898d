/** Where and how uploads are kept in S3-compatible storage. */
export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** URL of the storage if it is not Amazon's. The name of the bucket is then in the path, not in the host name. */
  readonly endpoint?: string;
  /**
   * Origin of the storage for browsers. They are then redirected there for files that need no change. Default: all
   * bytes pass through the service.
   */
  readonly publicEndpoint?: string;
  /**
   * Whether requests carry the checksums that Amazon's SDK adds by default. Many other servers do not know them.
   * Default true without an `endpoint`, else false. In both cases, the stored bytes are read back and hashed.
   */
  readonly checksums?: boolean;
  /** Without these the SDK looks for credentials in its usual places. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The origin from which browsers get objects directly; undefined when they do not. */
export function directOrigin(options: S3Options): string | undefined {
  if (options.publicEndpoint === undefined) {
    return undefined;
  }
  const { protocol, host } = new URL(options.publicEndpoint);
  return `${protocol}//${hasBucketInPath(options) ? '' : `${options.bucket}.`}${host}`;
}

/** Whether addresses name the bucket in their path: certificates do not cover names of buckets with dots. */
export function hasBucketInPath({ bucket, endpoint }: S3Options): boolean {
  return endpoint !== undefined || bucket.includes('.');
}
