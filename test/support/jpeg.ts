/** Gives bytes the beginning of a JPEG, in place, as far as they reach: what a photo must have to be taken for one. */
export function asJpeg<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  bytes.set([0xff, 0xd8, 0xff].slice(0, bytes.length));
  return bytes;
}
