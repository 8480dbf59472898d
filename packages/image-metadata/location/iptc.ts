import { APPLICATION_RECORD, DATA_SET_MARKER, dataSetsIn } from '../iptc.js';
import type { Region } from './search.js';
import { isPlaceKeyword } from './words.js';

const KEYWORD = 25;
/** Data sets that say where a photo was taken: codes, city, place in it, state, country. */
const LOCATIONS = [26, 27, 90, 92, 95, 100, 101];
/** A number without a meaning, so that readers skip the data set. */
const UNUSED = Uint8Array.of(255);
const SPACE = 0x20;
const MAX_KEYWORD = 1024;
/** The longest name of a place that the standard allows. */
const MAX_PLACE = 64;

/** Searches a block of data sets. From a damaged one on, the rest of the block becomes zeros. */
export async function searchIptc(block: Region): Promise<void> {
  let rest = 0;
  for await (const { record, number, at, end, data } of dataSetsIn(block)) {
    const isKeyword =
      record === APPLICATION_RECORD &&
      number === KEYWORD &&
      isPlaceKeyword(await data.text(0, MAX_KEYWORD));
    const isPlace = record === APPLICATION_RECORD && LOCATIONS.includes(number);
    if ((isPlace || isKeyword) && data.size > 0) {
      await data.blank(SPACE);
      block.replace(at + 2, UNUSED);
      block.search.hasLocation = true;
    }
    rest = end;
  }
  await block.part(rest).blank();
}

/** Searches for data sets of places in data of another form. */
export async function searchHiddenIptc(data: Region, bytes: Uint8Array): Promise<void> {
  for (
    let at = bytes.indexOf(DATA_SET_MARKER);
    at >= 0;
    at = bytes.indexOf(DATA_SET_MARKER, at + 1)
  ) {
    const length = bytes[at + 4] ?? 0;
    const isPlace =
      bytes[at + 1] === APPLICATION_RECORD &&
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
