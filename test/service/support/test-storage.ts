import { createHash, randomUUID } from 'node:crypto';
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
  // The library has 500 modules, and is loaded for such tests only.
  const { createBucket } = await import('./bucket-client.js');
  await createBucket(options);
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
