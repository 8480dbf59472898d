import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import type { Queryable } from '../../service/kernel/database/database.js';
import type { S3Options } from '../../service/library/uploads/storage/s3-options.js';
import { readThrough } from '../../service/library/uploads/digests.js';
import { clientOf } from '../service/support/test-storage.js';

interface UploadRow {
  readonly id: string;
  readonly name: string;
  readonly sha256: string | null;
  readonly finished: boolean;
}

/** Compares database and bucket with the picked photos: the SHA-256 of each photo by its name. */
export async function photosOf(
  database: Queryable,
  s3: S3Options,
  picked: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const rows = await database.query<UploadRow>(
    'SELECT id, name, sha256, finished_at IS NOT NULL AS finished FROM uploads',
  );
  const client = clientOf(s3);
  const seen = new Map<string, number>();
  for (const { id, name, sha256, finished } of rows) {
    seen.set(name, (seen.get(name) ?? 0) + 1);
    if (!finished) wrong.push(`${name} is not finished`);
    else if (sha256 !== picked.get(name)) wrong.push(`${name} is another photo in the database`);
    else if ((await hashInBucket(client, s3, id)) !== sha256)
      wrong.push(`${name} is another photo in the bucket`);
  }
  for (const name of picked.keys()) if (!seen.has(name)) wrong.push(`${name} is lost`);
  for (const [name, count] of seen) if (count > 1) wrong.push(`${name} is there ${count} times`);
  client.destroy();
  return wrong;
}

/** The rows and files that remain after every cleanup. */
export async function leftovers(database: Queryable, s3: S3Options): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const table of ['upload_locks', 'discarded_uploads']) {
    const rows = await database.query<{ row: string }>(
      `SELECT left_over::text AS row FROM ${table} AS left_over`,
    );
    for (const { row } of rows) wrong.push(`in ${table}: ${row}`);
  }
  const ids = new Set(
    (await database.query<{ id: string }>('SELECT id FROM uploads')).map(({ id }) => id),
  );
  const client = clientOf(s3);
  const { Uploads = [] } = await client.send(
    new ListMultipartUploadsCommand({ Bucket: s3.bucket }),
  );
  for (const { Key = '' } of Uploads) wrong.push(`an upload in parts: ${Key}`);
  for (const key of await keysOf(client, s3)) {
    const id = key.replace(/\.info$/, '');
    if (!ids.has(id)) wrong.push(`an object without a row: ${key}`);
  }
  client.destroy();
  return wrong;
}

/** The keys of all objects. */
async function keysOf(client: S3Client, { bucket }: S3Options): Promise<string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token }),
    );
    keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return keys;
}

async function hashInBucket(client: S3Client, { bucket }: S3Options, id: string): Promise<string> {
  const object = await client
    .send(new GetObjectCommand({ Bucket: bucket, Key: id }))
    .catch(() => undefined);
  return object?.Body instanceof Readable ? (await readThrough(object.Body)).sha256 : 'none';
}
