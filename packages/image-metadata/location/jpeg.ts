import { uint16 } from '../byte-source.js';
import { Region } from './search.js';
import { searchExif } from './tiff.js';
import { mentionsPlace } from './words.js';
import { searchExtendedXmp, searchXmp } from './xmp.js';

const EOI = 0xd9;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP11 = 0xeb;
const APP13 = 0xed;
const APP15 = 0xef;
const COM = 0xfe;
const SPACE = 0x20;

const EXIF = 'Exif\0';
const EXIF_NAME_BYTES = 6;
const XMP = 'http://ns.adobe.com/xap/1.0/\0';
const EXTENDED_XMP = 'http://ns.adobe.com/xmp/extension/\0';
const RESOURCES = 'Photoshop 3.0\0';

/** Application segments without a location, by their markers and first characters. Others become zeros. */
const HARMLESS: readonly (readonly [number, string])[] = [
  [APP0, ''],
  [APP1, 'QVCI\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xe2, 'MPF\0'],
  [0xe2, 'urn:iso:std:iso:ts:21496'],
  [0xe8, 'SPIFF'],
  [0xec, 'Ducky'],
  [APP13, 'Adobe_CM'],
  [0xee, 'Adobe'],
];
/** Segments of text, and of content credentials, which are kept unless they mention a place. */
const TEXTS = [0xec, APP11, COM];
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
  let end = file.size;
  for (let at = await nextMarker(file, 2); at >= 0; at = await nextMarker(file, at)) {
    search.step();
    const head = await file.readUpTo(at, 4);
    const marker = head[1] ?? 0;
    if (marker === EOI) {
      end = at + 2;
      break;
    }
    if (marker < 0xc0 || marker === 0xd8) {
      at += 2;
      continue;
    }
    const length = head.length < 4 ? 0 : uint16(head, 2);
    if (length < 2 || !file.has(at + 4, length - 2)) {
      end = at;
      break;
    }
    const data = file.part(at + 4, length - 2);
    const start = await data.text(0, EXTENDED_XMP.length);
    if (marker === APP13 && start.startsWith(RESOURCES)) {
      resources.push(data.part(RESOURCES.length));
    } else if (marker === APP1 && start.startsWith(EXTENDED_XMP)) {
      extended.push(data.part(EXTENDED_XMP.length));
    } else {
      await searchSegment(marker, start, data);
    }
    at += 2 + length;
  }
  await searchExtendedXmp(extended);
  if (resources.length > 0) {
    await search.formats.resources(Region.join(search, resources));
  }
  return end;
}

async function searchSegment(marker: number, start: string, data: Region): Promise<void> {
  const { search } = data;
  if (marker === APP1 && start.startsWith(EXIF) && data.size > EXIF_NAME_BYTES) {
    await search.ancillary(data, () => searchExif(data.part(EXIF_NAME_BYTES)));
  } else if (marker === APP1 && start.startsWith(XMP)) {
    await searchXmp(data.part(XMP.length));
  } else if (HARMLESS.some(([own, name]) => own === marker && start.startsWith(name))) {
    return;
  } else if (TEXTS.includes(marker)) {
    const text = await data.text(0, data.size);
    search.stream(data.size);
    const isUnknown =
      marker === APP11 && (!text.startsWith(CREDENTIALS) || text.includes(COMPRESSED_BOX));
    if (isUnknown) {
      await data.blank();
    } else if (mentionsPlace(text)) {
      search.hasLocation = (await data.blank(marker === COM ? SPACE : 0)) || search.hasLocation;
    }
  } else if (marker >= APP0 && marker <= APP15) {
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
