import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from '../../../service/library/uploads/storage/s3-options.js';

/** Creates the bucket, unless it is there. */
export async function createBucket(options: S3Options): Promise<void> {
  const client = clientOf(options);
  await client.send(new CreateBucketCommand({ Bucket: options.bucket })).catch((error: unknown) => {
    if (!(error instanceof Error && error.name.startsWith('BucketAlready'))) throw error;
  });
  client.destroy();
}

/** A client to inspect the bucket of a test. */
export function clientOf({ region, endpoint, credentials }: S3Options): S3Client {
  return new S3Client({
    region,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(credentials !== undefined && { credentials }),
  });
}
