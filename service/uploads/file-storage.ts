import { FileStore } from '@tus/file-store';
import type { Upload } from '@tus/server';
import { createWriteStream, mkdirSync } from 'node:fs';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemErrorCode } from '../errors.js';
import { digestsOf, type AllDigests } from './digests.js';
import { TusAnswer } from './tus-answer.js';
import type { StoredUpload } from './stored-upload.js';
import type { UploadTable } from './upload-table.js';
import { EXTENSIONS, toUpload, type ByteRange, type UploadStorage } from './upload-storage.js';

/** Most that is read at once of a file that is looked at from its beginning to its end. */
const PIECE_BYTES = 1024 * 1024;

/**
 * The tus file store over our table of uploads: what an upload is stands in the database, its bytes
 * in a file named by its id, so that no name from outside ever becomes part of a path.
 *
 * A row is written before its file. The file is made without truncating whenever it is found to be
 * missing, so that neither a crash in between nor a repeated creation costs a byte.
 */
export class FileStorage extends FileStore implements UploadStorage {
  private readonly records: UploadTable;

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
  }

  override async create(upload: Upload): Promise<Upload> {
    await this.ensureFile(upload.id);
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusAnswer(404, 'there is no such upload');
    }
    if (record.finishedAt === undefined) {
      await this.ensureFile(id);
    }
    return super.getUpload(id);
  }

  /** As the store's own does, but says what went wrong: a full disk is no fault of ours. */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const file = createWriteStream(this.file(id), { flags: 'r+', start: offset });
    await pipeline(stream, file);
    return offset + file.bytesWritten;
  }

  override async remove(id: string): Promise<void> {
    await this.discard(id);
    await this.records.remove(id);
  }

  async discard(id: string): Promise<void> {
    await rm(this.file(id), { force: true });
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

  localFile(id: string): string {
    return this.file(id);
  }

  async received(id: string): Promise<number> {
    return (await this.getUpload(id)).offset;
  }

  async digestsIfComplete(record: StoredUpload): Promise<AllDigests | undefined> {
    if ((await this.sizeOf(record.id)) !== record.size) {
      return undefined;
    }
    await this.ensureFile(record.id);
    const file = await open(this.file(record.id), 'r+');
    try {
      await file.sync();
      return await digestsOf(piecesOf(file, record.size));
    } finally {
      await file.close();
    }
  }

  /** How many bytes the file of an upload has; one that is missing has none. */
  private async sizeOf(id: string): Promise<number> {
    try {
      return (await stat(this.file(id))).size;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') {
        return 0;
      }
      throw error;
    }
  }

  /** Opens for appending, which makes a missing file and leaves an existing one as it is. */
  private async ensureFile(id: string): Promise<void> {
    const exists = await stat(this.file(id)).then(
      () => true,
      () => false,
    );
    if (!exists) {
      await (await open(this.file(id), 'a', 0o600)).close();
    }
  }

  private file(id: string): string {
    return path.join(this.directory, id);
  }
}

/** All of a file, in the same memory piece after piece: a read stream takes a third more of the processor. */
async function* piecesOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array, void> {
  const memory = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(size, 1)));
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(memory, 0, memory.length, at);
    if (bytesRead === 0) {
      return;
    }
    yield memory.subarray(0, bytesRead);
    at += bytesRead;
  }
}
