import { S3Store } from '@tus/s3-store';
import { ERRORS, Upload } from '@tus/server';
import type {
  HeadObjectCommandOutput,
  ListMultipartUploadsCommandInput,
  ListObjectsV2Output,
} from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { UnavailableError } from '../../../kernel/errors.js';
import { DirectUrls } from './direct-urls.js';
import type { S3Options } from './s3-options.js';
import { readThrough, type FileContent } from '../digests.js';
import { bytesOf, isMissing, S3_TIMES, mapS3Errors } from './s3-errors.js';
import { checkBucket } from './s3-check.js';
import { TusError } from '../tus-error.js';
import type { StoredUpload } from '../upload.js';
import type { UploadRepository } from '../repository/upload-repository.js';
import {
  EXTENSIONS,
  PREVIEW_VARIANTS,
  pagesFolder,
  previewKey,
  toUpload,
  type ByteRange,
  type DirectFile,
  type OrphanScan,
  type PreviewVariant,
  type ThumbnailVariant,
  type UploadStorage,
  type Variant,
} from './upload-storage.js';

/**
 * How many connections to the storage may be open at the same time: far more than the uploads need, because each slow
 * download holds one.
 */
const MAX_CONNECTIONS = 1024;

/** How many parts of one request may be on this machine: one is filled while the one before is sent to the storage. */
const PARTS_PER_REQUEST = 2;

/** Keeps the SDK from writing to the console: the errors that it throws say the same. */
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Keeps uploads in S3-compatible storage, with the store of the tus project: a multipart upload per
 * file, under the upload's id, and an object `<id>.info` next to it. As in file-storage.ts, the row in the
 * database comes first, and missing objects are created on demand.
 */
export class S3Storage extends S3Store implements UploadStorage {
  private readonly records: UploadRepository;
  private readonly direct: DirectUrls | undefined;

  constructor(options: S3Options, records: UploadRepository) {
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
        // Few, because the caller gets a "try again": a silent storage must not keep them waiting for long.
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
    mapS3Errors(this.client);
    this.extensions = EXTENSIONS;
    this.records = records;
    this.direct =
      options.publicEndpoint === undefined
        ? undefined
        : new DirectUrls(options, options.publicEndpoint);
  }

  check(): Promise<void> {
    return checkBucket(this.client, this.bucket);
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusError(404, 'the upload does not exist');
    }
    if (!(await this.hasBegun(id))) {
      if (record.finishedAt !== undefined && record.size > 0) {
        throw new TusError(404, 'the storage has lost this upload');
      }
      return toUpload(record);
    }
    const upload = await this.look(id);
    upload.metadata = record.metadata;
    return upload;
  }

  /**
   * Does nothing: the multipart upload begins with the first bytes. Requests with bytes run one at a time; creations
   * do not, and with two multipart uploads for one id, each would have only some of the bytes.
   */
  override create(upload: Upload): Promise<Upload> {
    return Promise.resolve(upload);
  }

  /**
   * Like the store's own `write`, but limits the parts of this request instead of those of all requests together: a
   * part counts from its first byte on, so slow senders would take all the places from the others.
   */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    if (!(await this.hasBegun(id))) {
      await this.begin(id);
    }
    try {
      return await this.writeParts(stream, id, offset);
    } catch (error) {
      if (isMissing(error)) {
        // Another process has completed it, or the answer to its completion was lost: the client requests its offset.
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
   * Object by object: a request for several needs a checksum that not every S3-compatible server supports. The `.info`
   * object goes last: it names the multipart upload, so after an interruption the rest can still be found.
   */
  async discard(id: string): Promise<void> {
    await this.abortParts(id);
    await Promise.all([
      ...PREVIEW_VARIANTS.map((variant) => this.deleteObject(previewKey(id, variant))),
      this.deleteObject(this.partKey(id)),
      // The last bytes of an interrupted request.
      this.deleteObject(this.partKey(id, true)),
      this.deletePages(id),
    ]);
    await this.deleteObject(this.infoKey(id));
    await this.clearCache(id);
  }

  /** Page by page of the list of the storage: what is removed is no longer listed. */
  private async deletePages(id: string): Promise<void> {
    for (;;) {
      const { Contents = [], IsTruncated = false } = await this.listPages(id);
      for (const { Key = '' } of Contents) {
        await this.deleteObject(Key);
      }
      if (!IsTruncated || Contents.length === 0) {
        return;
      }
    }
  }

  private async listPages(
    id: string,
  ): Promise<Pick<ListObjectsV2Output, 'Contents' | 'IsTruncated'>> {
    try {
      return await this.client.listObjectsV2({ Bucket: this.bucket, Prefix: pagesFolder(id) });
    } catch (error) {
      if (isMissing(error)) {
        return {};
      }
      throw error;
    }
  }

  /** Nothing to do: the storage itself makes a removal durable. */
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
      throw new Error('the storage sent a different range');
    }
    return Body;
  }

  async writePreview(
    id: string,
    bytes: Uint8Array,
    variant?: Variant<PreviewVariant>,
    metadata?: Record<string, string>,
  ): Promise<void> {
    await this.client.putObject({
      Bucket: this.bucket,
      Key: previewKey(id, variant),
      Body: bytes,
      ContentType: 'image/webp',
      ...(metadata !== undefined && { Metadata: metadata }),
    });
  }

  async readPreview(
    id: string,
    size: number,
    variant?: Variant<PreviewVariant>,
  ): Promise<Readable | undefined> {
    try {
      const { Body, ContentLength } = await this.client.getObject({
        Bucket: this.bucket,
        Key: previewKey(id, variant),
      });
      if (Body instanceof Readable && ContentLength === size) {
        return Body;
      }
      if (Body instanceof Readable) {
        Body.destroy();
      }
      return undefined;
    } catch (error) {
      if (isMissing(error)) {
        return undefined;
      }
      throw error;
    }
  }

  async readThumbnail(
    id: string,
    size: number,
    variant: Variant<ThumbnailVariant> = 'thumbnail',
  ): Promise<Buffer | undefined> {
    const bytes = await this.readPreview(id, size, variant);
    return bytes && buffer(bytes);
  }

  async directUrl(id: string, as: DirectFile): Promise<string | undefined> {
    if (this.direct === undefined) {
      return undefined;
    }
    if (as.kind === 'file') {
      return this.direct.ofFile(id, as.disposition);
    }
    const key = previewKey(id);
    const found = await this.headOf(key);
    return found?.ContentLength === as.size ? this.direct.ofPreview(key) : undefined;
  }

  /** Aborts multipart uploads that were begun but never noted, because the process was killed in between. */
  async removeOrphans(
    { before, unfinished }: OrphanScan,
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

  /** All parts are there, but a crash came before they were put together: writing no bytes makes the store do it. */
  private async putTogether({ id, size }: StoredUpload): Promise<Readable> {
    await this.writeParts(Readable.from([]), id, size).catch((error: unknown) => {
      // Another process was faster.
      if (!isMissing(error)) {
        throw error;
      }
    });
    return this.read(id);
  }

  /**
   * The store's own `write`, with a semaphore for the parts of this request alone. A part is sent once the one before is stored: the
   * store takes the sum of all parts as the offset, so a part after a missing one would hide the missing bytes. After a part has
   * failed none begins: the store would open a file for it, and leave it behind.
   */
  private writeParts(stream: Readable, id: string, offset: number): Promise<number> {
    const places = new Places(PARTS_PER_REQUEST);
    let last: Promise<string> | undefined;
    const afterLast = (send: () => Promise<string>): Promise<string> => {
      last = (last === undefined ? send() : last.then(send)).catch((error: unknown) => {
        places.close(error);
        throw error;
      });
      return last;
    };
    const uploadPart: S3Store['uploadPart'] = (...part) =>
      afterLast(() => this.uploadPart(...part));
    const uploadIncompletePart: S3Store['uploadIncompletePart'] = (...part) =>
      afterLast(() => this.uploadIncompletePart(...part));
    const own = Object.create(this, {
      partUploadSemaphore: { value: places },
      uploadPart: { value: uploadPart },
      uploadIncompletePart: { value: uploadIncompletePart },
    }) as S3Store;
    return S3Store.prototype.write.call(own, stream, id, offset);
  }

  /** How many bytes of an upload are here. */
  protected async sizeOf(id: string): Promise<number> {
    return (await this.hasBegun(id)) ? (await this.look(id)).offset : 0;
  }

  /** An upload that has begun. On any error the store reports a missing upload. */
  private async look(id: string): Promise<Upload> {
    try {
      return await super.getUpload(id);
    } catch (error) {
      if (error === ERRORS.FILE_NOT_FOUND) {
        throw new UnavailableError('a stored upload is missing');
      }
      throw error;
    }
  }

  /** Whether the multipart upload exists. Any other error is thrown: a new upload would lose the received bytes. */
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

  /**
   * Begins the multipart upload. Without the metadata of its client: the store would turn it into headers of the object.
   * @param note what `.info` keeps
   */
  protected async begin(id: string, note: Record<string, string> = {}): Promise<void> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusError(404, 'the upload does not exist');
    }
    await super.create(new Upload({ id, size: record.size, offset: 0, metadata: note }));
  }

  /** What the storage knows of an object; undefined when there is none. */
  protected async headOf(key: string): Promise<HeadObjectCommandOutput | undefined> {
    try {
      return await this.client.headObject({ Bucket: this.bucket, Key: key });
    } catch (error) {
      if (isMissing(error)) {
        return undefined;
      }
      throw error;
    }
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

  /** Amazon's S3 reports success when there is no such object; other servers may not. */
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

/** Whether this service may have given a key: the bucket may hold other things. */
function isUploadId(key: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key);
}

/** A counting semaphore, in the form that the store expects. */
class Places {
  private free: number;
  private readonly waiting: {
    readonly wake: () => void;
    readonly fail: (error: unknown) => void;
  }[] = [];

  constructor(count: number) {
    this.free = count;
  }

  async acquire(): Promise<{ release: () => Promise<void> }> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      await new Promise<void>((wake, fail) => {
        this.waiting.push({ wake, fail });
      });
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

  /** Fails those that wait. */
  close(error: unknown): void {
    this.waiting.splice(0).forEach(({ fail }) => {
      fail(error);
    });
  }

  private giveBack(): void {
    const next = this.waiting.shift();
    if (next === undefined) {
      this.free += 1;
    } else {
      next.wake();
    }
  }
}
