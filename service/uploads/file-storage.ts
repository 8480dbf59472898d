import { FileStore } from '@tus/file-store';
import type { Upload } from '@tus/server';
import { constants, mkdirSync, type Stats } from 'node:fs';
import { open, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { systemErrorCode } from '../errors.js';
import { flushFolder } from '../flush.js';
import { FlushTogether } from '../flush-together.js';
import { readThrough, type FileContent } from './digests.js';
import { TusAnswer } from './tus-answer.js';
import type { StoredUpload } from './stored-upload.js';
import { appendSurely, sureBytes } from './sure-bytes.js';
import type { UploadTable } from './upload-table.js';
import { EXTENSIONS, toUpload, type ByteRange, type UploadStorage } from './upload-storage.js';

/** Most that is read at once of a file that is looked at from its beginning to its end. */
const PIECE_BYTES = 1024 * 1024;

/** Makes a missing file, and leaves one as it is that is there. */
const MAKE_OR_CHANGE = constants.O_RDWR | constants.O_CREAT;

/**
 * The tus file store over our table of uploads: what an upload is stands in the database, its bytes
 * in a file named by its id, so that no name from outside ever becomes part of a path.
 *
 * A row is written before its file, which is made when bytes come, without truncating it: neither a crash in between
 * nor a repeated creation costs a byte.
 */
export class FileStorage extends FileStore implements UploadStorage {
  private readonly records: UploadTable;
  private readonly names: FlushTogether;
  private folderFlushed: Promise<void> | undefined;
  /**
   * How much of unfinished uploads this process has found or written itself: that is sure whatever the clocks of this
   * machine and of its disk say.
   */
  private readonly ownEnds = new Map<string, number>();

  constructor(directory: string, records: UploadTable) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    super({
      directory,
      configstore: {
        get: async (id) => {
          const record = await records.find(id);
          return record && toUpload(record);
        },
        // The row is written where a creation is accepted, with the caller and the name.
        set: () => Promise.resolve(),
        delete: (id) => records.remove(id),
      },
    });
    this.extensions = EXTENSIONS;
    this.records = records;
    this.names = new FlushTogether(() => flushFolder(directory));
  }

  /** The first bytes make the file. */
  override create(upload: Upload): Promise<Upload> {
    return Promise.resolve(upload);
  }

  /** For who holds the lock of the upload: takes away what a loss of power may have left of bytes that never came. */
  override async getUpload(id: string): Promise<Upload> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusAnswer(404, 'there is no such upload');
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

  /** As the store's own does, but says what went wrong: a full disk is no fault of ours. */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    // One that is missing in the middle must not come back with nothing before its bytes.
    const file = await open(this.file(id), offset === 0 ? MAKE_OR_CHANGE : 'r+', 0o600);
    try {
      // Whoever feeds the stream is told why it ends: leaving the loop alone would end it without a word.
      const pieces = stream.iterator({ destroyOnReturn: false });
      const end = await appendSurely(file, pieces, offset);
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

  /** There are none: a file has the id of a row that was written before it. */
  removeStrays(): Promise<void> {
    return Promise.resolve();
  }

  localFile(id: string): string {
    return this.file(id);
  }

  async received(id: string): Promise<number> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusAnswer(404, 'there is no such upload');
    }
    const stats = await this.statsOf(id);
    if (record.finishedAt === undefined) {
      return this.sureOf(id, stats);
    }
    // All of a finished upload was flushed. A folder of files may be missing all the same, or be another one.
    if (stats === undefined) {
      throw new TusAnswer(404, 'the file of this upload is gone');
    }
    return stats.size;
  }

  async contentIfComplete(record: StoredUpload): Promise<FileContent | undefined> {
    const stats = await this.statsOf(record.id);
    if (this.sureOf(record.id, stats) !== record.size) {
      return undefined;
    }
    // Of an empty one nothing has come yet.
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

  async settleDiscards(): Promise<void> {
    await this.names.flush();
  }

  /**
   * After a loss of power a file is found only if the folder that names it is on the disk, too. The folder itself is
   * made once.
   */
  private async flushNames(): Promise<void> {
    this.folderFlushed ??= flushFolder(path.dirname(this.directory));
    await Promise.all([this.folderFlushed, this.names.flush()]);
  }

  /** How many bytes of an unfinished upload are here; of one without a file there are none. */
  private sureOf(id: string, stats: Stats | undefined): number {
    return stats === undefined
      ? 0
      : Math.max(sureBytes(stats), Math.min(this.ownEnds.get(id) ?? 0, stats.size));
  }

  /** What is known of the file of an upload; nothing of one that is missing. */
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

/** All of a file, in the same memory piece after piece: a read stream takes a third more of the processor. */
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
