/** CRC-32C (Castagnoli), bit by bit: slow, and made from its definition rather than from tables. */
export function crc32c(bytes: Iterable<number>): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A `Repr-Digest` header with that CRC-32C. */
export function crc32cDigest(bytes: Iterable<number>): string {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(crc32c(bytes));
  return `crc32c=:${value.toString('base64')}:`;
}
