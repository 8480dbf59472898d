import { bytesOfLatin1, indexOfBytes, latin1, uint16, uint32, uint64 } from './byte-source.js';
import { searchIptc } from './iptc.js';
import { Unsearchable, type Region } from './search.js';
import { searchExif } from './tiff.js';
import { searchXmp } from './xmp.js';

/**
 * Photoshop's files and image resources (https://www.adobe.com/devnet-apps/photoshop/fileformatashtml/).
 * @packageDocumentation
 */

const RESOURCE = {
  iptc: 1028,
  oldThumbnail: 1033,
  thumbnail: 1036,
  exif: 1058,
  otherExif: 1059,
  xmp: 1060,
} as const;
const THUMBNAIL_HEAD_BYTES = 28;
/** The other format is pixels. */
const JPEG_FORMAT = 1;
const SIGNATURES = ['8BIM', 'MeSa', 'AgHg', 'PHUT', 'DCSR'];
const HEADER_BYTES = 26;

/** Searches image resources. Behind a damaged one they become zeros. */
export async function searchResources(resources: Region): Promise<void> {
  const { search } = resources;
  let at = 0;
  while (resources.has(at, 12)) {
    search.step();
    const head = await resources.readUpTo(at, 4 + 2 + 256 + 4);
    const nameBytes = (head[6] ?? 0) + 1;
    const headBytes = 6 + nameBytes + (nameBytes % 2);
    if (!SIGNATURES.includes(latin1(head, 0, 4)) || head.length < headBytes + 4) {
      break;
    }
    const length = uint32(head, headBytes);
    if (!resources.has(at + headBytes + 4, length)) {
      break;
    }
    const data = resources.part(at + headBytes + 4, length);
    await search.ancillary(data, () => searchResource(uint16(head, 4), data));
    at += headBytes + 4 + length + (length % 2);
  }
  await resources.part(Math.min(at, resources.size)).blank();
}

async function searchResource(id: number, data: Region): Promise<void> {
  switch (id) {
    case RESOURCE.iptc:
      return searchIptc(data);
    case RESOURCE.exif:
    case RESOURCE.otherExif:
      return searchExif(data);
    case RESOURCE.xmp:
      return searchXmp(data);
    case RESOURCE.thumbnail:
    case RESOURCE.oldThumbnail:
      if (data.size > THUMBNAIL_HEAD_BYTES && uint32(await data.read(0, 4)) === JPEG_FORMAT) {
        await data.search.nested(data.part(THUMBNAIL_HEAD_BYTES));
      }
      return;
    default:
  }
}

/** Searches a PSD or PSB file. @throws {Unsearchable} also where layers have metadata or whole files */
export async function searchPhotoshop(file: Region): Promise<void> {
  const isLong = uint16(await file.read(4, 2)) === 2;
  const colours = uint32(await file.read(HEADER_BYTES, 4));
  const resources = HEADER_BYTES + 4 + colours;
  const length = uint32(await file.read(resources, 4));
  await searchResources(file.part(resources + 4, length));
  const layers = resources + 4 + length;
  if (!file.has(layers, isLong ? 8 : 4)) {
    return;
  }
  const size = isLong ? uint64(await file.read(layers, 8)) : uint32(await file.read(layers, 4));
  await searchLayers(file.part(layers + (isLong ? 8 : 4), size), isLong);
}

/** Metadata of a layer. */
const LOCATION_WORD = bytesOfLatin1('GPSLatitude');
/** The blocks with the files of embedded smart objects: signature and key, both backwards in a little-endian TIFF file. */
const EMBEDDED_FILES = /^(?:8B(?:IM|64)lnk[D23]|(?:MI|46)B8[D23]knl)$/;
/** What all these keys have in common, and where it begins behind the signature. */
const KEY_PARTS = [
  { word: bytesOfLatin1('lnk'), offset: 0 },
  { word: bytesOfLatin1('knl'), offset: 1 },
] as const;
/** Each piece begins with the last bytes of the one before, so that no word is cut. */
const OVERLAP_BYTES = 32;

/**
 * Checks layers, which may say where a photo was taken. Embedded smart objects are whole photos.
 * @param isPsb  whether the length of a block `lnk2` has eight bytes
 * @throws {Unsearchable} when there may be a location
 */
export async function searchLayers(layers: Region, isPsb: boolean): Promise<void> {
  let tail = new Uint8Array(0);
  for await (const { bytes } of layers.pieces()) {
    const part = new Uint8Array(tail.length + bytes.length);
    part.set(tail);
    part.set(bytes, tail.length);
    if (indexOfBytes(part, LOCATION_WORD) >= 0) {
      throw new Unsearchable('embedded-files');
    }
    for (const { word, offset } of KEY_PARTS) {
      for (let at = indexOfBytes(part, word, 4); at >= 0; at = indexOfBytes(part, word, at + 1)) {
        const key = at - offset;
        const lengthEnd = key + (isPsb && part[key + 3] === 0x32 ? 12 : 8);
        if (
          EMBEDDED_FILES.test(latin1(part, key - 4, key + 4)) &&
          part.subarray(key + 4, lengthEnd).some((byte) => byte !== 0)
        ) {
          throw new Unsearchable('embedded-files');
        }
      }
    }
    tail = part.slice(Math.max(0, part.length - OVERLAP_BYTES));
  }
}
