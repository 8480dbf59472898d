import { ByteReader, isCutShort } from '../../../packages/image-metadata/index.js';
import type { Spool } from '../../host/spool.js';
import { bytesOf } from '../../host/http.js';

/** How much is read of a copy to judge it. */
const LIMITS = { reads: 64, bytes: 4 * 1024 * 1024, steps: 4_096 };

/**
 * Whether a copy is only the first part of a file, as far as its format shows that. Reads little of it.
 * @throws {CwError} CW-607, CW-702
 */
export async function isHalfFile(spool: Spool, id: string, size: number): Promise<boolean> {
  const reader = await spool.open(id);
  try {
    const read = async (start: number, end: number): Promise<Uint8Array> =>
      new Uint8Array(await bytesOf(await reader.read(start, end)));
    return await isCutShort(ByteReader.over({ size, read }, LIMITS));
  } finally {
    await reader.close();
  }
}
