import inScript from 'crc-32/crc32c.js';

/**
 * The CRC-32C of `bytes`, or of the earlier bytes followed by `bytes`.
 * @param before  the CRC-32C of the earlier bytes; 0 if there are none
 * @returns an unsigned 32-bit number
 */
export type Crc32c = (bytes: Uint8Array, before: number) => number;

/** In JavaScript, for platforms without a native build. It would take two fifths of the work of finishing an upload. */
export const crc32cInScript: Crc32c = (bytes, before) => inScript.buf(bytes, before) >>> 0;

/** By the processor's own instructions, where there is a native build for this platform; otherwise in JavaScript. */
export const crc32c: Crc32c = await import('@node-rs/crc32').then(
  (native) => native.crc32c,
  () => crc32cInScript,
);
