import { bytesOfLatin1, concat, indexOfBytes, latin1 } from '../byte-source.js';
import {
  jpegInPreview,
  layersIn,
  readPhotoshopHeader,
  RESOURCE,
  resourcesIn,
} from '../photoshop.js';
import { searchIptc } from './iptc.js';
import { Unsearchable, type Region } from './search.js';
import { searchExif } from './tiff.js';
import { searchXmp } from './xmp.js';

/** Searches image resources. Behind a damaged one they become zeros. */
export async function searchResources(resources: Region): Promise<void> {
  let rest = 0;
  for await (const { id, end, data } of resourcesIn(resources)) {
    await resources.search.ancillary(data, () => searchResource(id, data));
    rest = end;
  }
  await resources.part(rest).blank();
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
    case RESOURCE.preview:
    case RESOURCE.oldPreview: {
      const jpeg = await jpegInPreview(data);
      return jpeg ? data.search.nested(jpeg) : undefined;
    }
    default:
  }
}

/** Searches a PSD or PSB file. @throws {Unsearchable} also where layers have metadata or whole files */
export async function searchPhotoshop(file: Region): Promise<void> {
  const header = await readPhotoshopHeader(file);
  if (!header) {
    throw new Unsearchable('damaged');
  }
  const { resourcesAt, resourcesEnd, isLarge } = header;
  await searchResources(file.part(resourcesAt, resourcesEnd - resourcesAt));
  const layers = await layersIn(file, header);
  if (layers) {
    await searchLayers(file.part(layers.at, layers.length), isLarge);
  }
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
    const part = concat(tail, bytes);
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
