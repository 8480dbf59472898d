import { colourBytes, GIF, XMP_END } from '../gif.js';
import { Region } from './search.js';
import { mentionsPlace } from './words.js';
import { searchXmp } from './xmp.js';

const NAME_BYTES = 11;
const HARMLESS = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012', 'fractint'];
const MAX_TEXT_BYTES = 64 * 1024;
const SPACE = 0x20;

/**
 * Searches a [GIF](https://www.w3.org/Graphics/GIF/spec-gif89a.txt).
 * @returns where it ends
 */
export async function searchGif(file: Region): Promise<number> {
  let at = 13 + colourBytes((await file.read(0, 13))[10]);
  for (;;) {
    file.search.step();
    const [kind, label] = await file.readUpTo(at, 2);
    if (kind === GIF.extension) {
      at = await searchExtension(file, at + 2, label ?? 0);
    } else if (kind === GIF.image) {
      const flags = (await file.readUpTo(at + 9, 1))[0];
      at = (await subBlocks(file, at + 11 + colourBytes(flags), false)).end;
    } else {
      return kind === GIF.trailer ? at + 1 : Math.min(at, file.size);
    }
  }
}

async function searchExtension(file: Region, at: number, label: number): Promise<number> {
  const { search } = file;
  const blocks = await subBlocks(file, at, label === GIF.application || label === GIF.comment);
  if (label === GIF.comment) {
    const data = Region.join(search, blocks.data);
    if (data.size > MAX_TEXT_BYTES || mentionsPlace(await data.text(0, MAX_TEXT_BYTES))) {
      search.hasLocation = (await data.blank(SPACE)) || search.hasLocation;
    }
  } else if (label === GIF.application) {
    const name = await file.text(at + 1, NAME_BYTES);
    if (name === GIF.xmp) {
      const start = at + 1 + NAME_BYTES;
      const end = await file.indexOf(XMP_END, start, blocks.end);
      await searchXmp(file.part(start, (end < 0 ? Math.max(start, blocks.end - 1) : end) - start));
    } else if (!HARMLESS.includes(name)) {
      await Region.join(search, blocks.data.slice(1)).blank();
    }
  }
  return blocks.end;
}

/** The sub-blocks from a place on, and where they end. */
async function subBlocks(
  file: Region,
  from: number,
  isKept: boolean,
): Promise<{ readonly end: number; readonly data: readonly Region[] }> {
  const data: Region[] = [];
  let at = from;
  for (;;) {
    file.search.step();
    const [length] = await file.readUpTo(at, 1);
    if (length === undefined || length === 0 || !file.has(at + 1, length)) {
      return { end: Math.min(at + 1, file.size), data };
    }
    if (isKept) {
      data.push(file.part(at + 1, length));
    }
    at += 1 + length;
  }
}
