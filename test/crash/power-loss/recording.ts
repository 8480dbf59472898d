import type * as FileSystem from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { encode, FOLDER_VARIABLE, JOURNAL_VARIABLE, type Operation } from './journal.js';

type Done = ((result: unknown) => void) | undefined;

interface OpenFile {
  readonly handle: string;
  readonly appends: boolean;
  /** The position of a write without an explicit one. */
  position: number;
}

/** The relevant flags of `open`. */
interface Flags {
  readonly creates: boolean;
  readonly empties: boolean;
  readonly appends: boolean;
}

/** Writes the journal of one process, see recorder.ts. Each method is called before its operation. */
export class Recording {
  private readonly journal: number;
  private readonly open = new Map<number, OpenFile>();
  private count = 0;

  constructor(
    private readonly plain: typeof FileSystem,
    journal: string,
    private readonly folder: string,
  ) {
    this.journal = plain.openSync(journal, 'a');
  }

  static fromEnvironment(plain: typeof FileSystem): Recording {
    const journal = process.env[JOURNAL_VARIABLE];
    const folder = process.env[FOLDER_VARIABLE];
    if (journal === undefined || folder === undefined) throw new Error('nothing to record');
    return new Recording(plain, journal, path.resolve(folder));
  }

  opens(at: unknown, flags: unknown): Done {
    const place = this.within(at);
    if (place === undefined) return (file) => void this.open.delete(numberOf(file));
    const { creates, empties, appends } = this.flagsOf(flags);
    const existed = this.plain.existsSync(path.join(this.folder, place));
    return (file) => {
      const handle = this.name();
      this.open.set(numberOf(file), { handle, appends, position: 0 });
      const created = creates && !existed;
      this.write({ kind: 'open', handle, path: place, created, emptied: empties && existed });
    };
  }

  closes(file: unknown): Done {
    this.open.delete(numberOf(file));
    return undefined;
  }

  /** @param where what follows the data: offset, length and position, or position and encoding. */
  writes(file: unknown, data: unknown, where: readonly unknown[]): Done {
    const opened = this.open.get(numberOf(file));
    if (opened === undefined) return undefined;
    return (result) => {
      const length = lengthOf(result);
      if (typeof data === 'string') {
        const [position, encoding] = where;
        const bytes = Buffer.from(data, encoding as BufferEncoding | undefined);
        this.wrote(numberOf(file), opened, bytes.subarray(0, length), position);
        return;
      }
      const options = typeof where[0] === 'object' && where[0] !== null ? where[0] : undefined;
      const { offset, position } = (options ?? { offset: where[0], position: where[2] }) as {
        offset?: unknown;
        position?: unknown;
      };
      const from = typeof offset === 'number' ? offset : 0;
      const bytes = bytesOf(data).subarray(from, from + length);
      this.wrote(numberOf(file), opened, bytes, position);
    };
  }

  writesAll(file: unknown, pieces: unknown, position: unknown): Done {
    const opened = this.open.get(numberOf(file));
    if (opened === undefined) return undefined;
    return (result) => {
      const all = Buffer.concat((pieces as unknown[]).map(bytesOf));
      this.wrote(numberOf(file), opened, all.subarray(0, lengthOf(result)), position);
    };
  }

  resizes(file: unknown, size: unknown): Done {
    const opened = this.open.get(numberOf(file));
    if (opened === undefined) return undefined;
    const to = typeof size === 'number' ? size : 0;
    return () => {
      this.write({ kind: 'resize', handle: opened.handle, size: to });
    };
  }

  resizesPath(at: unknown, size: unknown): Done {
    const place = this.within(at);
    if (place === undefined) return undefined;
    const to = typeof size === 'number' ? size : 0;
    return () => {
      this.write({ kind: 'resize path', path: place, size: to });
    };
  }

  flushes(file: unknown): Done {
    const opened = this.open.get(numberOf(file));
    if (opened === undefined) return undefined;
    const flush = this.name();
    this.write({ kind: 'flush begins', handle: opened.handle, flush });
    return () => {
      this.write({ kind: 'flush ends', flush });
    };
  }

  moves(from: unknown, to: unknown): Done {
    const [source, target] = [this.within(from), this.within(to)];
    if (source === undefined && target === undefined) return undefined;
    if (source === undefined || target === undefined) throw new Error('moved across the border');
    return () => {
      this.write({ kind: 'move', from: source, to: target });
    };
  }

  removes(at: unknown): Done {
    const place = this.within(at);
    return place === undefined
      ? undefined
      : () => {
          this.write({ kind: 'remove', path: place });
        };
  }

  makesFolder(at: unknown, options: unknown): Done {
    const place = this.within(at);
    if (place === undefined) return undefined;
    const above = (options as { recursive?: boolean } | null)?.recursive === true;
    const missing: string[] = [];
    for (let one = place; one !== '' && !this.plain.existsSync(path.join(this.folder, one));) {
      missing.unshift(one);
      one = above && one.includes('/') ? path.dirname(one) : '';
    }
    return () => {
      for (const one of missing) this.write({ kind: 'folder', path: one });
    };
  }

  /** @throws Error for an operation without a journal entry. */
  refuses(what: string, at: unknown): Done {
    if (this.within(at) !== undefined) throw new Error(`the recorder does not know ${what}`);
    return undefined;
  }

  private wrote(file: number, opened: OpenFile, bytes: Buffer, position: unknown): void {
    let at = opened.position;
    if (opened.appends) at = this.plain.fstatSync(file).size - bytes.length;
    else if (typeof position === 'number' || typeof position === 'bigint') at = Number(position);
    else opened.position += bytes.length;
    this.write({ kind: 'write', handle: opened.handle, at }, bytes);
  }

  private write(operation: Operation, bytes?: Uint8Array): void {
    this.plain.writeSync(this.journal, encode(operation, bytes));
  }

  /** The path below the watched folder, empty for the folder itself; undefined for paths outside it. */
  private within(at: unknown): string | undefined {
    if (typeof at !== 'string' && !(at instanceof URL) && !Buffer.isBuffer(at)) return undefined;
    const place = at instanceof URL ? fileURLToPath(at) : at.toString();
    const relative = path.relative(this.folder, path.resolve(place));
    return relative.startsWith('..') ? undefined : relative;
  }

  private name(): string {
    this.count += 1;
    return `${process.pid}.${this.count}`;
  }

  private flagsOf(flags: unknown): Flags {
    if (typeof flags === 'number') {
      const has = (flag: number): boolean => (flags & flag) !== 0;
      const { O_CREAT, O_TRUNC, O_APPEND } = this.plain.constants;
      return { creates: has(O_CREAT), empties: has(O_TRUNC), appends: has(O_APPEND) };
    }
    const letters = typeof flags === 'string' ? flags : 'r';
    const [writes, appends] = [letters.includes('w'), letters.includes('a')];
    return { creates: writes || appends, empties: writes, appends };
  }
}

/** Node's number of an open file, given as such or as a file handle. */
function numberOf(file: unknown): number {
  return typeof file === 'number' ? file : (file as FileSystem.promises.FileHandle).fd;
}

/** How much was written. */
function lengthOf(result: unknown): number {
  return typeof result === 'number' ? result : (result as { bytesWritten: number }).bytesWritten;
}

function bytesOf(data: unknown): Buffer {
  if (!ArrayBuffer.isView(data)) throw new Error('neither text nor bytes were written');
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
