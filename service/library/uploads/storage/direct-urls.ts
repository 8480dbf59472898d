import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { hasBucketInPath, type S3Options } from './s3-options.js';

/** How long a file can be requested, in seconds. A download that has begun goes on after that. */
const FILE_SECONDS = 60;

/** How long the address of a preview stays the same, in seconds, so that a browser can cache what it fetched from it. */
const DIRECT_STEP_SECONDS = 300;

/** For how many steps that address is valid: 10 to 15 minutes after it is made. */
const VALID_STEPS = 3;

/** Signed addresses of objects in the bucket, for browsers: each for one object, its headers and some time. */
export class DirectUrls {
  private readonly client: S3Client;
  private readonly bucket: string;

  /** @param publicEndpoint see {@link S3Options} */
  constructor(options: S3Options, publicEndpoint: string) {
    const { bucket, region, credentials } = options;
    this.bucket = bucket;
    this.client = new S3Client({
      region,
      endpoint: publicEndpoint,
      forcePathStyle: hasBucketInPath(options),
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(credentials !== undefined && { credentials: { ...credentials } }),
    });
  }

  /** An original, which a stranger has sent: to be saved, with a type that no browser shows. */
  ofFile(key: string, disposition: string): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      ResponseContentDisposition: disposition,
      ResponseContentType: 'application/octet-stream',
      ResponseCacheControl: 'private, no-store',
    });
    return getSignedUrl(this.client, command, { expiresIn: FILE_SECONDS });
  }

  /** A picture that the service has made, of one version. */
  ofPreview(key: string): Promise<string> {
    const stepMs = DIRECT_STEP_SECONDS * 1000;
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: key,
      ResponseContentType: 'image/webp',
      ResponseCacheControl: 'private, max-age=31536000, immutable',
    });
    return getSignedUrl(this.client, command, {
      expiresIn: VALID_STEPS * DIRECT_STEP_SECONDS,
      signingDate: new Date(Math.floor(Date.now() / stepMs) * stepMs),
    });
  }
}
