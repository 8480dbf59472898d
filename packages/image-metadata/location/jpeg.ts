import { MARKER, markersIn, SEGMENT_NAME } from '../jpeg.js';
import { Region } from './search.js';
import { searchExif } from './tiff.js';
import { mentionsPlace } from './words.js';
import { searchExtendedXmp, searchXmp } from './xmp.js';

const SPACE = 0x20;

/** Some programs write EXIF data with another byte behind the NUL of their name. */
const EXIF = 'Exif\0';
const EXIF_NAME_BYTES = 6;

/** Application segments without a location, by their markers and first characters. Others become zeros. */
const HARMLESS: readonly (readonly [number, string])[] = [
  [MARKER.app0, ''],
  [MARKER.app1, SEGMENT_NAME.casio],
  [MARKER.app2, 'ICC_PROFILE\0'],
  [MARKER.app2, SEGMENT_NAME.pictures],
  [MARKER.app2, 'urn:iso:std:iso:ts:21496'],
  [0xe8, 'SPIFF'],
  [MARKER.app12, 'Ducky'],
  [MARKER.app13, 'Adobe_CM'],
  [MARKER.app14, 'Adobe'],
];
/** Segments of text, and of content credentials, which are kept unless they mention a place. */
const TEXTS: readonly number[] = [MARKER.app12, MARKER.app11, MARKER.comment];
/** How content credentials begin, and their box that is compressed. */
const CREDENTIALS = 'JP';
const COMPRESSED_BOX = 'brob';

/**
 * Searches a JPEG file from its start.
 * @returns where it ends; further files may follow
 */
export async function searchJpeg(file: Region): Promise<number> {
  const { search } = file;
  const resources: Region[] = [];
  const extended: Region[] = [];
  let fileEnd = file.size;
  for await (const { marker, at, end, data } of markersIn(file, nextMarker)) {
    if (!data) {
      // Without data are the end of the picture, a damaged segment, and markers that programs skip.
      fileEnd = marker === MARKER.endOfImage || end === at ? end : fileEnd;
      continue;
    }
    const start = await data.text(0, SEGMENT_NAME.extendedXmp.length);
    if (marker === MARKER.app13 && start.startsWith(SEGMENT_NAME.resources)) {
      resources.push(data.part(SEGMENT_NAME.resources.length));
    } else if (marker === MARKER.app1 && start.startsWith(SEGMENT_NAME.extendedXmp)) {
      extended.push(data.part(SEGMENT_NAME.extendedXmp.length));
    } else {
      await searchSegment(marker, start, data);
    }
  }
  await searchExtendedXmp(extended);
  if (resources.length > 0) {
    await search.formats.resources(Region.join(search, resources));
  }
  return fileEnd;
}

async function searchSegment(marker: number, start: string, data: Region): Promise<void> {
  const { search } = data;
  if (marker === MARKER.app1 && start.startsWith(EXIF) && data.size > EXIF_NAME_BYTES) {
    await search.ancillary(data, () => searchExif(data.part(EXIF_NAME_BYTES)));
  } else if (marker === MARKER.app1 && start.startsWith(SEGMENT_NAME.xmp)) {
    await searchXmp(data.part(SEGMENT_NAME.xmp.length));
  } else if (HARMLESS.some(([own, name]) => own === marker && start.startsWith(name))) {
    return;
  } else if (TEXTS.includes(marker)) {
    const text = await data.text(0, data.size);
    search.stream(data.size);
    const isUnknown =
      marker === MARKER.app11 && (!text.startsWith(CREDENTIALS) || text.includes(COMPRESSED_BOX));
    if (isUnknown) {
      await data.blank();
    } else if (mentionsPlace(text)) {
      search.hasLocation =
        (await data.blank(marker === MARKER.comment ? SPACE : 0)) || search.hasLocation;
    }
  } else if (marker >= MARKER.app0 && marker <= MARKER.app15) {
    await data.blank();
  }
}

/**
 * The next marker that is not part of the pixels. Fill bytes come before it, and programs skip what is between segments.
 * @returns the place of the byte before its code; -1 where there is none
 */
async function nextMarker(file: Region, from: number): Promise<number> {
  let isAfterFF = false;
  for await (const { at, bytes } of file.pieces(from)) {
    for (let index = 0; index < bytes.length; index += 1) {
      if (!isAfterFF) {
        index = bytes.indexOf(0xff, index);
        if (index < 0) {
          break;
        }
        isAfterFF = true;
        continue;
      }
      const code = bytes[index] ?? 0;
      if (code === 0xff) {
        continue;
      }
      if (code !== 0 && !(code >= 0xd0 && code <= 0xd7)) {
        return at + index - 1;
      }
      isAfterFF = false;
    }
  }
  return -1;
}
