import { createHash } from 'node:crypto';

/** CRC-32C by its definition, bit by bit, so that it owes nothing to the library. */
export function crc32c(bytes: Uint8Array): Buffer {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  const digest = Buffer.alloc(4);
  digest.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return digest;
}

export function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** The header `Repr-Digest` of these bytes, by SHA-256. */
export function bySha(bytes: Uint8Array): string {
  return member('sha-256', sha256(bytes));
}

/** The header `Repr-Digest` of these bytes, by CRC-32C. */
export function byCrc(bytes: Uint8Array): string {
  return member('crc32c', crc32c(bytes));
}

/** The header `Repr-Digest` of these bytes, by both. */
export function byBoth(bytes: Uint8Array): string {
  return `${bySha(bytes)}, ${byCrc(bytes)}`;
}

/** A copy of these bytes with one bit turned around. */
export function flipped(bytes: Uint8Array<ArrayBuffer>, bit: number): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

function member(key: string, digest: Buffer): string {
  return `${key}=:${digest.toString('base64')}:`;
}
