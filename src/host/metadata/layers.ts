import { bytesOfLatin1, latin1, unchangeable, type ByteSource } from './bytes.js';

const SCAN_BYTES = 1024 * 1024;
/** Each part begins with the last bytes of the one before, so that no word is cut. */
const OVERLAP_BYTES = 32;

/** Metadata of a layer. */
const LOCATION_WORD = bytesOfLatin1('GPSLatitude');
/** The blocks with the files of embedded smart objects: signature and key, both backwards in a little-endian TIFF file. */
const EMBEDDED_FILES = /^(8B(IM|64)lnk[D23]|(MI|46)B8[D23]knl)$/;
/** What all these keys have in common, and where it begins behind the signature. */
const KEY_PARTS = [
  { word: bytesOfLatin1('lnk'), offset: 0 },
  { word: bytesOfLatin1('knl'), offset: 1 },
] as const;

/**
 * Checks layers, which may say where a photo was taken. Embedded smart objects are whole photos.
 * @param isPsb  whether the length of a block `lnk2` has eight bytes
 * @throws {CwError} CW-810 when there may be a location
 */
export async function checkLayers(
  source: ByteSource,
  start: number,
  end: number,
  isPsb: boolean,
): Promise<void> {
  for (let at = start; at < end; at += SCAN_BYTES) {
    const part = await source.read(
      Math.max(start, at - OVERLAP_BYTES),
      Math.min(end, at + SCAN_BYTES),
    );
    if (placeOf(part, LOCATION_WORD, 0) >= 0) {
      throw unchangeable('a layer has a location');
    }
    for (const { word, offset } of KEY_PARTS) {
      for (let place = placeOf(part, word, 5); place >= 0; place = placeOf(part, word, place + 1)) {
        const key = place - offset;
        const lengthEnd = key + (isPsb && part[key + 3] === 0x32 ? 12 : 8);
        if (
          EMBEDDED_FILES.test(latin1(part, key - 4, key + 4)) &&
          part.subarray(key + 4, lengthEnd).some((byte) => byte !== 0)
        ) {
          throw unchangeable('the document has embedded smart objects');
        }
      }
    }
  }
}

function placeOf(bytes: Uint8Array, word: Uint8Array, from: number): number {
  const first = word[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (word.every((byte, index) => bytes[at + index] === byte)) {
      return at;
    }
  }
  return -1;
}
