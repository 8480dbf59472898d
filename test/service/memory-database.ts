import { MemoryFS, PGlite } from '@electric-sql/pglite';
import { keptByWorker as ownKept, type FolderContent } from '../support/kept-by-worker.js';

/** Where PGlite keeps its data. */
const DATA = '/pglite/data';

/** What is used here of Emscripten's files, whose types are a package of their own. */
interface EmscriptenFiles {
  mkdirTree(path: string): void;
  mkdir(path: string): void;
  /** @param options canOwn: the bytes are taken as they are, without a copy */
  writeFile(path: string, bytes: Uint8Array, options: { readonly canOwn: boolean }): void;
}

/** Files in memory that begin as a copy of a folder's. */
class CopyInMemory extends MemoryFS {
  constructor(private readonly content: FolderContent) {
    super('copy');
  }

  override initialSyncFs(): Promise<void> {
    const files = this.pg?.Module.FS as EmscriptenFiles | undefined;
    if (files === undefined) throw new Error('PGlite has no files yet');
    files.mkdirTree(DATA);
    for (const folder of this.content.folders) files.mkdir(`${DATA}/${folder}`);
    const bytes = this.content.bytes.slice();
    for (const { name, from, to } of this.content.files)
      files.writeFile(`${DATA}/${name}`, bytes.subarray(from, to), { canOwn: true });
    return Promise.resolve();
  }
}

/** The module of this file's own world; V8 finds it compiled. */
let compiled: Promise<WebAssembly.Module> | undefined;

/** Opens a copy, in memory, of the embedded database that lies in `folder`, which nobody may change. */
export async function openCopyInMemory(folder: string): Promise<PGlite> {
  const kept = globalThis.keptByWorker ?? ownKept;
  const { wasm, fsBundle } = await kept.pgliteParts();
  compiled ??= WebAssembly.compile(wasm);
  const fs = new CopyInMemory(await kept.folderContent(folder));
  return PGlite.create({ pgliteWasmModule: await compiled, fsBundle, fs });
}
