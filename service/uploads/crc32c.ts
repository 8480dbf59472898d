import inScript from 'crc-32/crc32c.js';

/**
 * CRC-32C of `bytes`, or of everything before and `bytes`.
 * @param before  the CRC-32C of what came before; 0 when nothing did
 * @returns a number of 32 bits without a sign
 */
export type Crc32c = (bytes: Uint8Array, before: number) => number;

/** In script. It would be two fifths of the work of finishing an upload. */
export const crc32cInScript: Crc32c = (bytes, before) => inScript.buf(bytes, before) >>> 0;

/** By the processor's own instructions, where there is a build for this platform; else in script. */
export const crc32c: Crc32c = await import('@node-rs/crc32').then(
  (native) => native.crc32c,
  () => crc32cInScript,
);
