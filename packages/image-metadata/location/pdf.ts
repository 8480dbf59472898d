import { bytesOfLatin1, latin1 } from '../byte-source.js';
import { Unsearchable, type Region, type UnsearchableReason } from './search.js';
import { isPlaceKeyword } from './words.js';
import { searchXmp } from './xmp.js';

/**
 * PDF files (ISO 32000-1). Streams are found from the start of the file to its end, without its tables. XMP and pictures
 * that are streams without compression are searched. Streams of objects cannot hold either.
 * @packageDocumentation
 */

const STREAM = bytesOfLatin1('stream');
const END_OF_STREAM = bytesOfLatin1('endstream');
/** How Photoshop's image resources begin, which are in its PDF files. */
const RESOURCES = '8BIM';
/** A longer dictionary is not read. */
const MAX_DICTIONARY_BYTES = 16 * 1024;
const OVERLAP_BYTES = 64;

/** Names of what cannot be searched: encryption, geographic areas, attached files, files of Illustrator. */
const REFUSED: readonly (readonly [string, UnsearchableReason])[] = [
  ['/Encrypt', 'encrypted'],
  ['/GPTS', 'unsupported'],
  ['/LGIDict', 'unsupported'],
  ['/EmbeddedFile', 'embedded-files'],
  ['/AIPrivateData', 'compressed'],
  ['/AIMetaData', 'compressed'],
];

/** @throws {Unsearchable} where pictures or metadata are compressed, or files attached */
export async function searchPdf(file: Region): Promise<number> {
  const { search } = file;
  let at = 0;
  for (;;) {
    search.step();
    const start = await file.indexOf(STREAM, at);
    if (start < 0) {
      break;
    }
    const data = await dataStart(file, start + STREAM.length);
    if (data === null) {
      await checkText(file.part(at, start + STREAM.length - at));
      at = start + STREAM.length;
      continue;
    }
    await checkText(file.part(at, start - at));
    const from = Math.max(at, start - MAX_DICTIONARY_BYTES);
    const before = decodeNames(latin1(await file.read(from, start - from)));
    const object = before.lastIndexOf(' obj');
    if (object < 0) {
      throw new Unsearchable('damaged');
    }
    const dictionary = before.slice(object);
    const end = await dataEnd(file, data, dictionary);
    await searchStream(dictionary, file.part(data, end - data));
    at = end + END_OF_STREAM.length;
  }
  await checkText(file.part(Math.min(at, file.size)));
  return file.size;
}

/** Where the data begin behind the word `stream`; null where the word is another. */
async function dataStart(file: Region, at: number): Promise<number | null> {
  const [first, second] = await file.readUpTo(at, 2);
  if (first === 0x0a) {
    return at + 1;
  }
  return first === 0x0d ? at + (second === 0x0a ? 2 : 1) : null;
}

async function dataEnd(file: Region, data: number, dictionary: string): Promise<number> {
  const [, digits] = /\/Length ?(\d{1,12})(?![\d ]{1,12}R)/.exec(dictionary) ?? [];
  const end = data + Number(digits);
  if (file.has(end, END_OF_STREAM.length)) {
    const behind = await file.text(end, END_OF_STREAM.length + 2);
    if (behind.includes('endstream')) {
      return end;
    }
  }
  const found = await file.indexOf(END_OF_STREAM, data);
  if (found < 0) {
    throw new Unsearchable('damaged');
  }
  return found;
}

async function searchStream(dictionary: string, data: Region): Promise<void> {
  const filters = filtersOf(dictionary);
  const isPicture = filters.some(
    (name) => name === 'DCTDecode' || name === 'DCT' || name === 'JPXDecode',
  );
  const isMetadata = /\/Type ?\/Metadata|\/Subtype ?\/XML/.test(dictionary);
  if (
    filters.includes('unknown') ||
    ((isPicture || isMetadata) && filters.length > (isPicture ? 1 : 0))
  ) {
    throw new Unsearchable('compressed');
  }
  if (isMetadata) {
    await searchXmp(data);
  } else if (isPicture) {
    await data.search.nested(data);
  } else if (filters.length === 0) {
    await ((await data.text(0, RESOURCES.length)) === RESOURCES
      ? data.search.formats.resources(data)
      : checkText(data));
  }
}

/** The names of filters; `unknown` for an object elsewhere. */
function filtersOf(dictionary: string): readonly string[] {
  // Short subject: a dictionary.
  const [, value] = /\/Filter ?(\[[^\]]{0,256}\]|\/\w{1,32}|\d)/.exec(dictionary) ?? [];
  if (value === undefined) {
    return dictionary.includes('/Filter') ? ['unknown'] : [];
  }
  if (value.startsWith('[') && /\d/.test(value.replace(/85/g, ''))) {
    return ['unknown'];
  }
  return /^\d/.test(value) ? ['unknown'] : (value.match(/\w{1,32}/g) ?? []);
}

/** White space as one space, and characters of names that are written as numbers. */
function decodeNames(text: string): string {
  return text
    .replace(/#([\da-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
    .split(/[\s\0]/)
    .filter((word) => word !== '')
    .join(' ');
}

/** @throws {Unsearchable} where a text names what cannot be searched, or has coordinates */
async function checkText(region: Region): Promise<void> {
  let tail = '';
  for await (const { bytes } of region.pieces()) {
    const text = decodeNames(tail + latin1(bytes));
    const refused = REFUSED.find(([name]) => text.includes(name));
    if (refused) {
      throw new Unsearchable(refused[1]);
    }
    if (isPlaceKeyword(text)) {
      throw new Unsearchable('unsupported');
    }
    tail = latin1(bytes.subarray(-OVERLAP_BYTES));
  }
}
