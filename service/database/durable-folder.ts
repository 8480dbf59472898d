import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { fsyncSync } from 'node:fs';

/** An open file of the embedded database; `nfd` is Node's number of it. */
interface OpenFile {
  readonly nfd: number;
}

/** What of Emscripten's file system on a folder is needed here. */
interface FolderFileSystem {
  stream_ops: { fsync?: (file: OpenFile) => number };
  tryFSOperation<T>(work: () => T): T;
}

/**
 * A folder as PGlite's own NodeFS has it, but what PostgreSQL flushes reaches the disk: there, `fsync` does nothing.
 * PostgreSQL must be told to use it, see {@link DURABLE_SETTINGS}.
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
        fileSystem.stream_ops.fsync = ({ nfd }) =>
          // Turns what goes wrong into what PostgreSQL understands; it stops then.
          fileSystem.tryFSOperation(() => {
            fsyncSync(nfd);
            return 0;
          });
      },
    ];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

/** Settings by which a commit is answered when it is on the disk. PGlite knows `fsync`, but not `fdatasync`. */
export const DURABLE_SETTINGS: readonly string[] = [
  ...['-c', 'fsync=on', '-c', 'synchronous_commit=on', '-c', 'full_page_writes=on'],
  ...['-c', 'wal_sync_method=fsync'],
];
