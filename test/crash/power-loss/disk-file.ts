import { readFileSync } from 'node:fs';

/** The unit in which a file system writes a file. */
const PAGE = 4096;
/** The unit in which a disk writes. */
const SECTOR = 512;
/** How often a page is found that the disk was about to write. */
const TORN = 0.1;

/** How much of the unflushed data is written: nothing, everything, or some. */
export type Fate = 'none' | 'all' | 'some';

interface Change {
  /** When it was done. */
  readonly time: number;
  /** Bytes that were written; a change of the size when left out. */
  readonly bytes?: Buffer;
  /** Where they were written, or the new size. */
  readonly at: number;
}

/** A file on the disk of disk.ts: its durable content, and later changes. */
export class DiskFile {
  private kept: Buffer | undefined;
  private changes: Change[] = [];

  /** @param base a file whose bytes are all on the disk at the beginning; an empty file when left out. */
  constructor(private readonly base?: string) {}

  write(time: number, at: number, bytes: Buffer): void {
    this.changes.push({ time, at, bytes });
  }

  resize(time: number, size: number): void {
    this.changes.push({ time, at: size });
  }

  /** From now on all is sure that was done before this time. */
  flush(time: number): void {
    const flushed = this.changes.filter((change) => change.time < time);
    if (flushed.length === 0) return;
    this.changes = this.changes.slice(flushed.length);
    this.kept = apply(this.sure, flushed);
  }

  /** The content of the disk after a power loss now. */
  after(random: () => number, fate: Fate): Buffer {
    if (fate === 'none' || this.changes.length === 0) return this.sure;
    const luck = random();
    if (fate === 'all' || luck < 0.25) return apply(this.sure, this.changes);
    return luck < 0.5 ? this.sure : this.mixed(random);
  }

  /**
   * Each page as it was after any of its changes, whatever became of the others; the size as it was at any time. Where
   * the file has grown over pages that did not arrive, there are zeros.
   */
  private mixed(random: () => number): Buffer {
    const { sure } = this;
    const sizes = [sure.length];
    for (const { at, bytes } of this.changes) {
      const before = sizes.at(-1) ?? 0;
      const end = bytes === undefined ? at : Math.max(before, at + bytes.length);
      // A file may have grown by a part of a write.
      const border = PAGE * Math.ceil((before + random() * (end - before)) / PAGE);
      if (end > before) sizes.push(Math.min(end, border));
      sizes.push(end);
    }
    const size = sizes[Math.floor(random() * sizes.length)] ?? 0;
    const image = Buffer.alloc(size);
    sure.copy(image);
    for (const [page, changes] of this.changesByPage()) {
      if (page * PAGE >= size) continue;
      const seen = Math.floor(random() * (changes.length + 1));
      const content = this.page(page, changes.slice(0, seen));
      if (random() < TORN) {
        const begun = this.page(page, changes.slice(0, seen + 1));
        begun.copy(content, 0, 0, SECTOR * Math.floor(random() * (PAGE / SECTOR)));
      }
      content.copy(image, page * PAGE);
    }
    return image;
  }

  private changesByPage(): Map<number, Change[]> {
    const pages = new Map<number, Change[]>();
    const add = (from: number, to: number, change: Change): void => {
      for (let page = Math.floor(from / PAGE); page * PAGE < to; page += 1)
        (pages.get(page) ?? newList(pages, page)).push(change);
    };
    let end = this.sure.length;
    for (const change of this.changes) {
      const { at, bytes } = change;
      if (bytes !== undefined) add(at, at + bytes.length, change);
      else add(at, end, change);
      end = Math.max(end, at + (bytes?.length ?? 0));
    }
    return pages;
  }

  private page(page: number, changes: readonly Change[]): Buffer {
    const from = page * PAGE;
    const content = Buffer.alloc(PAGE);
    this.sure.subarray(from, from + PAGE).copy(content);
    for (const { at, bytes } of changes) {
      if (bytes === undefined) content.fill(0, Math.min(PAGE, Math.max(0, at - from)));
      else if (at >= from) bytes.copy(content, at - from);
      else bytes.subarray(from - at).copy(content);
    }
    return content;
  }

  private get sure(): Buffer {
    this.kept ??= this.base === undefined ? Buffer.alloc(0) : readFileSync(this.base);
    return this.kept;
  }
}

function newList(pages: Map<number, Change[]>, page: number): Change[] {
  const list: Change[] = [];
  pages.set(page, list);
  return list;
}

/** The bytes after these changes; the ones before stay as they are. */
function apply(before: Buffer, changes: readonly Change[]): Buffer {
  let size = before.length;
  let most = size;
  for (const { at, bytes } of changes) {
    size = bytes === undefined ? at : Math.max(size, at + bytes.length);
    most = Math.max(most, size);
  }
  const after = Buffer.alloc(most);
  before.copy(after);
  for (const { at, bytes } of changes) {
    if (bytes === undefined) after.fill(0, at);
    else bytes.copy(after, at);
  }
  return after.subarray(0, size);
}
