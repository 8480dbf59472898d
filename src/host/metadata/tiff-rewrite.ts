import { encodeUtf8 } from '../../util/utf8.js';
import {
  concat,
  joinPieces,
  readPart,
  sizeOf,
  sourceOf,
  unchangeable,
  viewOf,
  type ByteSource,
  type Piece,
} from './bytes.js';
import type { CopyTexts } from './changes.js';

/**
 * TIFF files, and EXIF data, which are TIFF files without a picture (TIFF 6.0, EXIF 3.0). Nothing moves, because pixels
 * and other directories are found by their places. Removed values are overwritten with zeros, new ones are appended.
 * @packageDocumentation
 */

export const TAG = {
  stripOffsets: 273,
  artist: 315,
  stripByteCounts: 279,
  tileOffsets: 324,
  tileByteCounts: 325,
  subDirectories: 330,
  jpegOffset: 513,
  jpegLength: 514,
  xmp: 700,
  copyright: 33432,
  iptc: 33723,
  resources: 34377,
  exif: 34665,
  gps: 34853,
  interoperability: 40965,
} as const;

const POINTERS: readonly number[] = [TAG.subDirectories, TAG.exif, TAG.gps, TAG.interoperability];

/** Pairs of tags that say where pixels or previews are, and how long they are. */
const PIXELS = [
  [TAG.stripOffsets, TAG.stripByteCounts],
  [TAG.tileOffsets, TAG.tileByteCounts],
  [TAG.jpegOffset, TAG.jpegLength],
] as const;

/** Bytes of one value by the type of an entry. */
const TYPE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
export const TYPE = { byte: 1, ascii: 2, undefined: 7 } as const;

const MAX_DIRECTORIES = 256;
const MAX_ENTRIES = 4096;
const MAX_PARTS = 1_000_000;
const MAX_FILE_BYTES = 0xffff_ffff;

interface Entry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** The twelve bytes of the entry. */
  readonly bytes: Uint8Array;
  /** Bytes of its values. */
  readonly length: number;
  /** Place of its values; null where they are inside the entry. */
  readonly place: number | null;
}

interface Directory {
  readonly start: number;
  readonly end: number;
  readonly entries: readonly Entry[];
  /** The place of the next one, and whether the file ends before it. */
  readonly next: number;
  readonly isInFile: boolean;
  /** The tag that led here; null for one of the chain. */
  readonly pointer: number | null;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** New bytes for a place in the file. */
interface Patch {
  readonly at: number;
  readonly bytes: Uint8Array;
}

interface Value {
  readonly tag: number;
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** Values to write into the first directory, by their tags; null removes the entry. */
type Values = ReadonlyMap<number, Value | null>;

/**
 * The new values of a file's own tags, beside those of EXIF.
 * @param valueOf  the present value of a tag; null where there is none
 */
export type ValuesOfFile = (
  valueOf: (tag: number) => Promise<Uint8Array | null>,
) => Promise<readonly Value[]>;

/** Rewrites EXIF data, in which XMP and IPTC have no place. @throws {CwError} CW-810 */
export async function editExif(
  exif: Uint8Array,
  changes: CopyTexts,
): Promise<Uint8Array<ArrayBuffer>> {
  const source = sourceOf(exif);
  return joinPieces(source, await new TiffRewrite(source, changes, null).plan());
}

/** One rewriting of a TIFF file, or of EXIF data. */
export class TiffRewrite {
  private isLittleEndian = true;
  private readonly directories: Directory[] = [];
  /** What is overwritten with zeros, and what must stay. */
  private readonly cleared: Range[] = [];
  private readonly kept: Range[] = [];

  constructor(
    private readonly source: ByteSource,
    private readonly changes: CopyTexts,
    /** Null for EXIF data. */
    private readonly valuesOfFile: ValuesOfFile | null,
  ) {}

  async plan(): Promise<readonly Piece[]> {
    const first = await this.readHeader();
    await this.readDirectories(first);
    const [main, ...others] = this.directories;
    if (!main) {
      throw unchangeable('the TIFF file has no directory');
    }
    const values = await this.newValues(main);
    const patches: Patch[] = [];
    const appended: Uint8Array[] = [];
    let end = this.source.size;
    const append = (bytes: Uint8Array): number => {
      const padding = end % 2;
      const place = end + padding;
      appended.push(new Uint8Array(padding), bytes);
      end = place + bytes.length;
      return place;
    };
    for (const directory of others) {
      await this.keepOrRemove(directory, patches);
    }
    if ([...values.values()].some((value) => value !== null)) {
      const rewritten = this.withValues(main, values, append);
      patches.push({ at: 4, bytes: this.long(append(rewritten)) });
      this.cleared.push({ from: main.start, to: main.end });
      await this.noteValues(main, (tag) => values.has(tag));
    } else {
      await this.keepOrRemove(main, patches, values);
    }
    this.kept.push({ from: 0, to: 8 });
    if (end > MAX_FILE_BYTES) {
      throw unchangeable('the TIFF file would be too long');
    }
    this.checkRanges();
    return [
      ...patched(this.source.size, [
        ...patches,
        ...this.cleared
          .filter(({ from }) => !patches.some(({ at }) => at === from))
          .map(({ from, to }) => ({ at: from, bytes: new Uint8Array(to - from) })),
      ]),
      ...appended,
    ];
  }

  private async readHeader(): Promise<number> {
    const header = await readPart(this.source, 0, 8);
    const order = (header[0] ?? 0) * 256 + (header[1] ?? 0);
    this.isLittleEndian = order === 0x4949;
    const view = viewOf(header);
    if (
      (order !== 0x4949 && order !== 0x4d4d) ||
      view.getUint16(2, this.isLittleEndian) !== 42 // BigTIFF has 43.
    ) {
      throw unchangeable('this is no TIFF file, or a BigTIFF file');
    }
    return view.getUint32(4, this.isLittleEndian);
  }

  /** Reads all directories: the chain first, then those that entries point to. */
  private async readDirectories(first: number): Promise<void> {
    const seen = new Set<number>();
    const queue: { readonly place: number; readonly pointer: number | null }[] = [];
    const visit = async (place: number, pointer: number | null): Promise<Directory> => {
      if (seen.has(place) || seen.size >= MAX_DIRECTORIES) {
        throw unchangeable('the TIFF file has a loop, or too many directories');
      }
      seen.add(place);
      const directory = await this.readDirectory(place, pointer);
      this.directories.push(directory);
      for (const entry of directory.entries.filter(({ tag }) => POINTERS.includes(tag))) {
        for (const inner of await this.numbersOf(entry)) {
          queue.push({ place: inner, pointer: entry.tag });
        }
      }
      return directory;
    };
    for (let place = first; place !== 0;) {
      place = (await visit(place, null)).next;
    }
    for (let inner = queue.shift(); inner; inner = queue.shift()) {
      // Some cameras leave anything after the directories that entries point to.
      await visit(inner.place, inner.pointer);
    }
  }

  private async readDirectory(start: number, pointer: number | null): Promise<Directory> {
    const { source, isLittleEndian } = this;
    const count = viewOf(await readPart(source, start, start + 2)).getUint16(0, isLittleEndian);
    // A directory of a location that was removed is empty.
    if ((count === 0 && pointer === null) || count > MAX_ENTRIES) {
      throw unchangeable('a directory of the TIFF file has no entries, or too many');
    }
    const last = start + 2 + 12 * count;
    const bytes = await readPart(source, start + 2, last);
    const view = viewOf(bytes);
    const entries: Entry[] = [];
    for (let at = 0; at < bytes.length; at += 12) {
      const type = view.getUint16(at + 2, isLittleEndian);
      const size = TYPE_BYTES[type] ?? 0;
      const values = view.getUint32(at + 4, isLittleEndian);
      const length = size * values;
      const place = length > 4 ? view.getUint32(at + 8, isLittleEndian) : null;
      if (size === 0 || (place !== null && place + length > source.size)) {
        throw unchangeable('an entry of the TIFF file is not understood');
      }
      entries.push({
        tag: view.getUint16(at, isLittleEndian),
        type,
        count: values,
        bytes: bytes.slice(at, at + 12),
        length,
        place,
      });
    }
    // EXIF data may end without the place of a next directory.
    const isInFile = last + 4 <= source.size;
    if (!isInFile && pointer === null && this.valuesOfFile !== null) {
      throw unchangeable('a directory of the TIFF file is cut short');
    }
    const next = isInFile
      ? viewOf(await readPart(source, last, last + 4)).getUint32(0, isLittleEndian)
      : 0;
    return { start, end: isInFile ? last + 4 : last, entries, next, isInFile, pointer };
  }

  /** What the first directory gets. Values that stay are left out. */
  private async newValues({ entries }: Directory): Promise<Values> {
    const { creator, copyright } = this.changes;
    const valueOf = async (tag: number): Promise<Uint8Array | null> => {
      const entry = entries.find((one) => one.tag === tag);
      return entry ? this.bytesOf(entry) : null;
    };
    const values = new Map<number, Value | null>();
    for (const value of [
      ...asciiValue(TAG.artist, creator),
      ...asciiValue(TAG.copyright, copyright),
      ...((await this.valuesOfFile?.(valueOf)) ?? []),
    ]) {
      const { tag, bytes } = value;
      const old = await valueOf(tag);
      if (!old || !isSame(old, bytes)) {
        values.set(tag, bytes.length > 0 ? value : null);
      }
    }
    return values;
  }

  /** Notes the values of a directory, and takes its unwanted entries out. */
  private async keepOrRemove(
    directory: Directory,
    patches: Patch[],
    removed: Values = new Map(),
  ): Promise<void> {
    const { start, end, entries, next, isInFile } = directory;
    const isUnwanted = (tag: number): boolean => removed.has(tag);
    await this.noteValues(directory, isUnwanted);
    this.kept.push({ from: start, to: end });
    const left = entries.filter(({ tag }) => !isUnwanted(tag));
    if (left.length < entries.length) {
      const table = this.table(
        left.map(({ bytes }) => bytes),
        isInFile ? next : null,
      );
      patches.push({ at: start, bytes: concat(table, new Uint8Array(end - start - table.length)) });
    }
  }

  /** Notes where the values of a directory and its pixels are, and whether they stay. */
  private async noteValues(
    { entries }: Directory,
    isUnwanted: (tag: number) => boolean,
  ): Promise<void> {
    for (const { tag, place, length } of entries) {
      if (place !== null) {
        (isUnwanted(tag) ? this.cleared : this.kept).push({ from: place, to: place + length });
      }
    }
    for (const [offsetsTag, lengthsTag] of PIXELS) {
      const offsets = entries.find(({ tag }) => tag === offsetsTag);
      const lengths = entries.find(({ tag }) => tag === lengthsTag);
      if (offsets && lengths) {
        const places = await this.numbersOf(offsets);
        const sizes = await this.numbersOf(lengths);
        places.forEach((from, index) => {
          this.kept.push({ from, to: from + (sizes[index] ?? 0) });
        });
      }
    }
  }

  /** @throws {CwError} CW-810 where zeros would overwrite what must stay */
  private checkRanges(): void {
    const byPlace = (one: Range, other: Range): number => one.from - other.from;
    const kept = this.kept.filter(({ from, to }) => to > from).sort(byPlace);
    const cleared = [...this.cleared].sort(byPlace);
    let index = 0;
    let reach = 0;
    for (const range of cleared) {
      for (let next = kept[index]; next && next.from < range.to; next = kept[index]) {
        reach = Math.max(reach, next.to);
        index += 1;
      }
      if (reach > range.from) {
        throw unchangeable('parts of the TIFF file overlap');
      }
    }
  }

  /** A first directory with new values, whose places `append` gives. */
  private withValues(
    { entries, next }: Directory,
    values: Values,
    append: (bytes: Uint8Array) => number,
  ): Uint8Array {
    const left = entries
      .filter(({ tag }) => !values.has(tag))
      .map(({ tag, bytes }) => ({ tag, bytes }));
    const added = [...values].flatMap(([tag, value]) =>
      value ? [{ tag, bytes: this.entry(tag, value.type, value.bytes, append) }] : [],
    );
    const sorted = [...left, ...added].sort((one, other) => one.tag - other.tag);
    return this.table(
      sorted.map(({ bytes }) => bytes),
      next,
    );
  }

  private entry(
    tag: number,
    type: number,
    value: Uint8Array,
    append: (bytes: Uint8Array) => number,
  ): Uint8Array {
    const bytes = new Uint8Array(12);
    const view = viewOf(bytes);
    view.setUint16(0, tag, this.isLittleEndian);
    view.setUint16(2, type, this.isLittleEndian);
    view.setUint32(4, value.length, this.isLittleEndian);
    if (value.length > 4) {
      view.setUint32(8, append(value), this.isLittleEndian);
    } else {
      bytes.set(value, 8);
    }
    return bytes;
  }

  private table(entries: readonly Uint8Array[], next: number | null): Uint8Array {
    const count = new Uint8Array(2);
    viewOf(count).setUint16(0, entries.length, this.isLittleEndian);
    return concat(count, ...entries, ...(next === null ? [] : [this.long(next)]));
  }

  private long(value: number): Uint8Array {
    const bytes = new Uint8Array(4);
    viewOf(bytes).setUint32(0, value, this.isLittleEndian);
    return bytes;
  }

  private bytesOf({ place, length, bytes }: Entry): Promise<Uint8Array> {
    return place === null
      ? Promise.resolve(bytes.slice(8, 8 + length))
      : readPart(this.source, place, place + length);
  }

  /** The values of an entry with whole numbers. */
  private async numbersOf(entry: Entry): Promise<readonly number[]> {
    const { type, count } = entry;
    const size = TYPE_BYTES[type] ?? 0;
    if (count > MAX_PARTS || (size !== 2 && size !== 4)) {
      throw unchangeable('an entry of the TIFF file is not understood');
    }
    const view = viewOf(await this.bytesOf(entry));
    const numbers: number[] = [];
    for (let index = 0; index < count; index += 1) {
      numbers.push(
        size === 2
          ? view.getUint16(index * 2, this.isLittleEndian)
          : view.getUint32(index * 4, this.isLittleEndian),
      );
    }
    return numbers;
  }
}

function asciiValue(tag: number, text: string): readonly Value[] {
  const bytes = encodeUtf8(`${text.replace(/\0/g, ' ')}\0`);
  return text === '' ? [] : [{ tag, type: TYPE.ascii, bytes }];
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** The whole file with other bytes in some places. @throws {CwError} CW-810 where two patches overlap */
function patched(size: number, patches: readonly Patch[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const patch of [...patches].sort((one, other) => one.at - other.at)) {
    if (patch.at < at) {
      throw unchangeable('parts of the TIFF file overlap');
    }
    pieces.push({ from: at, to: patch.at }, patch.bytes);
    at = patch.at + patch.bytes.length;
  }
  pieces.push({ from: at, to: size });
  return pieces.filter((piece) => sizeOf([piece]) > 0);
}
