import type { ByteReader } from './byte-reader.js';

/** The tags that are read, of TIFF 6.0, EXIF 3.0, DNG 1.7 and camera makers. */
export const TAG = {
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
  iso: 0x8827,
  exposureIndex: 0x8832,
  takenAt: 0x9003,
  digitizedAt: 0x9004,
  takenZone: 0x9011,
  digitizedZone: 0x9012,
  focalLength: 0x920a,
  exifWidth: 0xa002,
  exifHeight: 0xa003,
  lensMake: 0xa433,
  lensModel: 0xa434,
  dngVersion: 0xc612,
  cropSize: 0xc620,
} as const;

/** The byte orders and magic numbers: TIFF, BigTIFF, and the forms of Olympus and Panasonic. */
const HEADERS: Readonly<Record<string, { readonly isLittle: boolean; readonly isBig: boolean }>> = {
  'II*\0': { isLittle: true, isBig: false },
  'MM\0*': { isLittle: false, isBig: false },
  'II+\0': { isLittle: true, isBig: true },
  'MM\0+': { isLittle: false, isBig: true },
  IIRO: { isLittle: true, isBig: false },
  IIRS: { isLittle: true, isBig: false },
  MMOR: { isLittle: false, isBig: false },
  'IIU\0': { isLittle: true, isBig: false },
};

/** Bytes of one value, by the type of an entry. */
const TYPE_BYTES: Readonly<Record<number, number>> = {
  ...{ 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8 },
  ...{ 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8, 129: 1 },
};
const SHORT = 3;
const RATIONAL = 5;
const SIGNED_RATIONAL = 10;
const LONGS = [4, 13];
const LONG8S = [16, 18];

const MAX_ENTRIES = 1024;
const MAX_DIRECTORIES = 64;
const MAX_NUMBERS = 64;

interface Entry {
  readonly type: number;
  readonly count: number;
  /** Where its values are. */
  readonly at: number;
}

/** One directory of a TIFF file: a page, an image inside it, or EXIF data. */
export class Directory {
  constructor(
    private readonly tiff: Tiff,
    private readonly entries: ReadonlyMap<number, Entry>,
    /** Where the next directory is; 0 when there is none. */
    readonly next: number,
  ) {}

  has(tag: number): boolean {
    return this.entries.has(tag);
  }

  /** The first number of an entry; undefined when there is no such number. */
  async number(tag: number): Promise<number | undefined> {
    return (await this.numbers(tag))[0];
  }

  /** The numbers of an entry, {@link MAX_NUMBERS} of them at most; none when there are no numbers. */
  async numbers(tag: number): Promise<number[]> {
    const entry = this.entries.get(tag);
    const width = TYPE_BYTES[entry?.type ?? 0];
    if (entry === undefined || width === undefined) {
      return [];
    }
    const count = Math.min(entry.count, MAX_NUMBERS);
    const bytes = await this.tiff.reader.read(entry.at, count * width);
    const numbers = Array.from({ length: bytes === undefined ? 0 : count }, (_, index) =>
      bytes === undefined ? undefined : this.tiff.value(bytes, entry.type, index * width),
    );
    return numbers.filter((one) => one !== undefined);
  }

  /** How many values an entry has. */
  count(tag: number): number {
    return this.entries.get(tag)?.count ?? 0;
  }

  /** The value of an entry as a text up to its first NUL; undefined when it is longer than `maxBytes`, or none. */
  async text(tag: number, maxBytes: number): Promise<string | undefined> {
    const entry = this.entries.get(tag);
    if (entry === undefined || TYPE_BYTES[entry.type] !== 1 || entry.count > maxBytes) {
      return undefined;
    }
    const bytes = await this.tiff.reader.read(entry.at, entry.count);
    return bytes?.toString('latin1').split('\0', 1)[0];
  }

  /** The first fraction of an entry; undefined when there is none, or it is not a number. */
  async fraction(tag: number): Promise<number | undefined> {
    const entry = this.entries.get(tag);
    if (entry === undefined || ![RATIONAL, SIGNED_RATIONAL].includes(entry.type)) {
      return this.number(tag);
    }
    const bytes = await this.tiff.reader.read(entry.at, 8);
    const value = bytes && this.tiff.fraction(bytes);
    return Number.isFinite(value) ? value : undefined;
  }

  /** The first bytes of an entry, whatever its type is. */
  async bytes(tag: number, maxBytes: number): Promise<Buffer | undefined> {
    const entry = this.entries.get(tag);
    const width = TYPE_BYTES[entry?.type ?? 0] ?? 1;
    return entry && this.tiff.reader.read(entry.at, Math.min(entry.count * width, maxBytes));
  }

  /** The bytes of an entry as a separate file. */
  part(tag: number): ByteReader | undefined {
    const entry = this.entries.get(tag);
    const width = TYPE_BYTES[entry?.type ?? 0];
    return entry && width !== undefined
      ? this.tiff.reader.part(entry.at, entry.count * width)
      : undefined;
  }
}

/**
 * A [TIFF 6.0](https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf) or BigTIFF file, or EXIF data, which have
 * the same form. Directories are followed by their offsets, wherever they are.
 */
export class Tiff {
  private constructor(
    readonly reader: ByteReader,
    private readonly form: { readonly isLittle: boolean; readonly isBig: boolean },
  ) {}

  /** @returns undefined when it is no such file. */
  static async in(reader: ByteReader): Promise<Tiff | undefined> {
    const form = HEADERS[(await reader.read(0, 4))?.toString('latin1') ?? ''];
    return form && new Tiff(reader, form);
  }

  /** The directory that the header leads to; undefined when it is not there. */
  async first(): Promise<Directory | undefined> {
    return this.directory(await this.offset(this.form.isBig ? 8 : 4));
  }

  /** The directories of images: the pages and those inside them. Each is visited once, and their number is bounded. */
  async images(): Promise<Directory[]> {
    const seen = new Set<number>();
    const waiting = [await this.offset(this.form.isBig ? 8 : 4)];
    const found: Directory[] = [];
    for (const at of waiting) {
      if (seen.has(at) || seen.size >= MAX_DIRECTORIES) {
        continue;
      }
      seen.add(at);
      const directory = await this.directory(at);
      if (directory !== undefined) {
        found.push(directory);
        waiting.push(...(await directory.numbers(TAG.subDirectories)), directory.next);
      }
    }
    return found;
  }

  async directory(at: number): Promise<Directory | undefined> {
    const { isBig } = this.form;
    const head = at > 0 ? await this.reader.read(at, isBig ? 8 : 2) : undefined;
    if (head === undefined) {
      return undefined;
    }
    const count = isBig ? this.long8(head, 0) : this.short(head, 0);
    const width = isBig ? 20 : 12;
    const start = at + head.length;
    const listed = Math.min(count, MAX_ENTRIES);
    const bytes = await this.reader.read(start, listed * width);
    if (bytes === undefined) {
      return undefined;
    }
    const entries = Array.from({ length: listed }, (_, index) =>
      this.entry(bytes.subarray(index * width, (index + 1) * width), start + index * width),
    );
    return new Directory(this, new Map(entries), await this.offset(start + count * width));
  }

  /** One number of an entry; undefined when its type is none that is read here. */
  value(bytes: Buffer, type: number, at: number): number | undefined {
    if (type === SHORT) {
      return this.short(bytes, at);
    }
    if (LONGS.includes(type)) {
      return this.long(bytes, at);
    }
    if (LONG8S.includes(type)) {
      return this.long8(bytes, at);
    }
    return type === RATIONAL
      ? Math.round(this.long(bytes, at) / this.long(bytes, at + 4))
      : undefined;
  }

  /** A numerator and a denominator, of which a camera needs no more than 31 bits. */
  fraction(bytes: Buffer): number {
    return this.long(bytes, 0) / this.long(bytes, 4);
  }

  private entry(bytes: Buffer, at: number): [number, Entry] {
    const { isBig } = this.form;
    const type = this.short(bytes, 2);
    const count = isBig ? this.long8(bytes, 4) : this.long(bytes, 4);
    const field = isBig ? 12 : 8;
    const isInside = (TYPE_BYTES[type] ?? 1) * count <= (isBig ? 8 : 4);
    const outside = isBig ? this.long8(bytes, field) : this.long(bytes, field);
    return [this.short(bytes, 0), { type, count, at: isInside ? at + field : outside }];
  }

  /** The offset that is noted at this place; 0 when the place is not in the file. */
  private async offset(at: number): Promise<number> {
    const bytes = await this.reader.read(at, this.form.isBig ? 8 : 4);
    if (bytes === undefined) {
      return 0;
    }
    return this.form.isBig ? this.long8(bytes, 0) : this.long(bytes, 0);
  }

  private short(bytes: Buffer, at: number): number {
    return this.form.isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  }

  private long(bytes: Buffer, at: number): number {
    return this.form.isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  }

  private long8(bytes: Buffer, at: number): number {
    return Number(this.form.isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
  }
}
