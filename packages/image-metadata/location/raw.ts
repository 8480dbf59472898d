import { bytesOfLatin1, indexOfBytes, uint32 } from '../byte-source.js';
import { RAF_JPEG, RAF_START } from '../read/fuji-raf.js';
import { Unsearchable, type Region } from './search.js';
import { searchExif } from './tiff.js';
import { packetIn, searchXmp } from './xmp.js';

const EXIF = bytesOfLatin1('Exif\0\0');
const XMP = bytesOfLatin1('http://ns.adobe.com/xap/1.0/\0');
const TIFF = [bytesOfLatin1('MM\0*\0\0\0'), bytesOfLatin1('II*\0\b\0\0\0')];
const LONGEST = XMP.length;
const MAX_FOUND = 64;

/**
 * Searches the raw files of some makers, whose structure is their own. Metadata are found by how they begin.
 * @throws {Unsearchable}
 */
export async function searchRaw(file: Region): Promise<number> {
  const { search } = file;
  if ((await file.text(0, RAF_START.length)) === RAF_START && file.has(RAF_JPEG, 8)) {
    const place = await file.read(RAF_JPEG, 8);
    if (file.has(uint32(place), uint32(place, 4))) {
      await search.nested(file.part(uint32(place), uint32(place, 4)));
    }
  }
  const exif = new Set<number>();
  const packets = new Set<number>();
  let tail = new Uint8Array(0);
  for await (const { at, bytes } of file.pieces()) {
    const joined = new Uint8Array(tail.length + bytes.length);
    joined.set(tail);
    joined.set(bytes, tail.length);
    const base = at - tail.length;
    for (const [word, found, skipped] of [
      [EXIF, exif, EXIF.length],
      [XMP, packets, XMP.length],
      ...TIFF.map((start) => [start, exif, 0] as const),
    ] as const) {
      for (let place = indexOfBytes(joined, word); place >= 0;) {
        search.step();
        found.add(base + place + skipped);
        if (found.size > MAX_FOUND) {
          throw new Unsearchable('limits');
        }
        place = indexOfBytes(joined, word, place + 1);
      }
    }
    tail = joined.slice(Math.max(0, joined.length - LONGEST));
  }
  for (const at of exif) {
    await searchExif(file.part(at)).catch(ignoreDamage);
  }
  for (const at of packets) {
    const packet = await packetIn(file.part(at));
    if (packet) {
      await searchXmp(packet);
    }
  }
  return file.size;
}

/** What looks like EXIF data may be pixels. */
function ignoreDamage(error: unknown): void {
  if (!(error instanceof Unsearchable) || error.reason !== 'damaged') {
    throw error;
  }
}
