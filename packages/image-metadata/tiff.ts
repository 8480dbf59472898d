import type { ByteReader } from './byte-reader.js';
import { latin1, uint16, uint32, uint64 } from './byte-source.js';
import type { Slice } from './slice.js';

/**
 * TIFF 6.0 and BigTIFF files, and EXIF data, which have the same form (https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf).
 * @packageDocumentation
 */

/** The tags that are handled, of TIFF 6.0, EXIF 3.0, DNG 1.7, camera makers and programs. */
export const TAG = {
  nikonPreview: 0x0011,
  panasonicJpeg: 0x002e,
  subfileType: 0x00fe,
  width: 0x0100,
  height: 0x0101,
  compression: 0x0103,
  photometric: 0x0106,
  description: 0x010e,
  make: 0x010f,
  model: 0x0110,
  stripOffsets: 0x0111,
  orientation: 0x0112,
  stripByteCounts: 0x0117,
  artist: 0x013b,
  tileOffsets: 0x0144,
  tileByteCounts: 0x0145,
  subDirectories: 0x014a,
  jpegOffset: 0x0201,
  jpegLength: 0x0202,
  xmp: 0x02bc,
  rating: 0x4746,
  copyright: 0x8298,
  exposureTime: 0x829a,
  aperture: 0x829d,
  iptc: 0x83bb,
  photoshop: 0x8649,
  exif: 0x8769,
  gps: 0x8825,
  iso: 0x8827,
  exposureIndex: 0x8832,
  takenAt: 0x9003,
  digitizedAt: 0x9004,
  takenZone: 0x9011,
  digitizedZone: 0x9012,
  focalLength: 0x920a,
  makerNote: 0x927c,
  layers: 0x935c,
  exifWidth: 0xa002,
  exifHeight: 0xa003,
  interoperability: 0xa005,
  lensMake: 0xa433,
  lensModel: 0xa434,
  pictures: 0xb002,
  dngVersion: 0xc612,
  cropSize: 0xc620,
} as const;

/** The entries that lead to directories. */
export const DIRECTORY_POINTERS: readonly number[] = [
  TAG.subDirectories,
  TAG.exif,
  TAG.gps,
  TAG.interoperability,
];

/** The pairs of entries with the places of pixels or previews, and their lengths. */
export const PIXEL_TAGS = [
  [TAG.jpegOffset, TAG.jpegLength],
  [TAG.stripOffsets, TAG.stripByteCounts],
  [TAG.tileOffsets, TAG.tileByteCounts],
] as const;

/** The order of bytes, and whether numbers are those of BigTIFF. */
export interface TiffForm {
  readonly isLittle: boolean;
  readonly isBig: boolean;
}

/** The byte orders and magic numbers: TIFF, BigTIFF, and the forms of Olympus and Panasonic. */
const FORMS: Readonly<Record<string, TiffForm>> = {
  'II*\0': { isLittle: true, isBig: false },
  'MM\0*': { isLittle: false, isBig: false },
  'II+\0': { isLittle: true, isBig: true },
  'MM\0+': { isLittle: false, isBig: true },
  IIRO: { isLittle: true, isBig: false },
  IIRS: { isLittle: true, isBig: false },
  MMOR: { isLittle: false, isBig: false },
  'IIU\0': { isLittle: true, isBig: false },
};

/** The form of a file, by its first four bytes; null for another file. */
export function tiffForm(start: string): TiffForm | null {
  return FORMS[start] ?? null;
}

/** Bytes of one value, by the type of an entry. */
export const TYPE_BYTES: Readonly<Record<number, number>> = {
  ...{ 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8 },
  ...{ 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8, 129: 1 },
};
export const TYPE = {
  byte: 1,
  ascii: 2,
  short: 3,
  long: 4,
  rational: 5,
  undefined: 7,
  signedRational: 10,
  directory: 13,
} as const;
const LONGS: readonly number[] = [TYPE.long, TYPE.directory];
const LONG8S = [16, 18];

export interface TiffEntry {
  /** Where it is. */
  readonly at: number;
  readonly tag: number;
  readonly type: number;
  /** How many values it has. */
  readonly count: number;
  /** Where its values are, and their length in bytes, which is 0 for an unknown type. */
  readonly place: number;
  readonly length: number;
  /** Whether they are in the entry. */
  readonly isInside: boolean;
}

/** A directory as it is stored. */
export interface TiffTable {
  readonly entries: readonly TiffEntry[];
  /** How many entries it has, of which more may have been read than are in the file. */
  readonly count: number;
  /** Where it begins, and where its entries end: there is the place of the next directory. */
  readonly at: number;
  readonly end: number;
  /** Where the next directory is; 0 where there is none, null where the file ends before. */
  readonly next: number | null;
}

/**
 * Reads one directory. @param most  further entries are not read
 * @returns null where it is not in the file
 */
export async function readTable<S extends Slice<S>>(
  tiff: S,
  form: TiffForm,
  at: number,
  most: number,
): Promise<TiffTable | null> {
  const head = form.isBig ? 8 : 2;
  const width = form.isBig ? 20 : 12;
  tiff.step();
  const counted = tiff.has(at, head) ? await tiff.read(at, head) : null;
  if (!counted) {
    return null;
  }
  const count = form.isBig ? long8(counted, 0, form) : uint16(counted, 0, form.isLittle);
  const start = at + head;
  const listed = Math.min(count, most, Math.floor((tiff.size - start) / width));
  const bytes = await tiff.read(start, listed * width);
  if (!bytes) {
    return null;
  }
  const entries: TiffEntry[] = [];
  for (let index = 0; index < listed; index += 1) {
    tiff.step();
    entries.push(entryIn(bytes, form, index * width, start + index * width));
  }
  const end = start + count * width;
  return { entries, count, at, end, next: await offsetAt(tiff, form, end) };
}

function entryIn(bytes: Uint8Array, form: TiffForm, at: number, place: number): TiffEntry {
  const type = uint16(bytes, at + 2, form.isLittle);
  const count = offsetIn(bytes, at + 4, form);
  const field = form.isBig ? 12 : 8;
  const isInside = (TYPE_BYTES[type] ?? 1) * count <= (form.isBig ? 8 : 4);
  return {
    at: place,
    tag: uint16(bytes, at, form.isLittle),
    type,
    count,
    place: isInside ? place + field : offsetIn(bytes, at + field, form),
    length: (TYPE_BYTES[type] ?? 0) * count,
    isInside,
  };
}

/** The place that is noted in a file; null where the file ends before. */
export async function offsetAt<S extends Slice<S>>(
  tiff: S,
  form: TiffForm,
  at: number,
): Promise<number | null> {
  const width = form.isBig ? 8 : 4;
  const bytes = tiff.has(at, width) ? await tiff.read(at, width) : null;
  return bytes && offsetIn(bytes, 0, form);
}

function offsetIn(bytes: Uint8Array, at: number, form: TiffForm): number {
  return form.isBig ? long8(bytes, at, form) : uint32(bytes, at, form.isLittle);
}

function long8(bytes: Uint8Array, at: number, { isLittle }: TiffForm): number {
  return isLittle
    ? uint32(bytes, at + 4, true) * 2 ** 32 + uint32(bytes, at, true)
    : uint64(bytes, at);
}

/** The whole numbers in the values of an entry; none where its type has others. */
export function numbersIn(bytes: Uint8Array, type: number, form: TiffForm): number[] {
  const width = TYPE_BYTES[type] ?? 0;
  const read = numberReader(type, form);
  const numbers: number[] = [];
  for (let at = 0; read && at + width <= bytes.length; at += width) {
    numbers.push(read(bytes, at));
  }
  return numbers;
}

function numberReader(
  type: number,
  form: TiffForm,
): ((bytes: Uint8Array, at: number) => number) | null {
  if (type === TYPE.short) {
    return (bytes, at) => uint16(bytes, at, form.isLittle);
  }
  if (LONGS.includes(type)) {
    return (bytes, at) => uint32(bytes, at, form.isLittle);
  }
  if (LONG8S.includes(type)) {
    return (bytes, at) => long8(bytes, at, form);
  }
  return type === TYPE.rational ? (bytes, at) => Math.round(fractionIn(bytes, at, form)) : null;
}

/** A numerator and a denominator, of which a camera needs no more than 31 bits. */
function fractionIn(bytes: Uint8Array, at: number, { isLittle }: TiffForm): number {
  return uint32(bytes, at, isLittle) / uint32(bytes, at + 4, isLittle);
}

const MAX_ENTRIES = 1024;
const MAX_DIRECTORIES = 64;
const MAX_NUMBERS = 64;

/** One directory of a file: a page, an image inside it, or EXIF data. */
export class Directory {
  constructor(
    private readonly tiff: Tiff,
    private readonly entries: ReadonlyMap<number, TiffEntry>,
    /** Where the next directory is; 0 when there is none, null where the file ends before. */
    readonly next: number | null,
  ) {}

  has(tag: number): boolean {
    return this.entries.has(tag);
  }

  /** The first number of an entry; null when there is no such number. */
  async number(tag: number): Promise<number | null> {
    return (await this.numbers(tag))[0] ?? null;
  }

  /** The numbers of an entry, {@link MAX_NUMBERS} of them at most; none when there are no numbers. */
  async numbers(tag: number): Promise<readonly number[]> {
    const { type = 0, count = 0, place = 0 } = this.entries.get(tag) ?? {};
    const width = TYPE_BYTES[type] ?? 0;
    const bytes = await this.tiff.reader.read(place, Math.min(count, MAX_NUMBERS) * width);
    return bytes ? numbersIn(bytes, type, this.tiff.form) : [];
  }

  /** How many values an entry has. */
  count(tag: number): number {
    return this.entries.get(tag)?.count ?? 0;
  }

  /** The value of an entry as a text up to its first NUL; null when it is longer than `maxBytes`, or none. */
  async text(tag: number, maxBytes: number): Promise<string | null> {
    const entry = this.entries.get(tag);
    if (!entry || TYPE_BYTES[entry.type] !== 1 || entry.count > maxBytes) {
      return null;
    }
    const bytes = await this.tiff.reader.read(entry.place, entry.count);
    return bytes && (latin1(bytes).split('\0', 1)[0] ?? '');
  }

  /** The first fraction of an entry; null when there is none, or it is not a number. */
  async fraction(tag: number): Promise<number | null> {
    const entry = this.entries.get(tag);
    if (entry?.type !== TYPE.rational && entry?.type !== TYPE.signedRational) {
      return this.number(tag);
    }
    const bytes = await this.tiff.reader.read(entry.place, 8);
    const value = bytes ? fractionIn(bytes, 0, this.tiff.form) : NaN;
    return Number.isFinite(value) ? value : null;
  }

  /** The first bytes of an entry, whatever its type is. */
  async bytes(tag: number, maxBytes: number): Promise<Uint8Array | null> {
    const entry = this.entries.get(tag);
    const length = entry ? (TYPE_BYTES[entry.type] ?? 1) * entry.count : 0;
    return entry ? this.tiff.reader.read(entry.place, Math.min(length, maxBytes)) : null;
  }

  /** The bytes of an entry as a file; null when it is absent, or of an unknown type. */
  part(tag: number): ByteReader | null {
    const entry = this.entries.get(tag);
    return entry && entry.type in TYPE_BYTES
      ? this.tiff.reader.part(entry.place, entry.length)
      : null;
  }
}

/** A TIFF file, of which directories are read one by one, wherever they are. */
export class Tiff {
  private constructor(
    readonly reader: ByteReader,
    readonly form: TiffForm,
  ) {}

  /** @returns null when it is no such file */
  static async in(reader: ByteReader): Promise<Tiff | null> {
    const form = tiffForm(await reader.head(4));
    return form && new Tiff(reader, form);
  }

  /** The directory that the header leads to; null when it is not there. */
  async first(): Promise<Directory | null> {
    return this.directory(await this.start());
  }

  /**
   * The directories of the chain, and those that entries of them lead to. Each is visited once, and their number is bounded.
   * @param pointers  the entries that lead to directories
   */
  async directories(
    pointers: readonly number[] = [TAG.subDirectories],
  ): Promise<readonly Directory[]> {
    const seen = new Set<number>();
    const waiting = [await this.start()];
    const found: Directory[] = [];
    for (const at of waiting) {
      if (seen.has(at) || seen.size >= MAX_DIRECTORIES) {
        continue;
      }
      seen.add(at);
      const directory = await this.directory(at);
      if (directory) {
        found.push(directory);
        for (const tag of pointers) {
          waiting.push(...(await directory.numbers(tag)));
        }
        waiting.push(directory.next ?? 0);
      }
    }
    return found;
  }

  /** The directory at a place; null when it is not there. */
  async directory(at: number): Promise<Directory | null> {
    const table = at > 0 ? await readTable(this.reader, this.form, at, MAX_ENTRIES) : null;
    const entries = table?.entries.map((entry) => [entry.tag, entry] as const);
    return table && new Directory(this, new Map(entries), table.next);
  }

  private async start(): Promise<number> {
    return (await offsetAt(this.reader, this.form, this.form.isBig ? 8 : 4)) ?? 0;
  }
}

/** EXIF data without the name that some programs write before them. */
export async function withoutExifName<S extends Slice<S>>(data: S): Promise<S | null> {
  const name = 'Exif\0\0';
  const start = data.has(0, name.length) ? await data.read(0, name.length) : null;
  return start && latin1(start) === name ? data.part(name.length) : data;
}
