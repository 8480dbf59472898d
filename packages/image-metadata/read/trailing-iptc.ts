import type { ByteReader } from '../byte-reader.js';
import { latin1, uint16, uint32 } from '../byte-source.js';

const FOTOSTATION = { bytes: 10, mark: 0xa1b2c3d4, iptc: 1 } as const;
const AFCP = { bytes: 12, entryBytes: 12, iptc: 'IPTC' } as const;
const MAX_RECORDS = 16;

/**
 * Finds the IPTC datasets that FotoStation, or a program with the AXS File Concatenation Protocol, has written behind a picture.
 * @returns null where there are none
 */
export async function trailingIptc(reader: ByteReader): Promise<ByteReader | null> {
  return (await inFotoStation(reader)) ?? (await inAfcp(reader));
}

/** Records that are read from the end: data, a number, the length of it all, and a mark. */
async function inFotoStation(reader: ByteReader): Promise<ByteReader | null> {
  let end = reader.size;
  for (let count = 0; count < MAX_RECORDS; count += 1) {
    const foot = await reader.read(end - FOTOSTATION.bytes, FOTOSTATION.bytes);
    const length = foot ? uint32(foot, 2) : 0;
    if (!foot || uint32(foot, 6) !== FOTOSTATION.mark || length < FOTOSTATION.bytes) {
      return null;
    }
    if (uint16(foot, 0) === FOTOSTATION.iptc) {
      return reader.part(end - length, length - FOTOSTATION.bytes);
    }
    end -= length;
  }
  return null;
}

/** A list of parts, which the last bytes of the file lead to. `!` is big-endian, `*` little-endian. */
async function inAfcp(reader: ByteReader): Promise<ByteReader | null> {
  const foot = await reader.read(reader.size - AFCP.bytes, AFCP.bytes);
  const name = foot ? latin1(foot, 0, 4) : '';
  if (!foot || !['AXS!', 'AXS*'].includes(name)) {
    return null;
  }
  const isLittle = name === 'AXS*';
  const long = (bytes: Uint8Array, at: number): number => uint32(bytes, at, isLittle);
  const list = long(foot, 4);
  const head = await reader.read(list, 12);
  const count = head && uint16(head, 6, isLittle);
  for (let index = 0; index < Math.min(count ?? 0, MAX_RECORDS); index += 1) {
    const entry = await reader.read(list + 12 + index * AFCP.entryBytes, AFCP.entryBytes);
    if (entry && latin1(entry, 0, 4) === AFCP.iptc) {
      return reader.part(long(entry, 8), long(entry, 4));
    }
  }
  return null;
}
