import { BOX_UUID, boxesIn, type Box } from '../box.js';
import { searchCodestream } from './codestream.js';
import { uint32 } from '../byte-source.js';
import { searchIptc } from './iptc.js';
import { searchItems } from './items.js';
import {
  isMetaBox,
  removeBox,
  searchMeta,
  searchMovie,
  searchUserData,
  type SearchUuid,
} from './movie.js';
import { Unsearchable, type Region } from './search.js';
import { searchExif, searchGpsDirectory } from './tiff.js';
import { searchSamsung } from './trailer.js';
import { mentionsPlace } from './words.js';
import { searchXmp } from './xmp.js';

/** Boxes of pictures, pixels and indexes, without spaces behind their names. */
const HARMLESS = new Set(
  [
    'ftyp styp mdat moof sidx ssix mfra prft pdin pnot PICT meco',
    'jP jp2h JXL jxlc jxlp jxll jxli',
  ].flatMap((names) => names.split(' ')),
);
const UUID = {
  ...BOX_UUID,
  /** JPEG 2000 with IPTC. */
  iptc: '33c7a4d2b81d4723a0baf1a3e097ad38',
  /** The position of a map in GeoJP2. */
  geo: 'b14bf8bd083d4b43a5ae8cd7d5a6ce03',
  /** Describes a film that surrounds. */
  spherical: 'ffcc8263f8554a938814587a02521fdd',
} as const;
const CANON_EXIF = ['CMT1', 'CMT2', 'CMT3'];
const CANON_GPS = 'CMT4';
const MAX_TEXT_BYTES = 64 * 1024;

/**
 * Searches a file of boxes: MP4, MOV, HEIC, AVIF, CR3, JPEG 2000, JPEG XL. Unknown boxes become free space.
 * @returns where it ends
 * @throws {Unsearchable} also for tracks of timed metadata
 */
export async function searchBoxes(file: Region): Promise<number> {
  let end = 0;
  for await (const box of boxesIn(file)) {
    if (!/^[\w ©]{4}$/.test(box.type)) {
      break;
    }
    await searchBox(file, box);
    end = box.end;
  }
  if (end === 0) {
    throw new Unsearchable('damaged');
  }
  return end;
}

async function searchBox(file: Region, box: Box<Region>): Promise<void> {
  const { type, data } = box;
  const { search } = file;
  switch (type) {
    case 'moov':
      return searchMovie(data, searchUuid);
    case 'meta':
      if (isMetaBox(await data.text(0, 8))) {
        await searchItems(file, data);
      }
      return searchMeta(data, searchUuid);
    case 'udta':
      return searchUserData(data, searchUuid);
    case 'uuid':
      return searchUuid(box);
    case 'xml ':
      return searchXmp(data);
    case 'Exif':
      return search.ancillary(data, () => searchExifBox(data));
    case 'mpvd':
      return search.ancillary(data, () => search.nested(data));
    case 'sefd':
      if ((await searchSamsung(data)) === data.size) {
        await data.blank();
      }
      return;
    case 'jp2c':
      await searchCodestream(data);
      return;
    default:
      if (!HARMLESS.has(type.trimEnd())) {
        await removeBox(box);
      }
  }
}

/** EXIF data in a box begin behind an offset. */
async function searchExifBox(data: Region): Promise<void> {
  const offset = uint32(await data.read(0, 4));
  await searchExif(data.part(4 + offset));
}

const searchUuid: SearchUuid = async (box) => {
  const { uuid, data } = box;
  const { search } = data;
  switch (uuid ?? '') {
    case UUID.xmp:
      return searchXmp(data);
    case UUID.exif:
      return search.ancillary(data, () => searchExif(data));
    case UUID.iptc:
      return searchIptc(data);
    case UUID.canon:
      return searchCanon(data);
    case UUID.geo:
      search.hasLocation = true;
      return removeBox(box);
    case UUID.canonPreview:
      return;
    case UUID.spherical:
      if (mentionsPlace(await data.text(0, MAX_TEXT_BYTES))) {
        await removeBox(box);
      }
      return;
    default:
      return removeBox(box);
  }
};

async function searchCanon(canon: Region): Promise<void> {
  for await (const { type, data } of boxesIn(canon)) {
    if (CANON_EXIF.includes(type)) {
      await canon.search.ancillary(data, () => searchExif(data));
    } else if (type === CANON_GPS) {
      await canon.search.ancillary(data, () => searchGpsDirectory(data));
    }
  }
}
