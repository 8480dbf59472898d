import { latin1, uint32 } from './byte-source.js';
import type { Slice } from './slice.js';
import { WINDOW_BYTES } from './windowed-source.js';

export const PNG_START = '\u0089PNG\r\n\u001a\n';
/** Chunks with text. */
export const PNG_TEXTS: readonly string[] = ['tEXt', 'zTXt', 'iTXt'];
/** The keyword of a text that is an XMP packet. */
export const PNG_XMP = 'XML:com.adobe.xmp';

/** The longest keyword with its NUL. */
export const KEYWORD_BYTES = 80;
/** How much of an `iTXt` is read before its text. */
const TEXT_HEAD_BYTES = KEYWORD_BYTES + 256;

/** The length and the type of a chunk, and its checksum behind the data. */
const HEAD_BYTES = 8;
const HEAD_AND_SUM_BYTES = HEAD_BYTES + 4;

/** The type of chunks with pixels, as a number. */
const IDAT = 0x49444154;

/** How much of a row of short `IDAT` chunks is read at once. */
const ROW_BYTES = 1024 * 1024;

export interface Chunk<S> {
  readonly type: string;
  /** Where it begins, and where the next one does. It is cut short if that is behind the end of the file. */
  readonly at: number;
  readonly end: number;
  /** Null where they are cut short. That of the first one in a row of `IDAT` chunks. */
  readonly data: S | null;
}

interface ChunkOptions {
  /**
   * Jumps over rows of `IDAT` chunks of one length, which is how most programs store pixels. A file that was made to hide chunks
   * hides them so: only for what is shown.
   */
  readonly skipsPixels?: boolean;
}

/**
 * The chunks of a PNG file up to `IEND`, or up to one that is cut short. A row of complete `IDAT` chunks counts as one: a large
 * picture has thousands.
 */
export async function* chunksIn<S extends Slice<S>>(
  png: S,
  { skipsPixels = false }: ChunkOptions = {},
): AsyncGenerator<Chunk<S>> {
  for (let at = PNG_START.length; ;) {
    const head = await readHead(png, at);
    if (!head) {
      return;
    }
    const { type, length } = head;
    const from = at + HEAD_BYTES;
    const data = png.has(from, length) ? png.part(from, length) : null;
    const end =
      type === 'IDAT' && data
        ? await (skipsPixels ? endOfEqual : endOfRow)(png, at, length)
        : from + length + (HEAD_AND_SUM_BYTES - HEAD_BYTES);
    yield { type, at, end, data };
    if (type === 'IEND') {
      return;
    }
    at = end;
  }
}

interface Head {
  readonly type: string;
  readonly length: number;
}

async function readHead<S extends Slice<S>>(png: S, at: number): Promise<Head | null> {
  if (!png.has(at, HEAD_BYTES)) {
    return null;
  }
  png.step();
  const head = await png.read(at, HEAD_BYTES);
  return head && { type: latin1(head, 4), length: uint32(head) };
}

/** Where the row of complete `IDAT` chunks ends that begins at `start`. Visits each, in large reads where they are short. */
async function endOfRow<S extends Slice<S>>(
  png: S,
  start: number,
  length: number,
): Promise<number> {
  let at = start + HEAD_AND_SUM_BYTES + length;
  let lastLength = length;
  let block = { at, bytes: new Uint8Array(0) as Uint8Array };
  while (png.has(at, HEAD_BYTES)) {
    if (at + HEAD_BYTES > block.at + block.bytes.length) {
      // No more than what the row has so far. The heads of long chunks are read alone.
      const wanted = lastLength > WINDOW_BYTES ? HEAD_BYTES : Math.min(at - start, ROW_BYTES);
      const bytes = await png.read(at, Math.min(wanted, png.size - at));
      if (!bytes) {
        return at;
      }
      block = { at, bytes };
    }
    const head = at - block.at;
    lastLength = uint32(block.bytes, head);
    if (uint32(block.bytes, head + 4) !== IDAT || !png.has(at, HEAD_AND_SUM_BYTES + lastLength)) {
      return at;
    }
    png.step();
    at += HEAD_AND_SUM_BYTES + lastLength;
  }
  return at;
}

/** Where the row of `IDAT` chunks of one length ends that begins at `start`: doubles the distance, then halves it. */
async function endOfEqual<S extends Slice<S>>(
  png: S,
  start: number,
  length: number,
): Promise<number> {
  const chunk = HEAD_AND_SUM_BYTES + length;
  const isInRow = async (count: number): Promise<boolean> => {
    const head = await readHead(png, start + count * chunk);
    return head?.type === 'IDAT' && head.length === length;
  };
  let last = 0;
  let step = 1;
  while (await isInRow(last + step)) {
    last += step;
    step *= 2;
  }
  for (step /= 2; step >= 1; step /= 2) {
    last += (await isInRow(last + step)) ? step : 0;
  }
  return start + (last + 1) * chunk;
}

/**
 * Where the text of an `iTXt` begins: behind a keyword, whether it is compressed, how, a language, and the keyword in that
 * language. Null where it is compressed or damaged.
 */
function textStartIn(head: string): number | null {
  const keyword = head.indexOf('\0');
  const language = keyword < 0 || head[keyword + 1] !== '\0' ? -1 : head.indexOf('\0', keyword + 3);
  const translated = language < 0 ? -1 : head.indexOf('\0', language + 1);
  return translated < 0 ? null : translated + 1;
}

/** The XMP packet in the data of an `iTXt`; null where it is another text. */
export async function packetInText<S extends Slice<S>>(data: S): Promise<S | null> {
  const bytes = await data.read(0, Math.min(TEXT_HEAD_BYTES, data.size));
  const head = bytes ? latin1(bytes) : '';
  const start = head.startsWith(`${PNG_XMP}\0`) ? textStartIn(head) : null;
  return start === null ? null : data.part(start);
}
