import { access } from 'node:fs/promises';
import type { Queryable } from '../../kernel/database/database.js';
import { systemErrorCode } from '../../kernel/errors.js';
import { readThrough } from './digests.js';
import type { FileStorage } from './storage/file-storage.js';
import type { S3Copies } from './storage/s3-copies.js';
import type { StoredUpload } from './upload.js';

/** How many ids one statement reads. */
const BATCH = 500;

/** The two storages of a copy. */
export interface FilesToCopy {
  readonly folder: FileStorage;
  readonly bucket: S3Copies;
}

/** How many uploads there are. */
export async function countUploads(
  database: Queryable,
): Promise<{ readonly finished: number; readonly unfinished: number }> {
  const [row = { finished: 0, unfinished: 0 }] = await database.query<{
    finished: number;
    unfinished: number;
  }>(
    `SELECT count(finished_at) AS finished, count(*) - count(finished_at) AS unfinished FROM uploads`,
  );
  return row;
}

/** The ids of all finished uploads, those in the trash and former versions included. */
export async function* finishedUploads(database: Queryable): AsyncGenerator<string, void> {
  for (let last = ''; ;) {
    const rows = await database.query<{ id: string }>(
      `SELECT id FROM uploads WHERE finished_at IS NOT NULL AND id > $1 ORDER BY id LIMIT ${BATCH}`,
      [last],
    );
    const end = rows.at(-1);
    if (end === undefined) {
      return;
    }
    yield* rows.map(({ id }) => id);
    last = end.id;
  }
}

/** What is wrong with the file of a finished upload in the folder; undefined when it has the bytes that were sent. */
export async function fileProblem(
  folder: FileStorage,
  { id, size, sha256 }: StoredUpload,
): Promise<string | undefined> {
  try {
    const content = await readThrough(await folder.readRange(id, { start: 0, end: size - 1 }));
    return content.sha256 === sha256 ? undefined : 'damaged: it has another SHA-256';
  } catch (error) {
    const code = systemErrorCode(error);
    return code === 'ENOENT' ? 'missing' : `damaged: ${code || 'it is too short'}`;
  }
}

/**
 * Removes copies from the bucket whose uploads were deleted: a service with the folder removes them there only. What the folder
 * still has is left to the service, and so is every upload that came to the bucket another way.
 * @returns how many
 */
export async function removeCopiesOfDeleted(
  database: Queryable,
  { bucket, folder }: FilesToCopy,
): Promise<number> {
  let removed = 0;
  for await (const ids of bucket.begun()) {
    for (const id of await withoutRow(database, ids)) {
      const workspaceId = await bucket.workspaceOfCopy(id);
      const isOurs = workspaceId !== undefined && (await isWorkspace(database, workspaceId));
      if (isOurs && !(await isThere(folder.localFile(id)))) {
        await bucket.discard(id);
        removed += 1;
      }
    }
  }
  return removed;
}

async function withoutRow(database: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM jsonb_array_elements_text($1::jsonb) AS begun (id)
      WHERE NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.id = begun.id)`,
    [JSON.stringify(ids)],
  );
  return rows.map(({ id }) => id);
}

async function isWorkspace(database: Queryable, id: string): Promise<boolean> {
  return (await database.query('SELECT 1 FROM workspaces WHERE id = $1', [id])).length > 0;
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
