import type { ByteSource } from '../../../packages/image-metadata/index.js';
import type { FolderTree } from '../../host/folders.js';
import { SIDECAR } from './local-photos.js';
import { inMemory } from './rewriting.js';

/** Longest sidecar, and longest XMP of another file, that is read. Bytes. */
export const MAX_XMP_BYTES = 8 * 1024 * 1024;

/** The bytes of a file, until it is closed. */
export interface FileContent extends ByteSource {
  /** Never rejects. */
  close(): Promise<void>;
}

/** Opens a file. Null when there is none. @throws {CwError} CW-602, CW-703 */
export async function openContent(tree: FolderTree, path: string): Promise<FileContent | null> {
  if (SIDECAR.test(path)) {
    const bytes = await tree.read(path, MAX_XMP_BYTES);
    return bytes && inMemory(bytes);
  }
  return (await tree.stat(path)) && tree.open(path);
}
