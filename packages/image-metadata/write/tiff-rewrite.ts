import { encodeUtf8 } from '../../utf8/index.js';
import { ByteReader } from '../byte-reader.js';
import { bytesOfNumber, concat } from '../byte-source.js';
import {
  DIRECTORY_POINTERS,
  numbersIn,
  offsetAt,
  PIXEL_TAGS,
  readTable,
  TAG,
  tiffForm,
  TYPE,
  TYPE_BYTES,
  type TiffEntry,
  type TiffForm,
  type TiffTable,
} from '../tiff.js';
import type { MetadataTexts } from './changes.js';
import { contentOf, joinPieces, PieceList, UnwritableError, type Piece } from './pieces.js';

/**
 * TIFF files, and EXIF data, which are TIFF files without a picture (TIFF 6.0, EXIF 3.0). Nothing moves, because pixels
 * and other directories are found by their places. Removed values are overwritten with zeros, new ones are appended.
 * @packageDocumentation
 */

const MAX_DIRECTORIES = 256;
const MAX_ENTRIES = 4096;
/** How many numbers an entry has: the strips or tiles of a picture. */
const MAX_NUMBERS = 1_000_000;
const MAX_FILE_BYTES = 0xffff_ffff;

interface Directory extends TiffTable {
  /** Where it ends: behind the place of the next one, unless the file ends before. */
  readonly to: number;
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

/** Rewrites EXIF data, in which XMP and IPTC have no place. @throws {UnwritableError} */
export async function editExif(
  exif: Uint8Array,
  texts: MetadataTexts,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = ByteReader.overBytes(exif);
  return joinPieces(reader, await new TiffRewrite(reader, texts, null).plan());
}

/** One rewriting of a TIFF file, or of EXIF data. */
export class TiffRewrite {
  private form: TiffForm = { isLittle: true, isBig: false };
  private readonly directories: Directory[] = [];
  /** What is overwritten with zeros, and what must stay. */
  private readonly cleared: Range[] = [];
  private readonly kept: Range[] = [];

  constructor(
    private readonly file: ByteReader,
    private readonly texts: MetadataTexts,
    /** Null for EXIF data. */
    private readonly valuesOfFile: ValuesOfFile | null,
  ) {}

  async plan(): Promise<readonly Piece[]> {
    const first = await this.readHeader();
    await this.readDirectories(first);
    const [main, ...others] = this.directories;
    if (!main) {
      throw new UnwritableError('the TIFF file has no directory');
    }
    const values = await this.newValues(main);
    const patches: Patch[] = [];
    const appended: Uint8Array[] = [];
    let end = this.file.size;
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
      const rewritten = await this.withValues(main, values, append);
      patches.push({ at: 4, bytes: this.number(append(rewritten), 4) });
      this.cleared.push({ from: main.at, to: main.to });
      await this.collectValueRanges(main, (tag) => values.has(tag));
    } else {
      await this.keepOrRemove(main, patches, values);
    }
    this.kept.push({ from: 0, to: 8 });
    if (end > MAX_FILE_BYTES) {
      throw new UnwritableError('the TIFF file would be too long');
    }
    this.checkRanges();
    return [
      ...patched(this.file.size, [
        ...patches,
        ...this.cleared
          .filter(({ from }) => !patches.some(({ at }) => at === from))
          .map(({ from, to }) => ({ at: from, bytes: new Uint8Array(to - from) })),
      ]),
      ...appended,
    ];
  }

  private async readHeader(): Promise<number> {
    const start = await this.file.head(4);
    const form = tiffForm(start);
    if (!form || (start !== 'II*\0' && start !== 'MM\0*')) {
      throw new UnwritableError('this is no TIFF file, or a BigTIFF file');
    }
    this.form = form;
    return (await offsetAt(this.file, form, 4)) ?? 0;
  }

  /** Reads all directories: the chain first, then those that entries point to. */
  private async readDirectories(first: number): Promise<void> {
    const seen = new Set<number>();
    const queue: number[] = [];
    const visit = async (place: number, isInChain: boolean): Promise<Directory> => {
      if (seen.has(place) || seen.size >= MAX_DIRECTORIES) {
        throw new UnwritableError('the TIFF file has a loop, or too many directories');
      }
      seen.add(place);
      const directory = await this.readDirectory(place, isInChain);
      this.directories.push(directory);
      for (const entry of directory.entries) {
        if (DIRECTORY_POINTERS.includes(entry.tag)) {
          queue.push(...(await this.numbersOf(entry)));
        }
      }
      return directory;
    };
    for (let place = first; place !== 0;) {
      place = (await visit(place, true)).next ?? 0;
    }
    for (let inner = queue.shift(); inner !== undefined; inner = queue.shift()) {
      // Some cameras leave anything after the directories that entries point to.
      await visit(inner, false);
    }
  }

  private async readDirectory(place: number, isInChain: boolean): Promise<Directory> {
    const { file, form } = this;
    const table = await readTable(file, form, place, MAX_ENTRIES);
    // A directory of a location that was removed is empty.
    if (!table || table.entries.length < table.count || (table.count === 0 && isInChain)) {
      throw new UnwritableError('a directory of the TIFF file is cut short, empty or too long');
    }
    const isKnown = ({ type, isInside, place, length }: TiffEntry): boolean =>
      type in TYPE_BYTES && (isInside || file.has(place, length));
    if (!table.entries.every(isKnown)) {
      throw new UnwritableError('an entry of the TIFF file is not understood');
    }
    // EXIF data may end without the place of a next directory.
    if (table.next === null && isInChain && this.valuesOfFile !== null) {
      throw new UnwritableError('a directory of the TIFF file is cut short');
    }
    return { ...table, to: table.end + (table.next === null ? 0 : 4) };
  }

  /** What the first directory gets. Values that stay are left out. */
  private async newValues({ entries }: Directory): Promise<Values> {
    const { creator, copyright } = this.texts;
    const valueOf = async (tag: number): Promise<Uint8Array | null> => {
      const entry = entries.find((one) => one.tag === tag);
      return entry ? this.valuesOf(entry) : null;
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
    const { at, to, entries, next } = directory;
    const isUnwanted = (tag: number): boolean => removed.has(tag);
    await this.collectValueRanges(directory, isUnwanted);
    this.kept.push({ from: at, to });
    const left = entries.filter(({ tag }) => !isUnwanted(tag));
    if (left.length < entries.length) {
      const table = this.table(
        await Promise.all(left.map((entry) => this.entryBytes(entry))),
        next,
      );
      patches.push({ at, bytes: concat(table, new Uint8Array(to - at - table.length)) });
    }
  }

  /** Notes where the values of a directory and its pixels are, and whether they stay. */
  private async collectValueRanges(
    { entries }: Directory,
    isUnwanted: (tag: number) => boolean,
  ): Promise<void> {
    for (const { tag, place, length, isInside } of entries) {
      if (!isInside) {
        (isUnwanted(tag) ? this.cleared : this.kept).push({ from: place, to: place + length });
      }
    }
    for (const [offsetsTag, lengthsTag] of PIXEL_TAGS) {
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

  /** @throws {UnwritableError} where zeros would overwrite what must stay */
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
        throw new UnwritableError('parts of the TIFF file overlap');
      }
    }
  }

  /** A first directory with new values, whose places `append` gives. */
  private async withValues(
    { entries, next }: Directory,
    values: Values,
    append: (bytes: Uint8Array) => number,
  ): Promise<Uint8Array> {
    const table: { readonly tag: number; readonly bytes: Uint8Array }[] = [];
    for (const entry of entries.filter(({ tag }) => !values.has(tag))) {
      table.push({ tag: entry.tag, bytes: await this.entryBytes(entry) });
    }
    for (const [tag, value] of values) {
      table.push(...(value ? [{ tag, bytes: this.entry(value, append) }] : []));
    }
    const sorted = table.sort((one, other) => one.tag - other.tag);
    return this.table(
      sorted.map(({ bytes }) => bytes),
      next ?? 0,
    );
  }

  private entry({ tag, type, bytes }: Value, append: (bytes: Uint8Array) => number): Uint8Array {
    const inside = concat(bytes, new Uint8Array(4)).subarray(0, 4);
    const field = bytes.length > 4 ? this.number(append(bytes), 4) : inside;
    return concat(this.number(tag, 2), this.number(type, 2), this.number(bytes.length, 4), field);
  }

  private table(entries: readonly Uint8Array[], next: number | null): Uint8Array {
    const end = next === null ? [] : [this.number(next, 4)];
    return concat(this.number(entries.length, 2), ...entries, ...end);
  }

  private number(value: number, length: 2 | 4): Uint8Array {
    return bytesOfNumber(value, length, this.form.isLittle);
  }

  /** The twelve bytes of an entry. */
  private entryBytes({ at }: TiffEntry): Promise<Uint8Array> {
    return contentOf(this.file.part(at, 12));
  }

  private valuesOf({ place, length }: TiffEntry): Promise<Uint8Array> {
    return contentOf(this.file.part(place, length));
  }

  /** The values of an entry with whole numbers. */
  private async numbersOf(entry: TiffEntry): Promise<readonly number[]> {
    const size = TYPE_BYTES[entry.type] ?? 0;
    if (entry.count > MAX_NUMBERS || (size !== 2 && size !== 4)) {
      throw new UnwritableError('an entry of the TIFF file is not understood');
    }
    const type = size === 2 ? TYPE.short : TYPE.long;
    return numbersIn(await this.valuesOf(entry), type, this.form);
  }
}

function asciiValue(tag: number, text: string): readonly Value[] {
  const bytes = encodeUtf8(`${text.replace(/\0/g, ' ')}\0`);
  return text === '' ? [] : [{ tag, type: TYPE.ascii, bytes }];
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** The whole file with other bytes in some places. @throws {UnwritableError} where two patches overlap */
function patched(size: number, patches: readonly Patch[]): readonly Piece[] {
  const pieces = new PieceList();
  let at = 0;
  for (const patch of [...patches].sort((one, other) => one.at - other.at)) {
    if (patch.at < at) {
      throw new UnwritableError('parts of the TIFF file overlap');
    }
    pieces.keep(at, patch.at);
    pieces.add(patch.bytes);
    at = patch.at + patch.bytes.length;
  }
  pieces.keep(at, size);
  return pieces.all;
}
