import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { fsyncSync } from 'node:fs';
import path from 'node:path';
import { flushFolderNow } from '../fsync.js';

/** A file or folder of the embedded database. */
type Place = object;

/** An open file of the embedded database; `nfd` is its file descriptor in Node. */
interface OpenFile {
  readonly nfd: number;
  readonly node: Place;
}

/** The parts of Emscripten's NODEFS, a file system on a folder, that are needed here. */
interface FolderFileSystem {
  readonly stream_ops: {
    fsync?: (file: OpenFile) => number;
    write: (file: OpenFile, ...what: unknown[]) => number;
  };
  readonly node_ops: {
    mknod: (parent: Place, ...what: unknown[]) => unknown;
    rename: (from: Place, parent: Place, ...what: unknown[]) => unknown;
    unlink: (parent: Place, ...what: unknown[]) => unknown;
    rmdir: (parent: Place, ...what: unknown[]) => unknown;
  };
  /** The path on the real disk. */
  realPath(place: Place): string;
  tryFSOperation<T>(work: () => T): T;
}

/** The folder of PostgreSQL's journal (write-ahead log). */
const JOURNAL = 'pg_wal';

/**
 * The folder of a database that survives a loss of power. It differs from PGlite's own NodeFS in two ways:
 *
 * - `fsync` flushes a file to the disk; in NodeFS it does nothing. PostgreSQL must be told to call it, see
 *   {@link DURABLE_SETTINGS}.
 * - The names of new, renamed and removed files are on the disk before the journal mentions them. PostgreSQL leaves
 *   that to the file system. If a file system keeps a later name and loses an earlier one, PostgreSQL finds files at
 *   its next start that must not be there yet, and refuses to start.
 */
export class DurableFolder extends NodeFS {
  override async init(
    pglite: PGlite,
    given: Parameters<NodeFS['init']>[1],
  ): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, given);
    const preRun = [
      ...(emscriptenOpts.preRun ?? []),
      ({ NODEFS }: { readonly NODEFS: unknown }) => {
        const fileSystem = NODEFS as FolderFileSystem;
        // `tryFSOperation` turns an error of Node into one that PostgreSQL understands; PostgreSQL then stops.
        fileSystem.stream_ops.fsync = ({ nfd }) =>
          fileSystem.tryFSOperation(() => {
            fsyncSync(nfd);
            return 0;
          });
        flushNamesFirst(fileSystem);
      },
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
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

function isOfJournal(file: string): boolean {
  return path.basename(path.dirname(file)) === JOURNAL;
}

/** Settings with which a commit is answered only once it is on the disk. PGlite has `fsync`, but no `fdatasync`. */
export const DURABLE_SETTINGS: readonly string[] = [
  ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'full_page_writes=on'],
  ...['-c', 'wal_sync_method=fsync'],
];
