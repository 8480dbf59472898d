import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { fsyncSync } from 'node:fs';
import path from 'node:path';
import { flushFolderNow } from '../fsync.js';
import { JournalFlush } from './journal-flush.js';

/** A file or folder of the embedded database. */
type Place = object;

/** An open file of the embedded database; `nfd` is its file descriptor in Node. */
interface OpenFile {
  readonly nfd: number;
  readonly node: Place;
}

/** Changes of a file's attributes. */
interface Changes {
  readonly size?: number;
}

/** The parts of Emscripten's NODEFS, a file system on a folder, that are needed here. */
interface FolderFileSystem {
  readonly stream_ops: {
    fsync?: (file: OpenFile) => number;
    setattr: (file: OpenFile, changes: Changes) => unknown;
    write: (
      file: OpenFile,
      memory: ArrayBufferView,
      offset: number,
      length: number,
      ...where: unknown[]
    ) => number;
  };
  readonly node_ops: {
    mknod: (parent: Place, ...what: unknown[]) => unknown;
    rename: (from: Place, parent: Place, ...what: unknown[]) => unknown;
    unlink: (parent: Place, ...what: unknown[]) => unknown;
    rmdir: (parent: Place, ...what: unknown[]) => unknown;
    setattr: (place: Place, changes: Changes) => unknown;
  };
  /** The path on the real disk. */
  realPath(place: Place): string;
  tryFSOperation<T>(work: () => T): T;
}

/** A segment of PostgreSQL's journal (write-ahead log). */
const SEGMENT = /^[0-9A-F]{24}$/;
const JOURNAL = 'pg_wal';

/** Longer than what PostgreSQL writes at once when a table grows. */
const ZEROS = Buffer.alloc(64 * 1024);

/**
 * The folder of a database that survives a loss of power. It differs from PGlite's own NodeFS in three ways:
 *
 * - `fsync` flushes a file to the disk; in NodeFS it does nothing. PostgreSQL must be told to call it, see
 *   {@link DURABLE_SETTINGS}.
 * - The journal is flushed later, and once for several commits. A statement may be answered after {@link flush} has
 *   resolved. Before any other file changes, the journal is flushed at once (write-ahead logging).
 * - The names of new, renamed and removed files are on the disk before the journal mentions them. PostgreSQL leaves
 *   that to the file system. If a file system keeps a later name and loses an earlier one, PostgreSQL finds files at
 *   its next start that must not be there yet, and refuses to start.
 */
export class DurableFolder extends NodeFS {
  private readonly journal = new JournalFlush();

  override async init(
    pglite: PGlite,
    given: Parameters<NodeFS['init']>[1],
  ): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, given);
    const preRun = [
      ...(emscriptenOpts.preRun ?? []),
      ({ NODEFS }: { readonly NODEFS: unknown }) => {
        const fileSystem = NODEFS as FolderFileSystem;
        flushNamesFirst(fileSystem);
        flushJournalTogether(fileSystem, this.journal);
      },
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }

  /** Resolves when the disk has all that was committed until now. After a rejection the database must not be used. */
  flush(): Promise<void> {
    return this.journal.flush();
  }

  override async closeFs(): Promise<void> {
    this.journal.close();
    await super.closeFs();
  }
}

/** Before each write to the journal, flushes the folders in which a file was made, renamed or removed. */
function flushNamesFirst(fileSystem: FolderFileSystem): void {
  const changed = new Set<string>();
  const { node_ops: names, stream_ops: files } = fileSystem;
  const { mknod, rename, unlink, rmdir } = names;
  const note = (folder: Place): void => {
    changed.add(fileSystem.realPath(folder));
  };
  names.mknod = (parent, ...what) => {
    note(parent);
    return mknod(parent, ...what);
  };
  // The new folder is enough: PostgreSQL renames only within one folder.
  names.rename = (from, parent, ...what) => {
    note(parent);
    return rename(from, parent, ...what);
  };
  names.unlink = (parent, ...what) => {
    note(parent);
    return unlink(parent, ...what);
  };
  names.rmdir = (parent, ...what) => {
    note(parent);
    return rmdir(parent, ...what);
  };
  const { write } = files;
  files.write = (file, ...what) => {
    if (changed.size > 0 && isOfJournal(fileSystem.realPath(file.node))) {
      fileSystem.tryFSOperation(() => {
        for (const folder of changed) {
          // A folder that has been removed since is skipped; its parent folder is also in the set.
          flushFolderNow(folder);
          changed.delete(folder);
        }
      });
    }
    return write(file, ...what);
  };
}

/**
 * Leaves the flush of a segment to `journal`, and flushes all other files at once. PostgreSQL believes that the segment
 * is flushed when `fsync` returns, and changes other files after that. So it is flushed before each such change.
 */
function flushJournalTogether(fileSystem: FolderFileSystem, journal: JournalFlush): void {
  const { node_ops: names, stream_ops: files } = fileSystem;
  const { mknod, rename, unlink, rmdir, setattr } = names;
  const { write, setattr: setattrOfOpen } = files;
  // `tryFSOperation` turns an error of Node into one that PostgreSQL understands; PostgreSQL then stops.
  const flushFirst = (): void => {
    fileSystem.tryFSOperation(() => {
      journal.flushNow();
    });
  };
  files.fsync = ({ nfd, node }) =>
    fileSystem.tryFSOperation(() => {
      const file = fileSystem.realPath(node);
      if (isOfJournal(file) && SEGMENT.test(path.basename(file))) {
        journal.request(file);
      } else {
        fsyncSync(nfd);
      }
      return 0;
    });
  files.write = (file, memory, offset, length, ...where) => {
    // A table grows by zeros, which need no journal.
    if (!isOfJournal(fileSystem.realPath(file.node)) && !isZeros(memory, offset, length)) {
      flushFirst();
    }
    return write(file, memory, offset, length, ...where);
  };
  const afterFlush =
    <Args extends unknown[], Result>(change: (...args: Args) => Result) =>
    (...args: Args): Result => {
      flushFirst();
      return change(...args);
    };
  names.mknod = afterFlush(mknod);
  names.rename = afterFlush(rename);
  names.unlink = afterFlush(unlink);
  names.rmdir = afterFlush(rmdir);
  names.setattr = afterFlush(setattr);
  files.setattr = afterFlush(setattrOfOpen);
}

function isOfJournal(file: string): boolean {
  return path.basename(path.dirname(file)) === JOURNAL;
}

function isZeros(memory: ArrayBufferView, offset: number, length: number): boolean {
  return (
    length <= ZEROS.length &&
    ZEROS.compare(
      new Uint8Array(memory.buffer, memory.byteOffset + offset, length),
      0,
      length,
      0,
      length,
    ) === 0
  );
}

/** Settings with which a commit is answered only once it is on the disk. PGlite has `fsync`, but no `fdatasync`. */
export const DURABLE_SETTINGS: readonly string[] = [
  ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'full_page_writes=on'],
  ...['-c', 'wal_sync_method=fsync'],
];
