import crc32 from 'crc-32';
import { bytesOfLatin1, latin1, uint32, viewOf } from './byte-source.js';
import { applyPatches, type Patch } from './patches.js';
import type { Region } from './search.js';
import { searchExif } from './tiff.js';
import { isPlaceProperty, mentionsPlace } from './words.js';
import { searchXmp } from './xmp.js';

/** Chunks without a location: those of the standard, of APNG, and of common programs. */
const HARMLESS = new Set(
  [
    'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI mDCv cLLi bKGD hIST pHYs sPLT tIME',
    'acTL fcTL fdAT oFFs pCAL sCAL sTER gIFg gIFx vpAg caNv orNT iDOT CgBI',
  ].flatMap((names) => names.split(' ')),
);
const TEXTS = ['tEXt', 'zTXt', 'iTXt'];
/** The name of a chunk that every program ignores. */
const IGNORED = 'skIp';
const KEYWORD_BYTES = 80;
const XMP = 'XML:com.adobe.xmp';
const MAX_TEXT_BYTES = 64 * 1024;
const ZEROS = new Uint8Array(64 * 1024);

/**
 * Searches a PNG file. Compressed texts and unknown chunks are removed as a whole, because pixels do not need them.
 * @returns where it ends
 */
export async function searchPng(file: Region): Promise<number> {
  const { search } = file;
  let at = 8;
  while (file.has(at, 8)) {
    search.step();
    const head = await file.read(at, 8);
    const length = uint32(head);
    const type = latin1(head, 4);
    if (!file.has(at + 8, length + 4)) {
      return type === 'IDAT' ? file.size : at;
    }
    if (type === 'IEND') {
      return at + 12 + length;
    }
    if (!HARMLESS.has(type)) {
      await searchChunk(type, file.part(at + 4, 4 + length), file.part(at + 8 + length, 4));
    }
    at += 12 + length;
  }
  return file.size;
}

/** @param chunk  name and data. @param checksum  the checksum of them */
async function searchChunk(type: string, chunk: Region, checksum: Region): Promise<void> {
  const { search } = chunk;
  const data = chunk.part(4);
  let isRemoved = type !== 'eXIf';
  let packet: Region | null = null;
  if (TEXTS.includes(type)) {
    ({ isRemoved, packet } = await readText(type, data));
    if (!isRemoved && packet === null) {
      return;
    }
  }
  if (isRemoved) {
    await remove(type, chunk, checksum);
    return;
  }
  const inside = packet;
  const patches = await search.collect(() =>
    inside ? searchXmp(inside) : search.ancillary(data, () => searchExif(data)),
  );
  if (patches.length > 0) {
    checksum.replace(0, bigEndian(await checksumOf(chunk, patches)));
  }
}

/** A text has a keyword, and in an `iTXt` whether it is compressed, how, a language and the keyword in it. */
async function readText(
  type: string,
  data: Region,
): Promise<{ readonly isRemoved: boolean; readonly packet: Region | null }> {
  const start = await data.text(0, KEYWORD_BYTES + 256);
  const keywordEnd = start.indexOf('\0');
  const keyword = start.slice(0, Math.max(0, keywordEnd));
  const removed = { isRemoved: true, packet: null };
  const isCompressed = type === 'zTXt' || (type === 'iTXt' && start[keywordEnd + 1] !== '\0');
  if (keywordEnd < 0 || isCompressed) {
    return removed;
  }
  if (keyword === XMP && type === 'iTXt') {
    const language = start.indexOf('\0', keywordEnd + 3);
    const translated = language < 0 ? -1 : start.indexOf('\0', language + 1);
    return translated < 0 ? removed : { isRemoved: false, packet: data.part(translated + 1) };
  }
  const isHidden = /^raw profile type /i.test(keyword) || keyword === XMP;
  if (isHidden || data.size > MAX_TEXT_BYTES) {
    return removed;
  }
  const text = await data.text(0, data.size);
  data.search.stream(data.size);
  const isPlace = isPlaceProperty(keyword) || mentionsPlace(text);
  data.search.hasLocation ||= isPlace;
  return { isRemoved: isPlace, packet: null };
}

/** Gives a chunk a name that every program ignores, and zeros. */
async function remove(type: string, chunk: Region, checksum: Region): Promise<void> {
  const { search } = chunk;
  const data = chunk.part(4);
  if (type === IGNORED && (await data.isFilled(0))) {
    return;
  }
  const name = bytesOfLatin1(IGNORED);
  chunk.replace(0, name);
  await data.blank();
  let sum = crc32.buf(name);
  for (let at = 0; at < data.size; at += ZEROS.length) {
    const length = Math.min(ZEROS.length, data.size - at);
    search.stream(length);
    sum = crc32.buf(ZEROS.subarray(0, length), sum);
  }
  checksum.replace(0, bigEndian(sum));
}

/** The checksum of a changed chunk, which is read in pieces. */
async function checksumOf(chunk: Region, patches: readonly Patch[]): Promise<number> {
  let sum = 0;
  for await (const { at, bytes } of chunk.pieces()) {
    sum = crc32.buf(applyPatches(bytes, chunk.start + at, patches), sum);
  }
  return sum;
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value >>> 0);
  return bytes;
}
