import { S3Store } from '@tus/s3-store';
import { ERRORS, Upload } from '@tus/server';
import type { ListMultipartUploadsCommandInput } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { UnavailableError } from '../errors.js';
import type { S3Options } from '../options.js';
import { readThrough, type FileContent } from './digests.js';
import { bytesOf, S3_TIMES, tellAway } from './s3-away.js';
import { TusAnswer } from './tus-answer.js';
import type { StoredUpload } from './stored-upload.js';
import type { UploadTable } from './upload-table.js';
import {
  EXTENSIONS,
  toUpload,
  type ByteRange,
  type StraySearch,
  type UploadStorage,
} from './upload-storage.js';

/**
 * Connections to the storage at the same time: far more than the uploads need, as each download that is read slowly
 * holds one.
 */
const MAX_CONNECTIONS = 1024;

/** Parts of one request that are on their way to the storage, or being filled, at the same time. */
const PARTS_PER_REQUEST = 4;

/** What the SDK would tell on the console is in the errors that it throws. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const MISSING = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload']);

/**
 * Keeps uploads in S3-compatible storage, by the store of the tus project: a multipart upload per
 * file, under the upload's id, and an object `<id>.info` beside it. The rules are those of
 * file-storage.ts: the row in the database comes first, and what is missing here is made when it is
 * needed.
 */
export class S3Storage extends S3Store implements UploadStorage {
  private readonly records: UploadTable;

  constructor(options: S3Options, records: UploadTable) {
    const { bucket, region, endpoint, credentials } = options;
    const checksums =
      (options.checksums ?? endpoint === undefined) ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
    super({
      s3ClientConfig: {
        bucket,
        region,
        requestChecksumCalculation: checksums,
        responseChecksumValidation: checksums,
        logger: SILENT,
        // Whoever asked us is told to come again; a storage that says nothing must not take much longer than that.
        maxAttempts: 2,
        requestHandler: {
          ...S3_TIMES,
          httpAgent: { maxSockets: MAX_CONNECTIONS },
          httpsAgent: { maxSockets: MAX_CONNECTIONS },
        },
        ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
        ...(credentials !== undefined && { credentials: { ...credentials } }),
      },
    });
    tellAway(this.client);
    this.extensions = EXTENSIONS;
    this.records = records;
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusAnswer(404, 'there is no such upload');
    }
    if (!(await this.hasBegun(id))) {
      if (record.finishedAt !== undefined && record.size > 0) {
        throw new TusAnswer(404, 'the storage has lost this upload');
      }
      return toUpload(record);
    }
    const upload = await this.look(id);
    upload.metadata = record.metadata;
    return upload;
  }

  /**
   * Does nothing: the first bytes begin the upload in parts. These come one request at a time; creations do not, and
   * two uploads in parts for one id would each have some of its bytes.
   */
  override create(upload: Upload): Promise<Upload> {
    return Promise.resolve(upload);
  }

  /**
   * As the store's own does, but with a bound on parts of this request instead of one for all requests: a
   * part is counted from its first byte on, so that slow senders would take all the places of the others.
   */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    if (!(await this.hasBegun(id))) {
      await this.begin(id);
    }
    try {
      return await this.writeParts(stream, id, offset);
    } catch (error) {
      if (isMissing(error)) {
        // Another process has put it together, or the answer to that was lost: asking again tells how far it is.
        throw new UnavailableError('the upload in parts has ended', undefined, { cause: error });
      }
      throw error;
    }
  }

  override async remove(id: string): Promise<void> {
    await this.discard(id);
    await this.records.remove(id);
  }

  /**
   * Object by object: a request for several needs a checksum that not every S3-compatible server knows. The one with
   * what the store knows of the upload goes last, so that being cut off before leaves nothing that is not found again.
   */
  async discard(id: string): Promise<void> {
    await this.abortParts(id);
    await Promise.all([
      this.deleteObject(this.partKey(id)),
      // The last bytes of an interrupted request.
      this.deleteObject(this.partKey(id, true)),
    ]);
    await this.deleteObject(this.infoKey(id));
    await this.clearCache(id);
  }

  /** The storage's own business. */
  settleDiscards(): Promise<void> {
    return Promise.resolve();
  }

  async readRange(id: string, { start, end }: ByteRange): Promise<Readable> {
    const { Body, ContentLength } = await this.client.getObject({
      Bucket: this.bucket,
      Key: id,
      Range: `bytes=${start}-${end}`,
    });
    if (!(Body instanceof Readable)) {
      throw new Error('the storage sent no bytes');
    }
    if (ContentLength !== end - start + 1) {
      Body.destroy();
      throw new Error('the storage sent other bytes than it was asked for');
    }
    return Body;
  }

  /** Gives up uploads in parts that were begun and never noted, since the process was killed in between. */
  async removeStrays(
    { before, unfinished }: StraySearch,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let place: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | undefined;
    do {
      const page = await this.client.listMultipartUploads({ Bucket: this.bucket, ...place });
      const old = (page.Uploads ?? []).filter(
        ({ Key, Initiated }) =>
          isUploadId(Key ?? '') && Initiated !== undefined && Initiated < before,
      );
      const wanted = await unfinished(old.map(({ Key }) => Key ?? ''));
      for (const { Key = '', UploadId } of old) {
        if (signal?.aborted === true) {
          return;
        }
        if (!wanted.has(Key)) {
          await this.abort(Key, UploadId);
        }
      }
      place =
        page.IsTruncated === true
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined;
    } while (place !== undefined);
  }

  localFile(): undefined {
    return undefined;
  }

  async received(id: string): Promise<number> {
    return (await this.getUpload(id)).offset;
  }

  async contentIfComplete(record: StoredUpload): Promise<FileContent | undefined> {
    if ((await this.sizeOf(record.id)) !== record.size) {
      return undefined;
    }
    if (record.size === 0) {
      return readThrough(Readable.from([]));
    }
    const object = await this.read(record.id).catch((error: unknown) => {
      if (isMissing(error)) {
        return undefined;
      }
      throw error;
    });
    return readThrough(bytesOf(object ?? (await this.putTogether(record))));
  }

  /** All parts are there, but a crash came before they were put together: writing nothing does it. */
  private async putTogether({ id, size }: StoredUpload): Promise<Readable> {
    await this.writeParts(Readable.from([]), id, size).catch((error: unknown) => {
      // Another process was faster.
      if (!isMissing(error)) {
        throw error;
      }
    });
    return this.read(id);
  }

  /** The store's own way to write, with places for parts of this request alone. */
  private writeParts(stream: Readable, id: string, offset: number): Promise<number> {
    const own = Object.create(this, {
      partUploadSemaphore: { value: new Places(PARTS_PER_REQUEST) },
    }) as S3Store;
    return S3Store.prototype.write.call(own, stream, id, offset);
  }

  /** How many bytes of an upload are here. */
  private async sizeOf(id: string): Promise<number> {
    return (await this.hasBegun(id)) ? (await this.look(id)).offset : 0;
  }

  /** An upload that has begun. The store says of any trouble that there is no such upload. */
  private async look(id: string): Promise<Upload> {
    try {
      return await super.getUpload(id);
    } catch (error) {
      if (error === ERRORS.FILE_NOT_FOUND) {
        throw new UnavailableError('an upload that was there cannot be found');
      }
      throw error;
    }
  }

  /** Only "there is none" may lead to a new one: it would throw away what has arrived. */
  private async hasBegun(id: string): Promise<boolean> {
    try {
      await this.getMetadata(id);
      return true;
    } catch (error) {
      if (isMissing(error)) {
        return false;
      }
      throw error;
    }
  }

  /** Begins the upload in parts. Without the metadata, of which the store would make headers of the object. */
  private async begin(id: string): Promise<void> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusAnswer(404, 'there is no such upload');
    }
    await super.create(new Upload({ id, size: record.size, offset: 0 }));
  }

  /** Drops the parts that were not put together yet. */
  private async abortParts(id: string): Promise<void> {
    try {
      const { 'upload-id': uploadId } = await this.getMetadata(id);
      await this.abort(id, uploadId);
    } catch (error) {
      if (!isMissing(error)) {
        throw error;
      }
    }
  }

  private async abort(id: string, uploadId: string | undefined): Promise<void> {
    await this.client
      .abortMultipartUpload({ Bucket: this.bucket, Key: id, UploadId: uploadId })
      .catch((error: unknown) => {
        if (!isMissing(error)) {
          throw error;
        }
      });
  }

  /** Amazon's own answers well when there is none; others need not. */
  private async deleteObject(key: string): Promise<void> {
    try {
      await this.client.deleteObject({ Bucket: this.bucket, Key: key });
    } catch (error) {
      if (!isMissing(error)) {
        throw error;
      }
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && MISSING.has(error.name);
}

/** Whether a key is one that this service gives: the bucket may hold other things. */
function isUploadId(key: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key);
}

/** A counting semaphore, in the form that the store expects. */
class Places {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  async acquire(): Promise<{ release: () => Promise<void> }> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    let held = true;
    return {
      release: () => {
        if (held) {
          this.giveBack();
        }
        held = false;
        return Promise.resolve();
      },
    };
  }

  private giveBack(): void {
    const next = this.waiting.shift();
    if (next === undefined) {
      this.free += 1;
    } else {
      next();
    }
  }
}
