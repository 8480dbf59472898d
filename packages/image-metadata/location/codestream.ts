import { uint16 } from '../byte-source.js';
import type { Region } from './search.js';
import { mentionsPlace } from './words.js';

const COMMENT = 0xff64;
const START_OF_TILE = 0xff90;
const SPACE = 0x20;

/**
 * Searches the comments of a JPEG 2000 codestream (ISO/IEC 15444-1), which are before its first tile.
 * @returns where it ends
 */
export async function searchCodestream(stream: Region): Promise<number> {
  const { search } = stream;
  for (let at = 2; stream.has(at, 4);) {
    search.step();
    const head = await stream.read(at, 4);
    const marker = uint16(head);
    const length = uint16(head, 2);
    if (marker === START_OF_TILE || marker < 0xff00 || length < 2 || !stream.has(at + 2, length)) {
      break;
    }
    if (marker === COMMENT && length > 4) {
      const text = stream.part(at + 6, length - 4);
      if (mentionsPlace(await text.text(0, text.size))) {
        search.hasLocation = (await text.blank(SPACE)) || search.hasLocation;
      }
    }
    at += 2 + length;
  }
  return stream.size;
}
