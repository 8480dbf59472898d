import { applyPatches, type Patch } from '../../../../packages/image-metadata/patches.js';

/**
 * Applies patches to the bytes of a file. The stored file stays as it is.
 * @param start where the bytes begin in the file
 */
export async function* patchedStream(
  bytes: AsyncIterable<unknown>,
  start: number,
  patches: readonly Patch[],
): AsyncGenerator<Uint8Array> {
  let at = start;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    yield applyPatches(chunk, at, patches);
    at += chunk.length;
  }
}
