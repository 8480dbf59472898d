import { createHash, randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import type { S3Options } from '../../../service/library/uploads/storage/s3-options.js';
import type { UploadStorage } from '../../../service/library/uploads/storage/upload-storage.js';

const REGION = 'us-east-1';

/**
 * Where the uploads of a test are kept when `TEST_S3_ENDPOINT` names an S3-compatible server (see s3/run.ts): a bucket
 * made here for it; undefined otherwise, which means a folder.
 * @param sharedBy tests that give the same name get the same bucket.
 */
export async function testS3(sharedBy: string = randomUUID()): Promise<S3Options | undefined> {
  const endpoint = process.env['TEST_S3_ENDPOINT'];
  if (endpoint === undefined) return undefined;
  const name = createHash('sha256').update(sharedBy).digest('hex').slice(0, 32);
  const options = {
    bucket: `uploads-${name}`,
    region: REGION,
    endpoint,
    credentials: {
      accessKeyId: process.env['TEST_S3_ACCESS_KEY_ID'] ?? '',
      secretAccessKey: process.env['TEST_S3_SECRET_ACCESS_KEY'] ?? '',
    },
  };
  const client = clientOf(options);
  await client.send(new CreateBucketCommand({ Bucket: options.bucket })).catch((error: unknown) => {
    if (!(error instanceof Error && error.name.startsWith('BucketAlready'))) throw error;
  });
  client.destroy();
  return options;
}

/** Puts all bytes of an upload that has a row into a storage, as the last request for it does. */
export async function writeAll(
  storage: UploadStorage,
  id: string,
  bytes: Uint8Array,
): Promise<void> {
  await storage.getUpload(id);
  await storage.write(Readable.from([Buffer.from(bytes)]), id, 0);
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
