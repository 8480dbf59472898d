import { bytesOfLatin1, indexOfBytes, latin1, uint16, uint32 } from '../byte-source.js';
import { kindOf } from '../kinds.js';
import type { Region } from './search.js';

/**
 * What cameras write behind a picture: zeros, further pictures, the video of a motion photo, Samsung's directory. What is not
 * known becomes zeros: the picture does not need it.
 * @packageDocumentation
 */

/** What fills a file up. */
const FILLING = [0x00, 0x0a, 0x0d, 0x20, 0xff];

const JPEG_START = bytesOfLatin1('\u00ff\u00d8\u00ff');
const MOVIE_START = bytesOfLatin1('ftyp');

export async function searchTrailer(trailer: Region): Promise<void> {
  const { search } = trailer;
  const start = await searchSamsung(trailer);
  const rest = trailer.part(0, start);
  let at = await endOfFilling(rest, 0);
  while (at < rest.size) {
    search.step();
    const part = rest.part(at);
    const kind = kindOf(await part.text(0, 16));
    let length = part.size;
    if (kind === 'jpeg' || kind === 'boxes') {
      await search.ancillary(part, async () => {
        length = Math.max(1, await search.first(part));
      });
    } else {
      length = await nextStart(part);
      await part.part(0, length).blank();
    }
    at = await endOfFilling(rest, at + length);
  }
}

/** A picture may begin with a byte that fills. */
async function endOfFilling(region: Region, from: number): Promise<number> {
  for await (const { at, bytes } of region.pieces(Math.min(from, region.size))) {
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (byte === 0xff && bytes[index + 1] === 0xd8) {
        return at + index;
      }
      if (byte === 0 && (await isMovie(region, at + index))) {
        return at + index;
      }
      if (!FILLING.includes(byte)) {
        return at + index;
      }
    }
  }
  return region.size;
}

async function isMovie(region: Region, at: number): Promise<boolean> {
  return (await region.text(at + 4, 4)) === 'ftyp';
}

/** Where the next picture or video begins; the size where none does. */
async function nextStart(region: Region): Promise<number> {
  let tail = new Uint8Array(0);
  for await (const { at, bytes } of region.pieces(1)) {
    const joined = new Uint8Array(tail.length + bytes.length);
    joined.set(tail);
    joined.set(bytes, tail.length);
    const jpeg = indexOfBytes(joined, JPEG_START);
    const movie = indexOfBytes(joined, MOVIE_START, 4) - 4;
    const found = [jpeg, movie].filter((place) => place >= 0);
    if (found.length > 0) {
      return at - tail.length + Math.min(...found);
    }
    tail = joined.slice(Math.max(0, joined.length - 8));
  }
  return region.size;
}

const SAMSUNG_END = 'SEFT';
const SAMSUNG_DIRECTORY = 'SEFH';
const SAMSUNG_ENTRY_BYTES = 12;
/** Blocks without a location. Others, such as the code of the mobile network, become zeros. */
const HARMLESS_BLOCKS = [
  'Image_UTC_Data',
  'MotionPhoto_Version',
  'MotionPhoto_Info',
  'Camera_Capture_Mode_Info',
  'Camera_Scene_Info',
  'Color_Display_P3',
  'Photo_HDR_Info',
  'PhotoEditor_Re_Edit_Data',
  'Samsung_Capture_Info',
];

/**
 * Searches the blocks that Samsung's cameras write behind a picture, with a directory at the end.
 * @returns where the blocks begin; the size where there are none
 */
export async function searchSamsung(trailer: Region): Promise<number> {
  const { size, search } = trailer;
  if (size < 20 || (await trailer.text(size - 4, 4)) !== SAMSUNG_END) {
    return size;
  }
  const length = uint32(await trailer.read(size - 8, 4), 0, true);
  const directory = size - 8 - length;
  if (!trailer.has(directory, 12) || (await trailer.text(directory, 4)) !== SAMSUNG_DIRECTORY) {
    return size;
  }
  const count = uint32(await trailer.read(directory + 8, 4), 0, true);
  const blocks: { readonly at: number; readonly length: number }[] = [];
  for (let index = 0; index < count; index += 1) {
    search.step();
    const at = directory + 12 + index * SAMSUNG_ENTRY_BYTES;
    if (!trailer.has(at, SAMSUNG_ENTRY_BYTES)) {
      return size;
    }
    const entry = await trailer.read(at, SAMSUNG_ENTRY_BYTES);
    const block = { at: directory - uint32(entry, 4, true), length: uint32(entry, 8, true) };
    if (!trailer.has(block.at, block.length) || block.length < 8) {
      return size;
    }
    blocks.push(block);
  }
  // Blocks that overlap are visited once. Gaps between them become zeros.
  blocks.sort((one, other) => one.at - other.at);
  const [first] = blocks;
  let at = first?.at ?? directory;
  for (const block of blocks) {
    if (block.at < at) {
      continue;
    }
    await trailer.part(at, block.at - at).blank();
    await searchBlock(trailer.part(block.at, block.length));
    at = block.at + block.length;
  }
  if (at < directory) {
    await trailer.part(at, directory - at).blank();
  }
  return first?.at ?? directory;
}

async function searchBlock(block: Region): Promise<void> {
  const { search } = block;
  const head = await block.read(0, 8);
  const nameLength = uint16(head, 4, true);
  if (!block.has(8, nameLength)) {
    await block.blank();
    return;
  }
  const name = latin1(await block.read(8, nameLength));
  const data = block.part(8 + nameLength);
  if (HARMLESS_BLOCKS.includes(name)) {
    return;
  }
  const kind = kindOf(await data.text(0, 16));
  if (kind === 'jpeg' || kind === 'boxes') {
    await search.ancillary(data, () => search.nested(data));
  } else {
    await data.blank();
  }
}
