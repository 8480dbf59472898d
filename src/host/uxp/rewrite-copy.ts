import crc32c from 'crc-32/crc32c.js';
import {
  planMetadata,
  UnwritableError,
  type ByteSource,
  type MetadataChanges,
} from '../../../packages/image-metadata/index.js';
import { CwError } from '../../util/errors.js';
import type { StorageRetry } from '../storage-retry.js';
import { getEntry } from './data-folder.js';
import { type FileEntry, type FolderEntry, type PluginFs, isFileEntry } from './files.js';

/** How much is in memory at a time. Bytes. */
const CHUNK_BYTES = 1024 * 1024;

/** A file in the data folder, which is read and written by `fs`. */
export interface FileInFolder {
  readonly folder: FolderEntry;
  /** The folder's path for `fs`. */
  readonly path: string;
  readonly file: FileEntry;
}

/** Reads `start` (included) to `end` (excluded) of an open file. @throws {CwError} CW-607, CW-702 */
export type ReadSlice = (fd: number, start: number, end: number) => Promise<ArrayBuffer>;

/**
 * Writes a file again with changed metadata, and deletes the first one. After a kill there are one or two files, but never
 * only a part of one.
 * @returns the new file, with the CRC-32C of its bytes
 * @throws {CwError} CW-810 when its metadata cannot be changed
 * @throws {unknown} what the host throws last
 */
export async function rewriteCopy(
  { folder, path, file }: FileInFolder,
  changes: MetadataChanges,
  fs: PluginFs,
  readSlice: ReadSlice,
  retry: StorageRetry,
): Promise<{ readonly file: FileEntry; readonly crc32c: number }> {
  const { size } = await retry.run(() => file.getMetadata());
  const name = `rewritten-${file.name}`;
  const from = await retry.run(() => fs.open(`${path}/${file.name}`, 'r'));
  let crc = 0;
  try {
    const read: ByteSource['read'] = async (start, end) =>
      new Uint8Array(await readSlice(from, start, end));
    const { source, pieces } = await planMetadata({ size, read }, changes).catch(unchangeable);
    const to = await retry.run(() => fs.open(`${path}/${name}`, 'w'));
    try {
      let at = 0;
      const write = async (bytes: Uint8Array<ArrayBuffer>): Promise<void> => {
        crc = crc32c.buf(bytes, crc);
        for (let written = 0; written < bytes.length;) {
          const { buffer, byteOffset, length } = bytes.subarray(written);
          const place = at;
          const { bytesWritten } = await retry.run(() =>
            fs.write(to, buffer, byteOffset, length, place),
          );
          if (bytesWritten <= 0) {
            throw new Error('nothing was written');
          }
          written += bytesWritten;
          at += bytesWritten;
        }
      };
      for (const piece of pieces) {
        if (piece instanceof Uint8Array) {
          await write(piece.slice());
        } else {
          for (let start = piece.from; start < piece.to; start += CHUNK_BYTES) {
            const end = Math.min(piece.to, start + CHUNK_BYTES);
            await write(new Uint8Array(await source.read(start, end)));
          }
        }
      }
    } finally {
      await fs.close(to).catch(() => undefined);
    }
  } finally {
    await fs.close(from).catch(() => undefined);
  }
  await retry.run(() => file.delete());
  const rewritten = await getEntry(folder, name);
  if (!rewritten || !isFileEntry(rewritten)) {
    throw new Error('the rewritten copy is gone');
  }
  return { file: rewritten, crc32c: crc >>> 0 };
}

/** @throws {CwError} CW-810 for metadata that cannot be changed safely */
function unchangeable(error: unknown): never {
  throw error instanceof UnwritableError
    ? new CwError('CW-810', `the metadata of the copy cannot be changed: ${error.message}`)
    : error;
}
