import { crc32 } from 'node:zlib';
import type { ByteReader } from './formats/byte-reader.js';
import { metadataIn, type MetadataBlock } from './formats/metadata-blocks.js';
import { TAG, Tiff, type Directory, type Place } from './formats/tiff.js';

/** Bytes of a file to be replaced by as many others. */
export interface Patch extends Place {
  /** Zeros when missing; a number is repeated. */
  readonly by?: Buffer | number;
}

/** What is known of the location in a file. */
export interface Location {
  /** Whether the file has the place where the picture was taken, as far as that can be read. */
  readonly hasLocation: boolean;
  /** What to replace to remove the location, in the order of the file. */
  readonly patches: readonly Patch[];
}

/** Latitude, longitude, the same of what was photographed, and the name of the area. */
const PLACE_TAGS = [2, 4, 20, 22, 28];

/** A larger entry is no part of a location, but a file that is made to harm. In bytes. */
const MAX_VALUE_BYTES = 64 * 1024;

/** How much of an XMP packet is searched at once, and by how much the pieces overlap, in bytes. */
const PIECE_BYTES = 1024 * 1024;
const OVERLAP_BYTES = 4096;

/** Names of properties that are about a location, in any namespace: drones have their own. */
const PROPERTY = /(?:gps(?!version)|latitude|longt?itude)[\w.-]{0,64}/gi;
/** How far before such a word the name of its property begins. */
const NAME_CHARACTERS = 128;
const SPACE = 0x20;
/** With more values than this the packet is replaced as a whole: it is made to harm. */
const MAX_VALUES = 256;

/** The name of the PNG chunks that every program ignores. */
const IGNORED_CHUNK = 'skIp';

/** The location in a picture; see {@link locationIn}. */
export async function locationOf(reader: ByteReader): Promise<Location> {
  return locationIn(await metadataIn(reader));
}

/**
 * Finds the location in blocks of metadata: the directory of EXIF, and the properties of XMP. What is compressed is not
 * searched but removed as a whole. The replaced file has the same length and is otherwise as it was.
 */
async function locationIn(blocks: readonly MetadataBlock[]): Promise<Location> {
  const patches: Patch[] = [];
  let hasLocation = false;
  for (const { kind, data, chunk } of blocks) {
    const found =
      kind === 'compressed' ? [{ at: 0, length: data.size }] : await inBlock(kind, data);
    hasLocation ||= kind !== 'compressed' && found.length > 0;
    const inFile = found.map((patch) => ({ ...patch, at: patch.at + data.start }));
    patches.push(...inFile);
    if (chunk !== undefined && found.length > 0) {
      patches.push(...(await renewed(chunk, inFile, kind === 'compressed')));
    }
  }
  return { hasLocation, patches: patches.sort((one, other) => one.at - other.at) };
}

/** @returns what to replace, with places in the block */
async function inBlock(kind: MetadataBlock['kind'], data: ByteReader): Promise<Patch[]> {
  if (kind === 'exif' || kind === 'gps') {
    return inExif(data, kind === 'gps');
  }
  return kind === 'xmp' || kind === 'xmp part' ? inXmp(data, kind === 'xmp part') : [];
}

/** @param isLocation whether the first directory is that of the location itself */
async function inExif(data: ByteReader, isLocation: boolean): Promise<Patch[]> {
  const tiff = await Tiff.in(data);
  const first = isLocation ? await tiff?.first() : undefined;
  const directories = first === undefined ? [] : [first];
  for (const directory of isLocation ? [] : ((await tiff?.images()) ?? [])) {
    const found = await tiff?.directory((await directory.number(TAG.gps)) ?? 0);
    directories.push(...(found === undefined ? [] : [found]));
  }
  // Without entries a directory is empty, and what is left of it is zeros.
  return directories
    .filter(hasPlace)
    .flatMap((directory) => directory.places())
    .filter(({ length }) => length <= MAX_VALUE_BYTES);
}

function hasPlace(directory: Directory): boolean {
  return PLACE_TAGS.some((tag) => directory.has(tag));
}

/** @param isPart whether values may continue in another block: then the whole block is replaced */
async function inXmp(data: ByteReader, isPart: boolean): Promise<Patch[]> {
  const whole = { at: 0, length: data.size, by: SPACE };
  const patches: Patch[] = [];
  for (let at = 0; at < data.size; at += PIECE_BYTES - OVERLAP_BYTES) {
    const bytes = await data.read(at, Math.min(PIECE_BYTES, data.size - at));
    const text = bytes?.toString('latin1') ?? '';
    const isWide = text.slice(0, 64).includes('\0');
    if (isPart || isWide) {
      if (/gps(?!version)|latitude/i.test(text.replaceAll('\0', ''))) {
        return [whole];
      }
    } else {
      patches.push(
        ...inText(text).map((place) => ({ at: at + place.at, length: place.length, by: SPACE })),
      );
    }
    if (patches.length > MAX_VALUES) {
      return [whole];
    }
  }
  return patches;
}

/** The places of values in a text with one byte for each character. */
function inText(text: string): Place[] {
  const places: Place[] = [];
  for (const { 0: word, index } of text.matchAll(PROPERTY)) {
    const before = text.slice(Math.max(0, index - NAME_CHARACTERS), index);
    const end = index + word.length;
    // An attribute or an element, not a word in a text or a closing tag.
    if (!/(?:^|[\s<])[\w.-]*:?[\w.-]*$/.test(before)) {
      continue;
    }
    const after = text.slice(end, end + OVERLAP_BYTES);
    const attribute = /^\s*=\s*(["'])([\s\S]*?)(?:\1|$)/.exec(after);
    const element = /^(?:\s[^<>]*)?>(?:\s*<!\[CDATA\[)?([^<]*)/.exec(after);
    const value = attribute?.[2] ?? element?.[1] ?? '';
    const whole = attribute?.[0] ?? element?.[0] ?? '';
    const closing = attribute?.[0].endsWith(attribute[1] ?? '') === true ? 1 : 0;
    if (value.trim() !== '') {
      const length = value.length;
      places.push({ at: end + whole.length - (attribute === null ? 0 : closing) - length, length });
    }
  }
  return places;
}

/**
 * The checksum of a PNG chunk after its data were replaced.
 * @param isIgnored whether the chunk gets another name, because nothing is left of it
 */
async function renewed(
  chunk: ByteReader,
  patches: readonly Patch[],
  isIgnored: boolean,
): Promise<Patch[]> {
  const bytes = await chunk.read(0, chunk.size);
  if (bytes === undefined) {
    return [];
  }
  const name = { at: chunk.start, length: 4, by: Buffer.from(IGNORED_CHUNK) };
  const all = isIgnored ? [name, ...patches] : patches;
  const changed = patched(bytes, chunk.start, all);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(changed));
  const end = chunk.start + chunk.size;
  return [...(isIgnored ? [name] : []), { at: end, length: 4, by: checksum }];
}

/**
 * Applies patches to a part of a file.
 * @param start where the part begins in the file
 * @returns the same bytes if none of the patches is about them, else a copy
 */
export function patched(bytes: Buffer, start: number, patches: readonly Patch[]): Buffer {
  const end = start + bytes.length;
  const here = patches.filter(({ at, length }) => at < end && at + length > start);
  if (here.length === 0) {
    return bytes;
  }
  const copy = Buffer.from(bytes);
  for (const { at, length, by = 0 } of here) {
    const from = Math.max(at, start);
    const to = Math.min(at + length, end);
    if (typeof by === 'number') {
      copy.fill(by, from - start, to - start);
    } else {
      by.copy(copy, from - start, from - at, to - at);
    }
  }
  return copy;
}
