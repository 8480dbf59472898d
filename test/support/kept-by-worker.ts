import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

/*
 * Every test file has modules and globals of its own, so whatever a module keeps is made anew in each. What is kept here is
 * made once in each process that runs tests, and the test environment (environment.ts) hands it to them. None of it can
 * be changed by a test, or a test could harm the next.
 */

/** What PGlite is made of. */
export interface PgliteParts {
  /** Compiled and kept here once, so that V8 does not compile the same bytes anew, whoever asks. */
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly fsBundle: Blob;
}

/** A folder's content: where each folder and file stands in it, and the bytes of all files one after the other. */
export interface FolderContent {
  readonly folders: readonly string[];
  readonly files: readonly { readonly name: string; readonly from: number; readonly to: number }[];
  /** To be copied before use. */
  readonly bytes: Uint8Array;
}

export interface KeptByWorker {
  pgliteParts(): Promise<PgliteParts>;
  /** The content of a folder that nobody changes. */
  folderContent(folder: string): Promise<FolderContent>;
}

declare global {
  // Handed over by the test environment; undefined elsewhere.
  var keptByWorker: KeptByWorker | undefined;
}

let parts: Promise<PgliteParts> | undefined;
const contents = new Map<string, Promise<FolderContent>>();

export const keptByWorker: KeptByWorker = {
  pgliteParts: () => (parts ??= loadParts()),
  folderContent: (folder) => {
    const content = contents.get(folder) ?? readFolder(folder);
    contents.set(folder, content);
    return content;
  },
};

async function loadParts(): Promise<PgliteParts & { readonly module: WebAssembly.Module }> {
  const require = createRequire(path.join(process.cwd(), 'package.json'));
  const folder = path.dirname(require.resolve('@electric-sql/pglite'));
  const read = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
    Uint8Array.from(await readFile(path.join(folder, name)));
  const wasm = await read('pglite.wasm');
  const bundle = (await read('pglite.data')).buffer;
  return {
    wasm,
    module: await WebAssembly.compile(wasm),
    // PGlite asks for nothing but the bytes, which a Blob would copy piece by piece each time.
    fsBundle: { arrayBuffer: () => Promise.resolve(bundle) } as Blob,
  };
}

async function readFolder(root: string): Promise<FolderContent> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const nameOf = ({ parentPath, name }: (typeof entries)[number]): string =>
    path.relative(root, path.join(parentPath, name));
  const folders = entries.filter((entry) => entry.isDirectory()).map(nameOf);
  const files = [];
  const pieces: Buffer[] = [];
  let from = 0;
  for (const entry of entries.filter((found) => found.isFile())) {
    const piece = await readFile(path.join(root, nameOf(entry)));
    files.push({ name: nameOf(entry), from, to: from + piece.length });
    pieces.push(piece);
    from += piece.length;
  }
  return { folders: folders.sort(), files, bytes: Uint8Array.from(Buffer.concat(pieces)) };
}
