import type { ByteReader } from './byte-reader.js';

const FOTOSTATION = { bytes: 10, mark: 0xa1b2c3d4, iptc: 1 } as const;
const AFCP = { bytes: 12, entryBytes: 12, iptc: 'IPTC' } as const;
const MAX_RECORDS = 16;

/**
 * Finds the IPTC datasets that FotoStation, or a program with the AXS File Concatenation Protocol, has written behind a picture.
 * @returns undefined where there are none
 */
export async function trailingIptc(reader: ByteReader): Promise<ByteReader | undefined> {
  return (await inFotoStation(reader)) ?? (await inAfcp(reader));
}

/** Records that are read from the end: data, a number, the length of it all, and a mark. */
async function inFotoStation(reader: ByteReader): Promise<ByteReader | undefined> {
  let end = reader.size;
  for (let count = 0; count < MAX_RECORDS; count += 1) {
    const foot = await reader.read(end - FOTOSTATION.bytes, FOTOSTATION.bytes);
    const length = foot?.readUInt32BE(2) ?? 0;
    if (foot?.readUInt32BE(6) !== FOTOSTATION.mark || length < FOTOSTATION.bytes) {
      return undefined;
    }
    if (foot.readUInt16BE(0) === FOTOSTATION.iptc) {
      return reader.part(end - length, length - FOTOSTATION.bytes);
    }
    end -= length;
  }
  return undefined;
}

/** A list of parts, which the last bytes of the file lead to. `!` is big-endian, `*` little-endian. */
async function inAfcp(reader: ByteReader): Promise<ByteReader | undefined> {
  const foot = await reader.read(reader.size - AFCP.bytes, AFCP.bytes);
  const name = foot?.toString('latin1', 0, 4) ?? '';
  if (foot === undefined || !['AXS!', 'AXS*'].includes(name)) {
    return undefined;
  }
  const isLittle = name === 'AXS*';
  const long = (bytes: Buffer, at: number): number =>
    isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  const list = long(foot, 4);
  const head = await reader.read(list, 12);
  const count = isLittle ? head?.readUInt16LE(6) : head?.readUInt16BE(6);
  for (let index = 0; index < Math.min(count ?? 0, MAX_RECORDS); index += 1) {
    const entry = await reader.read(list + 12 + index * AFCP.entryBytes, AFCP.entryBytes);
    if (entry?.toString('latin1', 0, 4) === AFCP.iptc) {
      return reader.part(long(entry, 8), long(entry, 4));
    }
  }
  return undefined;
}
