import { buffer } from 'node:stream/consumers';
import {
  ByteReader,
  LOCATION_LIMITS,
  locationOf,
  patched,
  type Patch,
} from '../../previews/index.js';
import type { UploadStorage } from '../../uploads/index.js';
import type { Photo } from '../data/photo.js';

/** What to replace in a stored file to send it without its location. The stored file stays as it is. */
export async function locationPatches(
  store: Pick<UploadStorage, 'readRange'>,
  { id, size }: Pick<Photo, 'id' | 'size'>,
): Promise<readonly Patch[]> {
  const read = async (at: number, length: number): Promise<Buffer> =>
    buffer(await store.readRange(id, { start: at, end: at + length - 1 }));
  return (await locationOf(ByteReader.over({ size, read }, LOCATION_LIMITS))).patches;
}

/**
 * Applies patches to the bytes of a file.
 * @param start where the bytes begin in the file
 */
export async function* patchedStream(
  bytes: AsyncIterable<unknown>,
  start: number,
  patches: readonly Patch[],
): AsyncGenerator<Buffer> {
  let at = start;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    yield patched(chunk, at, patches);
    at += chunk.length;
  }
}
