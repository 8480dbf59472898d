import type { ByteSource, RewrittenFile } from '../../packages/image-metadata/index.js';

/** A file in memory that counts what is read, and refuses ranges that are not inside it. */
export function sourceOf(file: Uint8Array): ByteSource & { reads: number; bytes: number } {
  return {
    size: file.length,
    reads: 0,
    bytes: 0,
    read(start, end) {
      if (start < 0 || end > file.length || start > end)
        return Promise.reject(new Error(`read outside the file: ${start} to ${end}`));
      this.reads += 1;
      this.bytes += end - start;
      return Promise.resolve(new Uint8Array(file.subarray(start, end)));
    },
  };
}

/** All bytes of a rewritten file. */
export async function written({ source, pieces }: RewrittenFile): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (const piece of pieces)
    parts.push(piece instanceof Uint8Array ? piece : await source.read(piece.from, piece.to));
  return Buffer.concat(parts);
}
