import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { UploadStorage } from '../uploads/index.js';

/** How long fetching a file from the storage may take, in milliseconds. */
const FETCH_MS = 60_000;

/**
 * Works on a local copy of the beginning of a file in remote storage, or of all of it.
 * @param part.end the position of the last byte
 */
export async function withLocalCopy<T>(
  store: Pick<UploadStorage, 'readRange'>,
  { id, end }: { readonly id: string; readonly end: number },
  stopped: AbortSignal,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-look-'));
  try {
    const file = path.join(folder, 'file');
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(FETCH_MS)]);
    const bytes = await store.readRange(id, { start: 0, end });
    await pipeline(bytes, createWriteStream(file, { mode: 0o600 }), { signal });
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
