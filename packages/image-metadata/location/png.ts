import crc32 from 'crc-32';
import { bytesOfLatin1, bytesOfNumber } from '../byte-source.js';
import { applyPatches, type Patch } from '../patches.js';
import { chunksIn, KEYWORD_BYTES, packetInText, PNG_TEXTS, PNG_XMP } from '../png.js';
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
/** The name of a chunk that every program ignores. */
const IGNORED = 'skIp';
const MAX_TEXT_BYTES = 64 * 1024;
const ZEROS = new Uint8Array(64 * 1024);

/**
 * Searches a PNG file. Compressed texts and unknown chunks are removed as a whole, because pixels do not need them.
 * @returns where it ends
 */
export async function searchPng(file: Region): Promise<number> {
  for await (const { type, at, end, data } of chunksIn(file)) {
    if (!data || end > file.size) {
      return type === 'IDAT' ? file.size : at;
    }
    if (!HARMLESS.has(type)) {
      await searchChunk(type, file.part(at + 4, 4 + data.size), file.part(end - 4, 4));
    }
    if (type === 'IEND') {
      return end;
    }
  }
  return file.size;
}

/** @param chunk  name and data. @param checksum  the checksum of them */
async function searchChunk(type: string, chunk: Region, checksum: Region): Promise<void> {
  const { search } = chunk;
  const data = chunk.part(4);
  let isRemoved = type !== 'eXIf';
  let packet: Region | null = null;
  if (PNG_TEXTS.includes(type)) {
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
    checksum.replace(0, bytesOfNumber(await checksumOf(chunk, patches), 4));
  }
}

/** Whether a text is removed, and the XMP packet in it. */
async function readText(
  type: string,
  data: Region,
): Promise<{ readonly isRemoved: boolean; readonly packet: Region | null }> {
  const start = await data.text(0, KEYWORD_BYTES);
  const keywordEnd = start.indexOf('\0');
  const keyword = start.slice(0, Math.max(0, keywordEnd));
  const removed = { isRemoved: true, packet: null };
  const isCompressed = type === 'zTXt' || (type === 'iTXt' && start[keywordEnd + 1] !== '\0');
  if (keywordEnd < 0 || isCompressed) {
    return removed;
  }
  if (keyword === PNG_XMP && type === 'iTXt') {
    const packet = await packetInText(data);
    return packet ? { isRemoved: false, packet } : removed;
  }
  const isHidden = /^raw profile type /i.test(keyword) || keyword === PNG_XMP;
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
  checksum.replace(0, bytesOfNumber(sum, 4));
}

/** The checksum of a changed chunk, which is read in pieces. */
async function checksumOf(chunk: Region, patches: readonly Patch[]): Promise<number> {
  let sum = 0;
  for await (const { at, bytes } of chunk.pieces()) {
    sum = crc32.buf(applyPatches(bytes, chunk.start + at, patches), sum);
  }
  return sum;
}
