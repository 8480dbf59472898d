import type { S3 } from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import { systemErrorCode, ServiceStartError, UnavailableError } from '../../../kernel/errors.js';
import { isMissing, StorageRefusedError } from './s3-errors.js';

/** What to check, by the name of the SDK's error. */
const ADVICE: Readonly<Record<string, string>> = {
  CredentialsProviderError:
    'no credentials were found; set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
  NoSuchBucket: 'there is no such bucket; check S3_BUCKET, S3_REGION and S3_ENDPOINT',
  InvalidAccessKeyId: 'the access key id is unknown; check S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'the secret access key is wrong; check S3_SECRET_ACCESS_KEY',
  AccessDenied:
    'it denied access; the credentials need the rights to list the bucket, and to write, read and delete objects',
};

/**
 * Writes, reads and deletes a small object, and reads one that is missing: what every upload does.
 * @throws {UnavailableError} when the storage is away, and may come back.
 * @throws {ServiceStartError} `storage_unavailable` when waiting would not help.
 */
export async function checkBucket(client: S3, bucket: string): Promise<void> {
  const object = { Bucket: bucket, Key: `start-check-${randomUUID()}` };
  try {
    await client.putObject({ ...object, Body: 'check' });
    const { Body } = await client.getObject(object);
    await Body?.transformToByteArray();
    await client.deleteObject(object);
  } catch (error) {
    throw startErrorFor(error);
  }
  try {
    await client.getObject(object);
  } catch (error) {
    // Amazon answers AccessDenied instead of NoSuchKey where the right to list the bucket is missing.
    if (!isMissing(error)) {
      throw startErrorFor(error);
    }
  }
}

function startErrorFor(error: unknown): unknown {
  const isRefusal = error instanceof StorageRefusedError;
  if (error instanceof UnavailableError && !isRefusal) {
    return error;
  }
  const cause = isRefusal ? error.cause : error;
  const name = systemErrorCode(cause) || (cause instanceof Error ? cause.name : '');
  // The name may come from a server that is not a storage.
  const reason = /^[\w.]{1,60}$/.test(name) ? name : 'unknown reason';
  const advice = ADVICE[name] ?? `it refused (${reason}); check the S3_ variables and the bucket`;
  return new ServiceStartError('storage_unavailable', `Cannot use the S3 storage: ${advice}.`, {
    cause,
  });
}
