import { boxesIn, type Box } from './boxes.js';
import type { ByteReader } from './byte-reader.js';
import { orientationIn } from './jpeg.js';

/** The `uuid` boxes with EXIF data, and with a JPEG of 1,620 pixels. */
const CANON = '85c0b687820f11e08111f4ce462b6a48';
const PREVIEW = 'eaf42b5e1c984b88b9fbb7dc406e4d16';

/** The lengths of what is before the box in `PREVIEW`, and before the JPEG in that box. */
const PREVIEW_HEADER_BYTES = 8;
const JPEG_HEADER_BYTES = 16;

/** The JPEGs in a CR3, and how they must be turned. */
export interface Cr3Content {
  readonly jpegs: readonly ByteReader[];
  readonly orientation: number | undefined;
}

/**
 * Reads a [CR3](https://github.com/lclevy/canon_cr3): a JPEG in full size is the first track, a smaller one is in a box.
 * @returns undefined when it is no such file
 */
export async function readCr3(reader: ByteReader): Promise<Cr3Content | undefined> {
  if ((await reader.read(4, 8))?.toString('latin1') !== 'ftypcrx ') {
    return undefined;
  }
  const boxes = await boxesIn(reader);
  const movie = await inBox(named(boxes, 'moov'));
  const exif = named(await inBox(withUuid(movie, CANON)), 'CMT1');
  const preview = await inBox(withUuid(boxes, PREVIEW), PREVIEW_HEADER_BYTES);
  const jpegs = [
    await firstSample(reader, movie),
    named(preview, 'PRVW')?.data.part(JPEG_HEADER_BYTES),
  ];
  return {
    jpegs: jpegs.filter((jpeg) => jpeg !== undefined),
    orientation: await orientationIn(exif?.data),
  };
}

/** The first sample of the first track. */
async function firstSample(
  reader: ByteReader,
  movie: readonly Box[],
): Promise<ByteReader | undefined> {
  let boxes = await inBox(named(movie, 'trak'));
  for (const type of ['mdia', 'minf', 'stbl']) {
    boxes = await inBox(named(boxes, type));
  }
  // After 4 bytes of version and flags: the common size of all samples, or 0 and how many sizes follow.
  const sizes = named(boxes, 'stsz')?.data;
  const common = (await sizes?.read(4, 4))?.readUInt32BE(0) ?? 0;
  const size = common > 0 ? common : (await sizes?.read(12, 4))?.readUInt32BE(0);
  const at = (await named(boxes, 'co64')?.data.read(8, 8))?.readBigUInt64BE(0);
  return size === undefined || at === undefined ? undefined : reader.part(Number(at), size);
}

function inBox(box: Box | undefined, start = 0): Promise<Box[]> {
  return box === undefined ? Promise.resolve([]) : boxesIn(box.data, start);
}

function named(boxes: readonly Box[], type: string): Box | undefined {
  return boxes.find((box) => box.type === type);
}

function withUuid(boxes: readonly Box[], uuid: string): Box | undefined {
  return boxes.find((box) => box.uuid === uuid);
}
