import type { FileSlices } from './file-slices.js';

/** A box of an ISO base media file (ISO/IEC 14496-12, 4.2), as far as Canon's raw files have them. */
interface Box {
  readonly type: string;
  readonly content: FileSlices;
}

/** The parts of a raw file of Canon (CR3), by https://github.com/lclevy/canon_cr3. */
export interface CanonRaw {
  readonly xmp: FileSlices | null;
  readonly thumbnail: FileSlices | null;
  /** The first directory of EXIF data, a TIFF file. */
  readonly tiff: FileSlices | null;
}

const MOST_BOXES = 32;
const UUID_BYTES = 16;
/** The first bytes of the UUID of a box with XMP (XMP specification, part 3). */
const XMP_UUID = '\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8';

export async function readCanonRaw(file: FileSlices): Promise<CanonRaw> {
  const boxes = await boxesIn(file);
  const movie = contentOf(boxes, 'moov');
  const canon = movie && contentOf(await boxesIn(movie), 'uuid')?.part(UUID_BYTES);
  const parts = canon ? await boxesIn(canon) : [];
  const thumbnail = contentOf(parts, 'THMB');
  // Its header has 16 bytes or more, by its version.
  const start =
    (await thumbnail?.text(0, Math.min(thumbnail.size, 40)))?.indexOf('\xff\xd8\xff') ?? -1;
  let xmp: FileSlices | null = null;
  for (const { type, content } of boxes) {
    if (type === 'uuid' && (await content.text(0, XMP_UUID.length)) === XMP_UUID) {
      xmp ??= content.part(UUID_BYTES);
    }
  }
  return {
    xmp,
    thumbnail: start < 0 ? null : (thumbnail?.part(start) ?? null),
    tiff: contentOf(parts, 'CMT1'),
  };
}

async function boxesIn(file: FileSlices): Promise<readonly Box[]> {
  const boxes: Box[] = [];
  let at = 0;
  for (let count = 0; count < MOST_BOXES; count += 1) {
    const length = (await file.view(at, 4))?.getUint32(0) ?? 0;
    // Lengths in 64 bits are those of sensor data, behind everything that is read.
    const content = length < 8 ? null : file.part(at + 8, length - 8);
    const type = content && (await file.text(at + 4, 4));
    if (!content || type === null) {
      break;
    }
    boxes.push({ type, content });
    at += length;
  }
  return boxes;
}

function contentOf(boxes: readonly Box[], type: string): FileSlices | null {
  return boxes.find((box) => box.type === type)?.content ?? null;
}
