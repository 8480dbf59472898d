/**
 * CRC-32C of the package `crc-32`, whose own types name its other checksum only.
 * @packageDocumentation
 */

declare module 'crc-32/crc32c.js' {
  /** CRC-32C of bytes that follow those whose CRC-32C is `seed`; a signed number of 32 bits. */
  export function buf(bytes: Uint8Array, seed?: number): number;
}
