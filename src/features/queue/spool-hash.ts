import { sha256 } from '@noble/hashes/sha2.js';
import { throwIfCancelled, type CancelSignal } from '../../util/cancel.js';
import { sleep, type Clock } from '../../util/clock.js';
import { hexOf } from '../../util/hex.js';
import type { Spool } from '../../host/spool.js';
import { bytesOf } from '../../host/http.js';

/** Bytes hashed at a time: work of some milliseconds, so that the panel can be drawn in between. */
const SLICE_BYTES = 256 * 1024;

export interface SpoolHashOptions {
  readonly spool: Spool;
  readonly clock: Clock;
  readonly signal: CancelSignal;
}

/**
 * The SHA-256 of a photo's copy in lower-case hex, in constant memory.
 * @param size  bytes of the copy
 * @throws {CwError} CW-607 when the copy is gone or shorter
 * @throws {CancelledError}
 */
export async function spoolSha256(
  id: string,
  size: number,
  { spool, clock, signal }: SpoolHashOptions,
): Promise<string> {
  throwIfCancelled(signal);
  const reader = await spool.open(id);
  const hash = sha256.create();
  try {
    for (let start = 0; start < size; start += SLICE_BYTES) {
      throwIfCancelled(signal);
      const slice = await reader.read(start, Math.min(size, start + SLICE_BYTES));
      hash.update(new Uint8Array(await bytesOf(slice)));
      await sleep(clock, 0, signal);
    }
  } finally {
    await reader.close();
  }
  return hexOf(hash.digest());
}
