import type { FileSlices } from './file-slices.js';

/** The tags that are read: TIFF 6.0, XMP part 3, EXIF 3.0, and makers of cameras and programs. */
export const TAG = {
  nikonPreview: 0x0011,
  panasonicJpeg: 0x002e,
  compression: 0x0103,
  stripOffsets: 0x0111,
  orientation: 0x0112,
  stripByteCounts: 0x0117,
  subDirectories: 0x014a,
  jpegOffset: 0x0201,
  jpegLength: 0x0202,
  xmp: 0x02bc,
  photoshop: 0x8649,
  exif: 0x8769,
  makerNote: 0x927c,
} as const;

/** Byte orders with magic numbers: TIFF, and the forms of Olympus and Panasonic. True where the low byte is first. */
const HEADERS: Readonly<Record<string, boolean>> = {
  'II*\0': true,
  'MM\0*': false,
  IIRO: true,
  IIRS: true,
  MMOR: false,
  'IIU\0': true,
};

/** Bytes of one value, by the type of an entry. Other types are not read. */
const BYTES_BY_TYPE: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 7: 1, 13: 4 };

const MOST_DIRECTORIES = 16;
const MOST_ENTRIES = 512;
const MOST_NUMBERS = 8;

/** One directory of a TIFF file: an image, or EXIF data. */
export interface TiffDirectory {
  /** The numbers of an entry, the first {@link MOST_NUMBERS} of them; none when it has none. */
  numbers(tag: number): Promise<readonly number[]>;
  /** The first number of an entry; 0 when there is none. */
  number(tag: number): Promise<number>;
  /** The values of an entry as a file; null when it is absent. */
  part(tag: number): FileSlices | null;
  /** How many values an entry has. */
  count(tag: number): number;
}

/** Entries that lead to directories. */
const POINTERS = [TAG.subDirectories, TAG.exif];

/**
 * The directories of a TIFF file or of EXIF data: those of the chain and those inside them. Each is read once. None for
 * anything else.
 * @param pointers  entries that lead to directories
 */
export async function readTiffDirectories(
  file: FileSlices,
  pointers: readonly number[] = POINTERS,
): Promise<readonly TiffDirectory[]> {
  const isLittle = HEADERS[(await file.text(0, 4)) ?? ''];
  const first = await file.view(4, 4);
  if (isLittle === undefined || !first) {
    return [];
  }
  const found: TiffDirectory[] = [];
  const waiting = [first.getUint32(0, isLittle)];
  const seen = new Set<number>([0]);
  for (const at of waiting) {
    if (seen.has(at) || seen.size > MOST_DIRECTORIES) {
      continue;
    }
    seen.add(at);
    const read = await readDirectory(file, at, isLittle);
    if (read) {
      found.push(read.directory);
      waiting.push(read.next);
      for (const tag of pointers) {
        waiting.push(...(await read.directory.numbers(tag)));
      }
    }
  }
  return found;
}

interface Entry {
  readonly type: number;
  readonly count: number;
  /** Where its values are. */
  readonly at: number;
}

async function readDirectory(
  file: FileSlices,
  at: number,
  isLittle: boolean,
): Promise<{ readonly directory: TiffDirectory; readonly next: number } | null> {
  const listed = (await file.view(at, 2))?.getUint16(0, isLittle) ?? 0;
  const count = Math.min(listed, MOST_ENTRIES);
  const list = await file.view(at + 2, 12 * count);
  if (!list) {
    return null;
  }
  const entries = new Map<number, Entry>();
  for (let place = 0; place < 12 * count; place += 12) {
    const type = list.getUint16(place + 2, isLittle);
    const values = list.getUint32(place + 4, isLittle);
    const isInside = (BYTES_BY_TYPE[type] ?? Infinity) * values <= 4;
    entries.set(list.getUint16(place, isLittle), {
      type,
      count: values,
      at: isInside ? at + 2 + place + 8 : list.getUint32(place + 8, isLittle),
    });
  }
  const next = (await file.view(at + 2 + 12 * listed, 4))?.getUint32(0, isLittle) ?? 0;
  return { directory: new Directory(file, entries, isLittle), next };
}

class Directory implements TiffDirectory {
  constructor(
    private readonly file: FileSlices,
    private readonly entries: ReadonlyMap<number, Entry>,
    private readonly isLittle: boolean,
  ) {}

  async numbers(tag: number): Promise<readonly number[]> {
    const { type = 0, count = 0, at = 0 } = this.entries.get(tag) ?? {};
    const width = BYTES_BY_TYPE[type] ?? 0;
    const read = Math.min(count, MOST_NUMBERS);
    const view = width < 2 ? null : await this.file.view(at, read * width);
    return Array.from({ length: view ? read : 0 }, (_, index) =>
      view && width === 2
        ? view.getUint16(2 * index, this.isLittle)
        : (view?.getUint32(4 * index, this.isLittle) ?? 0),
    );
  }

  async number(tag: number): Promise<number> {
    return (await this.numbers(tag))[0] ?? 0;
  }

  part(tag: number): FileSlices | null {
    const entry = this.entries.get(tag);
    return entry ? this.file.part(entry.at, entry.count * (BYTES_BY_TYPE[entry.type] ?? 0)) : null;
  }

  count(tag: number): number {
    return this.entries.get(tag)?.count ?? 0;
  }
}
