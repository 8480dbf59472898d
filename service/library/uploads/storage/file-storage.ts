import { FileStore } from '@tus/file-store';
import type { Upload } from '@tus/server';
import { constants, mkdirSync, type Stats } from 'node:fs';
import {
  mkdir,
  open,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { systemErrorCode } from '../../../kernel/errors.js';
import { flushFolder } from '../../../kernel/fsync.js';
import { FsyncBatcher } from '../../../kernel/fsync-batcher.js';
import { BoundedMap } from '../../../kernel/bounded-map.js';
import { readThrough, type FileContent } from '../digests.js';
import { TusError } from '../tus-error.js';
import type { StoredUpload } from '../upload.js';
import { appendDurably, durableOffset } from './durable-offset.js';
import type { UploadRepository } from '../repository/upload-repository.js';
import {
  EXTENSIONS,
  PREVIEW_VARIANTS,
  pagesFolder,
  previewKey,
  toUpload,
  type ByteRange,
  type PreviewVariant,
  type ThumbnailVariant,
  type UploadStorage,
  type Variant,
} from './upload-storage.js';

/** How many bytes are read at once when a whole file is read. */
const PIECE_BYTES = 1024 * 1024;

/**
 * For how many unfinished uploads the end is kept, some 200 bytes each. When another process ends an upload, this one gets
 * no notification.
 */
const MAX_OWN_ENDS = 10_000;

/** Creates a missing file, and does not truncate an existing one. */
const MAKE_OR_CHANGE = constants.O_RDWR | constants.O_CREAT;

/**
 * The tus file store over our table of uploads: the database describes an upload, and its bytes are in a file
 * named by its id, so that no name from outside ever becomes part of a path.
 *
 * The row is written first. The file is made when the first bytes come, and is never truncated to make it: neither a
 * crash in between nor a repeated creation costs a byte.
 */
export class FileStorage extends FileStore implements UploadStorage {
  private readonly records: UploadRepository;
  private readonly names: FsyncBatcher;
  private folderFlushed: Promise<void> | undefined;
  /**
   * By upload id, how many bytes of an unfinished upload this process has checked or written itself. These are sure,
   * whatever the clocks of this machine and of its disk say.
   */
  private readonly ownEnds = new BoundedMap<number>(MAX_OWN_ENDS);

  constructor(directory: string, records: UploadRepository) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    super({
      directory,
      configstore: {
        get: async (id) => {
          const record = await records.find(id);
          return record && toUpload(record);
        },
        // creation.ts writes the row, with the caller and the name.
        set: () => Promise.resolve(),
        delete: (id) => records.remove(id),
      },
    });
    this.extensions = EXTENSIONS;
    this.records = records;
    this.names = new FsyncBatcher(() => flushFolder(directory));
  }

  /** Nothing to do: the start has written to the data folder, and the constructor has made the folder for uploads. */
  check(): Promise<void> {
    return Promise.resolve();
  }

  /** The first bytes make the file. */
  override create(upload: Upload): Promise<Upload> {
    return Promise.resolve(upload);
  }

  /**
   * The caller must hold the lock of the upload. Cuts off the end of the file that a loss of power may have left
   * without the bytes that were sent.
   * @throws {TusError} 404 when the upload does not exist.
   */
  override async getUpload(id: string): Promise<Upload> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusError(404, 'the upload does not exist');
    }
    if (record.finishedAt !== undefined) {
      return super.getUpload(id);
    }
    const stats = await this.statsOf(id);
    const sure = this.sureOf(id, stats);
    if (stats !== undefined && sure < stats.size) {
      await truncate(this.file(id), sure);
      this.ownEnds.set(id, sure);
    }
    return toUpload(record, sure);
  }

  /** Like the store's own `write`, but the caller learns what went wrong: a full disk is not our fault. */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    // A file that went missing in the middle of an upload must not be made again with a hole at its beginning.
    const file = await open(this.file(id), offset === 0 ? MAKE_OR_CHANGE : 'r+', 0o600);
    try {
      // The stream is destroyed below, with the error. Leaving the loop would destroy it without one.
      const pieces = stream.iterator({ destroyOnReturn: false });
      const end = await appendDurably(file, pieces, offset);
      this.ownEnds.set(id, end);
      return end;
    } catch (error) {
      stream.destroy(error as Error);
      this.ownEnds.set(id, (await file.stat()).size);
      throw error;
    } finally {
      await file.close();
    }
  }

  override async remove(id: string): Promise<void> {
    await this.discard(id);
    await this.records.remove(id);
  }

  async discard(id: string): Promise<void> {
    for (const variant of PREVIEW_VARIANTS) {
      await rm(this.file(previewKey(id, variant)), { force: true });
    }
    await rm(this.file(pagesFolder(id)), { force: true, recursive: true });
    await rm(this.file(id), { force: true });
    this.ownEnds.delete(id);
  }

  async readRange(id: string, range: ByteRange): Promise<Readable> {
    const file = await open(this.file(id), 'r');
    try {
      if ((await file.stat()).size <= range.end) {
        throw new Error('the file of an upload is shorter than it was');
      }
      return file.createReadStream({ ...range });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async writePreview(
    id: string,
    bytes: Uint8Array,
    variant?: Variant<PreviewVariant>,
  ): Promise<void> {
    const file = this.file(previewKey(id, variant));
    if (typeof variant === 'object') {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, bytes, { mode: 0o600 });
      return;
    }
    await writeFile(file, bytes, { mode: 0o600, flush: true });
    await this.flushNames();
  }

  async readPreview(
    id: string,
    size: number,
    variant?: Variant<PreviewVariant>,
  ): Promise<Readable | undefined> {
    const file = previewKey(id, variant);
    const stats = await this.statsOf(file);
    return stats?.size === size ? this.readRange(file, { start: 0, end: size - 1 }) : undefined;
  }

  async readThumbnail(
    id: string,
    size: number,
    variant: Variant<ThumbnailVariant> = 'thumbnail',
  ): Promise<Buffer | undefined> {
    try {
      const bytes = await readFile(this.file(previewKey(id, variant)));
      return bytes.length === size ? bytes : undefined;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') {
        return undefined;
      }
      throw error;
    }
  }

  /** There are no strays: the row of an upload is written before its file. */
  removeOrphans(): Promise<void> {
    return Promise.resolve();
  }

  localFile(id: string): string {
    return this.file(id);
  }

  async received(id: string): Promise<number> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusError(404, 'the upload does not exist');
    }
    const stats = await this.statsOf(id);
    if (record.finishedAt === undefined) {
      return this.sureOf(id, stats);
    }
    // A finished upload was flushed completely. But the whole folder may be missing, or be the wrong one.
    if (stats === undefined) {
      throw new TusError(404, 'the file of this upload is gone');
    }
    return stats.size;
  }

  async contentIfComplete(record: StoredUpload): Promise<FileContent | undefined> {
    const stats = await this.statsOf(record.id);
    if (this.sureOf(record.id, stats) !== record.size) {
      return undefined;
    }
    // An empty upload has no file yet.
    const file = await open(this.file(record.id), record.size === 0 ? MAKE_OR_CHANGE : 'r+', 0o600);
    try {
      await file.sync();
      await this.flushNames();
      const content = await readThrough(piecesOf(file, record.size));
      this.ownEnds.delete(record.id);
      return content;
    } finally {
      await file.close();
    }
  }

  directUrl(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async settleDiscards(): Promise<void> {
    await this.names.flush();
  }

  /**
   * After a loss of power a file is found only if the folder that names it is on the disk, too. The folder itself is
   * made once, so its own name is flushed only once.
   */
  private async flushNames(): Promise<void> {
    this.folderFlushed ??= flushFolder(path.dirname(this.directory));
    await Promise.all([this.folderFlushed, this.names.flush()]);
  }

  /** How many bytes of an unfinished upload are surely here; 0 without a file. */
  private sureOf(id: string, stats: Stats | undefined): number {
    return stats === undefined
      ? 0
      : Math.max(durableOffset(stats), Math.min(this.ownEnds.get(id) ?? 0, stats.size));
  }

  /** The `stat` of an upload's file; undefined when the file is missing. */
  private async statsOf(id: string): Promise<Stats | undefined> {
    try {
      return await stat(this.file(id));
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') {
        return undefined;
      }
      throw error;
    }
  }

  private file(id: string): string {
    return path.join(this.directory, id);
  }
}

/** A whole file, piece by piece in the same memory: a read stream takes a third more processor time. */
async function* piecesOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array, void> {
  const memory = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(size, 1)));
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(memory, 0, memory.length, at);
    if (bytesRead === 0) {
      return;
    }
    yield memory.subarray(0, bytesRead);
    at += bytesRead;
  }
}
