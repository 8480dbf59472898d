import { patched, type Patch } from '../../previews/index.js';

/**
 * Applies patches to the bytes of a file. The stored file stays as it is.
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
