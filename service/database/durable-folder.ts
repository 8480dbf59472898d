import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { fsyncSync } from 'node:fs';
import path from 'node:path';
import { flushFolderNow } from '../flush.js';

/** A file or folder of the embedded database. */
type Place = object;

/** An open file of the embedded database; `nfd` is Node's number of it. */
interface OpenFile {
  readonly nfd: number;
  readonly node: Place;
}

/** What of Emscripten's file system on a folder is needed here. */
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
  /** The path outside of the database. */
  realPath(place: Place): string;
  tryFSOperation<T>(work: () => T): T;
}

/** The folder of PostgreSQL's journal. */
const JOURNAL = 'pg_wal';

/**
 * A folder as PGlite's own NodeFS has it, but what PostgreSQL flushes reaches the disk: there, `fsync` does nothing.
 * PostgreSQL must be told to use it, see {@link DURABLE_SETTINGS}.
 *
 * And the names of new and removed files are on the disk before its journal speaks of them. PostgreSQL leaves that to the
 * file system; where one keeps a later name and not an earlier one, it finds files at its next start that must not be
 * there yet, and refuses to start.
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
        // Turns what goes wrong into what PostgreSQL understands; it stops then.
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

/** Flushes folders whose names have changed before anything is written to the journal. */
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
  // PostgreSQL renames within a folder only.
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
          // A folder may have been removed meanwhile, which is a name in another one.
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

/** Settings by which a commit is answered when it is on the disk. PGlite knows `fsync`, but not `fdatasync`. */
export const DURABLE_SETTINGS: readonly string[] = [
  ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'full_page_writes=on'],
  ...['-c', 'wal_sync_method=fsync'],
];
