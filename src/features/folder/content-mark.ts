import { sha256 } from '@noble/hashes/sha2.js';
import type { Spool } from '../../host/spool.js';
import { bytesOf } from '../../host/http.js';
import { hexOf } from '../../util/hex.js';

/** Bytes at either end of a file that count. All of a large file would take too long. */
const PART_BYTES = 32 * 1024;

/** A digest of both ends of a copy, which recognises a file that was renamed. @throws {CwError} CW-607, CW-702 */
export async function contentMark(spool: Spool, id: string, size: number): Promise<string> {
  const reader = await spool.open(id);
  try {
    const hash = sha256.create();
    const middle = Math.min(size, PART_BYTES);
    hash.update(new Uint8Array(await bytesOf(await reader.read(0, middle))));
    const last = Math.max(middle, size - PART_BYTES);
    if (last < size) {
      hash.update(new Uint8Array(await bytesOf(await reader.read(last, size))));
    }
    return hexOf(hash.digest().subarray(0, 16));
  } finally {
    await reader.close();
  }
}
