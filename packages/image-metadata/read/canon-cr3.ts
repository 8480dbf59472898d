import { BOX_UUID, boxesIn, type Box } from '../box.js';
import type { ByteReader } from '../byte-reader.js';
import { uint32, uint64 } from '../byte-source.js';
import { JPEG_START } from '../jpeg.js';

/** How a CR3 begins, behind the length of its first box. */
export const CR3_TYPE = 'ftypcrx ';
/** The lengths of what is before the box with a preview, and before the JPEG in that box. */
const PREVIEW_HEADER_BYTES = 8;
const JPEG_HEADER_BYTES = 16;
/** The header of a thumbnail has 16 bytes or more, by its version. */
const THUMBNAIL_HEADER_BYTES = 40;
/** Boxes in one another. The sensor's data are in a few large ones. */
const MAX_BOXES = 256;

/** The boxes of a [CR3](https://github.com/lclevy/canon_cr3). */
export class Cr3 {
  private constructor(
    private readonly file: ByteReader,
    private readonly boxes: readonly Box<ByteReader>[],
    private readonly movie: readonly Box<ByteReader>[],
    private readonly canon: readonly Box<ByteReader>[],
  ) {}

  /** @returns null when it is no such file */
  static async in(file: ByteReader): Promise<Cr3 | null> {
    if ((await file.text(4, CR3_TYPE.length)) !== CR3_TYPE) {
      return null;
    }
    const boxes = await boxesOf(file);
    const movie = await boxesOf(named(boxes, 'moov'));
    return new Cr3(file, boxes, movie, await boxesOf(withUuid(movie, BOX_UUID.canon)));
  }

  get xmp(): ByteReader | null {
    return withUuid(this.boxes, BOX_UUID.xmp);
  }

  /** The first directory of its EXIF data, a TIFF file. */
  get exif(): ByteReader | null {
    return named(this.canon, 'CMT1');
  }

  /** A JPEG with 160 pixels. */
  async thumbnail(): Promise<ByteReader | null> {
    const box = named(this.canon, 'THMB');
    const start = (await box?.head(THUMBNAIL_HEADER_BYTES))?.indexOf(JPEG_START) ?? -1;
    return start < 0 ? null : (box?.part(start) ?? null);
  }

  /** The JPEGs in full size and with 1,620 pixels. */
  async jpegs(): Promise<readonly ByteReader[]> {
    const preview = withUuid(this.boxes, BOX_UUID.canonPreview);
    const inside = await boxesOf(preview, PREVIEW_HEADER_BYTES);
    const jpegs = [
      await this.firstSample(),
      named(inside, 'PRVW')?.part(JPEG_HEADER_BYTES) ?? null,
    ];
    return jpegs.filter((jpeg) => jpeg !== null);
  }

  /** The first sample of the first track. */
  private async firstSample(): Promise<ByteReader | null> {
    let boxes = await boxesOf(named(this.movie, 'trak'));
    for (const type of ['mdia', 'minf', 'stbl']) {
      boxes = await boxesOf(named(boxes, type));
    }
    // After 4 bytes of version and flags: the common size of all samples, or 0 and how many sizes follow.
    const sizes = named(boxes, 'stsz');
    const common = await sizes?.read(4, 4);
    const size = common && uint32(common) > 0 ? common : await sizes?.read(12, 4);
    const at = await named(boxes, 'co64')?.read(8, 8);
    return size && at ? this.file.part(uint64(at), uint32(size)) : null;
  }
}

async function boxesOf(file: ByteReader | null, start = 0): Promise<readonly Box<ByteReader>[]> {
  const boxes: Box<ByteReader>[] = [];
  for await (const box of file ? boxesIn(file, start) : []) {
    boxes.push(box);
    if (boxes.length >= MAX_BOXES) {
      break;
    }
  }
  return boxes;
}

function named(boxes: readonly Box<ByteReader>[], type: string): ByteReader | null {
  return boxes.find((box) => box.type === type)?.data ?? null;
}

function withUuid(boxes: readonly Box<ByteReader>[], uuid: string): ByteReader | null {
  return boxes.find((box) => box.uuid === uuid)?.data ?? null;
}
