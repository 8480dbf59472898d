/** Signature, length of the first chunk, and its name (PNG specification, 5.2 and 11.2.1). */
const START = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

/** Width and height of a PNG in pixels; null for anything else. */
export function pngSize(bytes: Buffer): { readonly width: number; readonly height: number } | null {
  if (bytes.length < START.length + 8 || !bytes.subarray(0, START.length).equals(START)) {
    return null;
  }
  return { width: bytes.readUInt32BE(START.length), height: bytes.readUInt32BE(START.length + 4) };
}
