import { concat, indexOfBytes, latin1, type ByteSource } from '../byte-source.js';
import { PatchList, type Patch } from '../patches.js';
import type { Slice } from '../slice.js';
import { WINDOW_BYTES, WindowedSource, type ReadLimits } from '../windowed-source.js';

export const SEARCH_LIMITS: ReadLimits = {
  reads: 20_000,
  bytes: 512 * 1024 * 1024,
  steps: 1_000_000,
};

/** Why a file cannot be searched. */
export type UnsearchableReason =
  | 'unknown-kind'
  | 'archive'
  | 'limits'
  | 'damaged'
  | 'encrypted'
  | 'compressed'
  | 'embedded-files'
  | 'timed-metadata'
  | 'unsupported';

export class Unsearchable extends Error {
  constructor(readonly reason: UnsearchableReason) {
    super(`the file cannot be searched: ${reason}`);
  }
}

/** How deep files inside files are followed. */
const MAX_DEPTH = 8;

/** How much is read at once where every byte is looked at. */
const PIECE_BYTES = 1024 * 1024;
/** How long the first piece is. The next ones are longer, because many searches end early. */
const FIRST_BYTES = 1024;
/** How many bytes of streamed data count as one step. */
const BYTES_PER_STEP = 1024;

interface Extent {
  /** Place in the file. */
  readonly at: number;
  readonly length: number;
  /** Place in the region. */
  readonly from: number;
}

/** How formats search what is in each other. */
export interface Formats {
  /** Searches a file, and what is behind it. */
  readonly file: (region: Region) => Promise<void>;
  /** Searches a file, and returns where it ends. */
  readonly first: (region: Region) => Promise<number>;
  /** Searches Photoshop's image resources, and its layers. */
  readonly resources: (region: Region) => Promise<void>;
  readonly layers: (region: Region) => Promise<void>;
}

/** One search of a file: its budget, what was visited, and what was found. */
export class Search {
  hasLocation = false;
  private patches = new PatchList();
  private readonly visited = new Set<string>();
  private readonly source: WindowedSource;
  private depth = 0;

  constructor(
    source: ByteSource,
    limits: ReadLimits,
    readonly formats: Formats,
  ) {
    this.source = new WindowedSource(source, limits);
  }

  /** The whole file. */
  file(): Region {
    return new Region(this, [{ at: 0, length: this.source.size, from: 0 }], this.source.size);
  }

  /** Counts visited structures. @throws {Unsearchable} beyond the limits */
  step(count = 1): void {
    if (!this.source.step(count)) {
      throw new Unsearchable('limits');
    }
  }

  /** Counts bytes of streamed data. @throws {Unsearchable} beyond the limits */
  stream(bytes: number): void {
    this.step(Math.ceil(bytes / BYTES_PER_STEP));
  }

  /** @returns whether a structure is visited for the first time */
  visit(kind: string, place: number): boolean {
    this.step();
    const key = `${kind}@${place}`;
    const isNew = !this.visited.has(key);
    this.visited.add(key);
    return isNew;
  }

  /** Searches a file inside the file. @throws {Unsearchable} */
  nested(region: Region): Promise<void> {
    return this.deeper(() => this.formats.file(region));
  }

  /** Searches a file inside the file, and returns where it ends. @throws {Unsearchable} */
  first(region: Region): Promise<number> {
    return this.deeper(() => this.formats.first(region));
  }

  private async deeper<Result>(search: () => Promise<Result>): Promise<Result> {
    this.step();
    if (this.depth >= MAX_DEPTH) {
      throw new Unsearchable('limits');
    }
    this.depth += 1;
    try {
      return await search();
    } finally {
      this.depth -= 1;
    }
  }

  /** Searches what the picture does not need. What cannot be searched becomes zeros. */
  async ancillary(region: Region, find: () => Promise<unknown>): Promise<void> {
    try {
      await find();
    } catch (error) {
      if (!(error instanceof Unsearchable) || error.reason === 'limits') {
        throw error;
      }
      await region.blank();
    }
  }

  /** What is found by a part of the search. It is also added to the whole. */
  async collect(find: () => Promise<unknown>): Promise<readonly Patch[]> {
    const outer = this.patches;
    this.patches = new PatchList();
    let found: readonly Patch[];
    try {
      await find();
      found = this.sorted();
    } finally {
      this.patches = outer;
    }
    found.forEach((patch) => this.add(patch));
    return found;
  }

  add(patch: Patch): void {
    this.step();
    if (!this.patches.add(patch)) {
      throw new Unsearchable('limits');
    }
  }

  /** All patches, in order. @throws {Unsearchable} when there are too many */
  sorted(): readonly Patch[] {
    const patches = this.patches.sorted();
    if (patches === null) {
      throw new Unsearchable('limits');
    }
    return patches;
  }

  /** Bytes of the file that are inside it. */
  async read(at: number, length: number): Promise<Uint8Array> {
    this.step();
    return allOf(await this.source.read(at, length), length);
  }

  /** Bytes that are read once. */
  async readOnce(at: number, length: number): Promise<Uint8Array> {
    return allOf(await this.source.readOnce(at, length), length);
  }
}

/** @throws {Unsearchable} where bytes are missing */
function allOf(bytes: Uint8Array | null, length: number): Uint8Array {
  if (bytes?.length !== length) {
    throw new Unsearchable(bytes ? 'damaged' : 'limits');
  }
  return bytes;
}

/** A part of the file, or several parts one after another. Each range is checked. */
export class Region implements Slice<Region> {
  constructor(
    readonly search: Search,
    private readonly extents: readonly Extent[],
    readonly size: number,
  ) {}

  /** Several regions as one. */
  static join(search: Search, regions: readonly Region[]): Region {
    const extents: Extent[] = [];
    let size = 0;
    for (const region of regions) {
      for (const { at, length } of region.extents) {
        extents.push({ at, length, from: size });
        size += length;
      }
    }
    return new Region(search, extents, size);
  }

  /** Where it begins in the file. */
  get start(): number {
    return this.extents[0]?.at ?? 0;
  }

  step(): void {
    this.search.step();
  }

  has(at: number, length: number): boolean {
    return (
      Number.isSafeInteger(at) &&
      Number.isSafeInteger(length) &&
      at >= 0 &&
      length >= 0 &&
      at + length <= this.size
    );
  }

  /** @throws {Unsearchable} when the range is not inside the region */
  async read(at: number, length: number): Promise<Uint8Array> {
    return this.readBy(at, length, (place, bytes) => this.search.read(place, bytes));
  }

  /** Up to so many bytes from a place on. */
  async readUpTo(at: number, length: number): Promise<Uint8Array> {
    return at >= this.size ? new Uint8Array(0) : this.read(at, Math.min(length, this.size - at));
  }

  async text(at: number, length: number): Promise<string> {
    return latin1(await this.readUpTo(at, length));
  }

  /** All bytes in pieces, with their places in the region. */
  async *pieces(
    from = 0,
    to = this.size,
  ): AsyncGenerator<{ readonly at: number; readonly bytes: Uint8Array }> {
    let wanted = FIRST_BYTES;
    for (let at = from; at < to; wanted = Math.min(4 * wanted, PIECE_BYTES)) {
      const length = Math.min(wanted, to - at);
      this.search.stream(length);
      const bytes =
        wanted <= WINDOW_BYTES
          ? await this.read(at, length)
          : await this.readBy(at, length, (place, count) => this.search.readOnce(place, count));
      yield { at, bytes };
      at += length;
    }
  }

  /** @throws {Unsearchable} when the range is not inside the region */
  part(at: number, length = this.size - at): Region {
    return new Region(this.search, this.extentsOf(at, length, true), length);
  }

  /** Where a word begins; -1 where it does not. */
  async indexOf(word: Uint8Array, from = 0, to = this.size): Promise<number> {
    let tail: Uint8Array = new Uint8Array(0);
    for await (const { at, bytes } of this.pieces(from, to)) {
      const joined = concat(tail, bytes);
      const found = indexOfBytes(joined, word);
      if (found >= 0) {
        return at - tail.length + found;
      }
      tail = joined.slice(Math.max(0, joined.length - word.length + 1));
    }
    return -1;
  }

  async isFilled(by: number): Promise<boolean> {
    for await (const { bytes } of this.pieces()) {
      if (bytes.some((byte) => byte !== by)) {
        return false;
      }
    }
    return true;
  }

  /** Replaces all bytes by one. @returns whether that changes anything */
  async blank(by = 0): Promise<boolean> {
    if (await this.isFilled(by)) {
      return false;
    }
    for (const { at, length } of this.extents) {
      this.search.add({ at, length, by });
    }
    return true;
  }

  /** Replaces a part. */
  replace(at: number, bytes: Uint8Array): void {
    for (const extent of this.extentsOf(at, bytes.length)) {
      const by = bytes.slice(extent.from, extent.from + extent.length);
      this.search.add({ at: extent.at, length: extent.length, by });
    }
  }

  private async readBy(
    at: number,
    length: number,
    read: (at: number, length: number) => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const extents = this.extentsOf(at, length);
    const [first] = extents;
    if (extents.length === 1 && first) {
      return read(first.at, first.length);
    }
    const bytes = new Uint8Array(length);
    for (const extent of extents) {
      bytes.set(await read(extent.at, extent.length), extent.from);
    }
    return bytes;
  }

  /** Where a range is in the file. `from` counts from its start. */
  private extentsOf(at: number, length: number, isEmptyKept = false): readonly Extent[] {
    if (!this.has(at, length)) {
      throw new Unsearchable('damaged');
    }
    const found: Extent[] = [];
    for (let index = this.extentAt(at); index < this.extents.length; index += 1) {
      const extent = this.extents[index];
      if (!extent || extent.from >= at + length) {
        break;
      }
      const from = Math.max(at, extent.from);
      const to = Math.min(at + length, extent.from + extent.length);
      if (to > from) {
        found.push({ at: extent.at + from - extent.from, length: to - from, from: from - at });
      }
    }
    this.search.step(found.length);
    const last = this.extents[Math.min(this.extentAt(at), this.extents.length - 1)];
    return found.length === 0 && isEmptyKept && last
      ? [{ at: last.at + Math.min(at - last.from, last.length), length: 0, from: 0 }]
      : found;
  }

  /** The index of the extent that holds a place, by binary search. */
  private extentAt(place: number): number {
    let low = 0;
    let high = this.extents.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const extent = this.extents[middle];
      if (extent && extent.from + extent.length <= place) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
