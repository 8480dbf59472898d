/** Overwrites the start of bytes with that of a JPEG, so that the file counts as a photo. */
export function asJpeg<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  bytes.set([0xff, 0xd8, 0xff].slice(0, bytes.length));
  return bytes;
}
