import { uint16 } from './byte-source.js';
import type { Region } from './search.js';
import { isPlaceKeyword } from './words.js';

/**
 * IPTC-IIM, the older form of IPTC's metadata (https://www.iptc.org/std/IIM/4.2/specification/IIMV4.2.pdf).
 * @packageDocumentation
 */

const MARKER = 0x1c;
const APPLICATION = 2;
const KEYWORD = 25;
/** Data sets that say where a photo was taken: codes, city, place in it, state, country. */
const LOCATIONS = [26, 27, 90, 92, 95, 100, 101];
/** A number without a meaning, so that readers skip the data set. */
const UNUSED = Uint8Array.of(255);
const SPACE = 0x20;
/** Longer data sets have a length of their length. */
const LONG = 0x8000;
const MAX_KEYWORD = 1024;
/** The longest name of a place that the standard allows. */
const MAX_PLACE = 64;

/** Searches a block of data sets. From a damaged one on, the rest of the block becomes zeros. */
export async function searchIptc(block: Region): Promise<void> {
  const { search } = block;
  let at = 0;
  while (block.has(at, 5)) {
    search.step();
    const head = await block.read(at, 5);
    const length = uint16(head, 3);
    if (head[0] !== MARKER || length >= LONG || !block.has(at + 5, length)) {
      break;
    }
    const data = block.part(at + 5, length);
    if (head[1] === APPLICATION) {
      const number = head[2] ?? 0;
      const isKeyword = number === KEYWORD && isPlaceKeyword(await data.text(0, MAX_KEYWORD));
      if ((LOCATIONS.includes(number) || isKeyword) && length > 0) {
        await data.blank(SPACE);
        block.replace(at + 2, UNUSED);
        search.hasLocation = true;
      }
    }
    at += 5 + length;
  }
  await block.part(Math.min(at, block.size)).blank();
}

/** Searches for data sets of places in data of another form. */
export async function searchHiddenIptc(data: Region, bytes: Uint8Array): Promise<void> {
  for (let at = bytes.indexOf(MARKER); at >= 0; at = bytes.indexOf(MARKER, at + 1)) {
    const length = bytes[at + 4] ?? 0;
    const isPlace =
      bytes[at + 1] === APPLICATION &&
      LOCATIONS.includes(bytes[at + 2] ?? 0) &&
      bytes[at + 3] === 0 &&
      length > 0 &&
      length <= MAX_PLACE &&
      data.has(at + 5, length);
    if (isPlace) {
      data.search.hasLocation = true;
      await data.part(at + 5, length).blank(SPACE);
      data.replace(at + 2, UNUSED);
    }
  }
}
