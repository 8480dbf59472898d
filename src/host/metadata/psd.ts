import type { CopyMetadata } from '../host.js';
import {
  bigEndian,
  bytesOfLatin1,
  latin1,
  readPart,
  sizeOf,
  unchangeable,
  viewOf,
  WindowedSource,
  type ByteSource,
  type Piece,
} from './bytes.js';
import { planResources } from './image-resources.js';

const HEADER_BYTES = 26;
const SCAN_BYTES = 1024 * 1024;

/** Metadata of a layer. */
const LOCATION_WORD = bytesOfLatin1('GPSLatitude');
/** Keys of blocks with the files of embedded smart objects. */
const EMBEDDED_FILES = ['lnkD', 'lnk2', 'lnk3'];
const BLOCK_SIGNATURES = ['8BIM', '8B64'];

/** Rewrites a PSD or PSB file. Only its image resources change. @throws {CwError} CW-810 */
export async function planPsd(file: ByteSource, changes: CopyMetadata): Promise<readonly Piece[]> {
  const source = new WindowedSource(file);
  const header = await readPart(source, 0, HEADER_BYTES);
  const version = viewOf(header).getUint16(4);
  if (latin1(header, 0, 4) !== '8BPS' || (version !== 1 && version !== 2)) {
    throw unchangeable('this is no Photoshop file');
  }
  const lengthAt = async (at: number): Promise<number> =>
    viewOf(await readPart(source, at, at + 4)).getUint32(0);
  const resources = HEADER_BYTES + 4 + (await lengthAt(HEADER_BYTES));
  const start = resources + 4;
  const layers = start + (await lengthAt(resources));
  const pieces = await planResources(source, start, layers, changes, ['iptc', 'xmp']);
  const longLengths = version === 2;
  const lengthBytes = longLengths ? 8 : 4;
  const high = longLengths ? await lengthAt(layers) : 0;
  const low = await lengthAt(layers + lengthBytes - 4);
  const end = layers + lengthBytes + high * 2 ** 32 + low;
  if (end > source.size) {
    throw unchangeable('the Photoshop file is cut short');
  }
  if (changes.removeLocation) {
    await checkLayers(file, layers, end, longLengths);
  }
  return [
    { from: 0, to: resources },
    bigEndian(sizeOf(pieces), 4),
    ...pieces,
    { from: layers, to: source.size },
  ];
}

/**
 * Layers may say where a photo was taken, and embedded smart objects are whole photos.
 * @param longLengths  whether this is a PSB, in which the length of `lnk2` has eight bytes
 * @throws {CwError} CW-810 when they may
 */
async function checkLayers(
  source: ByteSource,
  start: number,
  end: number,
  longLengths: boolean,
): Promise<void> {
  const link = bytesOfLatin1('lnk');
  // Each part begins with the last bytes of the one before, so that no word is cut.
  const overlap = 32;
  for (let at = start; at < end; at += SCAN_BYTES) {
    const part = await source.read(Math.max(start, at - overlap), Math.min(end, at + SCAN_BYTES));
    if (placeOf(part, LOCATION_WORD, 0) >= 0) {
      throw unchangeable('a layer has a location');
    }
    for (let place = placeOf(part, link, 4); place >= 0; place = placeOf(part, link, place + 1)) {
      const key = latin1(part, place, place + 4);
      const isBlock =
        BLOCK_SIGNATURES.includes(latin1(part, place - 4, place)) && EMBEDDED_FILES.includes(key);
      const lengthEnd = place + (longLengths && key === 'lnk2' ? 12 : 8);
      if (isBlock && part.subarray(place + 4, lengthEnd).some((byte) => byte !== 0)) {
        throw unchangeable('the document has embedded smart objects');
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
