import type { SpoolReader } from '../../src/host/spool.js';
import { bytesOf, type BinaryBody } from '../../src/host/http.js';
import { readChunks } from '../../src/host/chunks.js';

/** A reader of a photo's copy whose bytes all come from `read`. */
export function readerBy(read: (start: number, end: number) => Promise<BinaryBody>): SpoolReader {
  return {
    read,
    chunks: (start, end) =>
      readChunks(async (from, to) => bytesOf(await read(from, to)), start, end),
    close: () => Promise.resolve(),
  };
}
