import { boxesIn } from '../box.js';
import type { ByteReader } from '../byte-reader.js';
import { latin1, uint16, uint32 } from '../byte-source.js';
import { MARKER, segmentsIn } from '../jpeg.js';
import { kindOf, type Kind } from '../kinds.js';
import { layersIn, readPhotoshopHeader } from '../photoshop.js';
import { TAG, Tiff, type Directory } from '../tiff.js';

/** How far before the end of a file the end of its picture is searched: apps add data behind it. Bytes. */
const TAIL_BYTES = 64 * 1024;
/** Readers of PDF search its last line there (ISO 32000-1, annex H). Bytes. */
const PDF_TAIL_BYTES = 1024;
/** The longest list of the lengths of lines that is read. Bytes. */
const MAX_LINES_BYTES = 1024 * 1024;
/** Boxes without which there is no film and no picture. */
const CONTENT_BOXES = ['moov', 'moof', 'meta', 'jxlc', 'jxlp', 'jp2c'];

/** For each kind of file that shows where it ends. */
const CHECKS: Partial<Record<Kind, (file: ByteReader, head: string) => Promise<boolean>>> = {
  jpeg: isJpegCut,
  png: async (file) => !(await endsWith(file, 'IEND', TAIL_BYTES)),
  pdf: async (file) => !(await endsWith(file, '%%EOF', PDF_TAIL_BYTES)),
  webp: async (file) => !file.has(8, (await file.uint32(4, true)) ?? 0),
  // Some raw formats begin otherwise, and have other numbers for places.
  tiff: async (file, head) => /^(?:II[*+]\0|MM\0[*+])/.test(head) && (await isTiffCut(file)),
  photoshop: isPhotoshopCut,
  boxes: areBoxesCut,
};

/**
 * Whether a file is only the first part of one: its end is missing, or what its format announces lies behind its end. What
 * cannot be judged is not: another format, or one that the limits do not reach.
 */
export async function isCutShort(file: ByteReader): Promise<boolean> {
  const head = await file.head(16);
  const kind = kindOf(head);
  if (kind === null) {
    // Programs that copy a file may reserve its place first.
    return head !== '' && /^\0+$/.test(head);
  }
  return (await CHECKS[kind]?.(file, head)) ?? false;
}

/** Whether a word is near the end. Also when that cannot be read. */
async function endsWith(
  file: ByteReader,
  word: string,
  tailBytes: number,
  from = 0,
): Promise<boolean> {
  const start = Math.max(from, file.size - tailBytes);
  const tail = file.has(start, 0) ? await file.text(start, file.size - start) : '';
  return tail === null || tail.includes(word);
}

/** Previews before the picture have an end, too. */
async function isJpegCut(file: ByteReader): Promise<boolean> {
  for await (const { marker, end } of segmentsIn(file)) {
    if (marker === MARKER.startOfScan) {
      return !(await endsWith(file, '\u00ff\u00d9', TAIL_BYTES, end));
    }
  }
  return true;
}

/** Programs write the place of the first directory, or the pixels, last. */
async function isTiffCut(file: ByteReader): Promise<boolean> {
  const tiff = await Tiff.in(file);
  if (!tiff) {
    return false;
  }
  const directories = await tiff.directories([]);
  for (const directory of directories) {
    if (directory.next === null || (directory.has(TAG.layers) && !directory.part(TAG.layers))) {
      return true;
    }
    for (const [places, lengths] of [
      [TAG.stripOffsets, TAG.stripByteCounts],
      [TAG.tileOffsets, TAG.tileByteCounts],
    ] as const) {
      const place = await lastNumber(directory, places, tiff.form.isLittle);
      const length = await lastNumber(directory, lengths, tiff.form.isLittle);
      if (directory.has(places) && (place === null || !file.has(place, length ?? 0))) {
        return true;
      }
    }
  }
  return directories.length === 0;
}

/** Null when it is not in the file. */
async function lastNumber(
  directory: Directory,
  tag: number,
  isLittle: boolean,
): Promise<number | null> {
  const numbers = directory.part(tag);
  const width = numbers ? numbers.size / directory.count(tag) : 0;
  const bytes = numbers && (await numbers.read(numbers.size - width, width));
  if (!bytes || width < 4) {
    return bytes && width === 2 ? uint16(bytes, 0, isLittle) : null;
  }
  const high = width === 8 ? uint32(bytes, isLittle ? 4 : 0, isLittle) : 0;
  return high * 2 ** 32 + uint32(bytes, width === 8 && !isLittle ? 4 : 0, isLittle);
}

async function isPhotoshopCut(file: ByteReader): Promise<boolean> {
  const header = await readPhotoshopHeader(file);
  const layers = header && (await layersIn(file, header));
  if (!header || !layers) {
    return true;
  }
  const { channels, height, width, depth, isLarge } = header;
  const pictureAt = layers.at + layers.length;
  const compression = await file.uint16(pictureAt);
  const lines = channels * height;
  if (compression === 0) {
    return !file.has(pictureAt + 2, lines * Math.ceil((width * depth) / 8));
  }
  const lengthBytes = isLarge ? 4 : 2;
  if (compression !== 1 || lines * lengthBytes > MAX_LINES_BYTES) {
    return compression === null;
  }
  const lengths = await file.read(pictureAt + 2, lines * lengthBytes);
  let total = 0;
  for (let at = 0; lengths && at < lengths.length; at += lengthBytes) {
    total += isLarge ? uint32(lengths, at) : uint16(lengths, at);
  }
  return !lengths || !file.has(pictureAt + 2 + lengths.length, total);
}

async function areBoxesCut(file: ByteReader): Promise<boolean> {
  let hasContent = false;
  let at = 0;
  for await (const { type, end } of boxesIn(file)) {
    hasContent ||= CONTENT_BOXES.includes(type);
    at = end;
  }
  const next = at < file.size ? await file.read(at, Math.min(8, file.size - at)) : null;
  // What is no box behind the last one is of the app, such as zeros.
  return !hasContent || (next !== null && /^[\w -]{4}$/.test(latin1(next, 4, 8)));
}
