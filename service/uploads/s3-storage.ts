import { S3Store } from '@tus/s3-store';
import { Upload } from '@tus/server';
import { Readable } from 'node:stream';
import type { S3Options } from '../options.js';
import { digestsOf, type AllDigests } from './digests.js';
import { TusAnswer } from './tus-answer.js';
import type { StoredUpload } from './stored-upload.js';
import type { UploadTable } from './upload-table.js';
import { EXTENSIONS, toUpload, type ByteRange, type UploadStorage } from './upload-storage.js';

/**
 * Connections to the storage at the same time: far more than the uploads need, as each download that is read slowly
 * holds one.
 */
const MAX_CONNECTIONS = 1024;

/** Parts of one request that are on their way to the storage, or being filled, at the same time. */
const PARTS_PER_REQUEST = 4;

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
    super({
      s3ClientConfig: {
        bucket,
        region,
        requestHandler: {
          httpAgent: { maxSockets: MAX_CONNECTIONS },
          httpsAgent: { maxSockets: MAX_CONNECTIONS },
        },
        ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
        ...(credentials !== undefined && { credentials: { ...credentials } }),
      },
    });
    this.extensions = EXTENSIONS;
    this.records = records;
  }

  override async getUpload(id: string): Promise<Upload> {
    const record = await this.records.find(id);
    if (record === undefined) {
      throw new TusAnswer(404, 'there is no such upload');
    }
    if (record.finishedAt === undefined) {
      await this.ensureMultipart(record);
    }
    const upload = await super.getUpload(id);
    upload.metadata = record.metadata;
    return upload;
  }

  /** Without the metadata, of which the store would make headers of the object. */
  override async create(upload: Upload): Promise<Upload> {
    const { id, size, offset } = upload;
    await super.create(new Upload({ id, offset, ...(size !== undefined && { size }) }));
    return upload;
  }

  /**
   * As the store's own does, but with a bound on parts of this request instead of one for all requests: a
   * part is counted from its first byte on, so that slow senders would take all the places of the others.
   */
  override write(stream: Readable, id: string, offset: number): Promise<number> {
    const own = Object.create(this, {
      partUploadSemaphore: { value: new Places(PARTS_PER_REQUEST) },
    }) as S3Store;
    return S3Store.prototype.write.call(own, stream, id, offset);
  }

  override async remove(id: string): Promise<void> {
    await this.discard(id);
    await this.records.remove(id);
  }

  async discard(id: string): Promise<void> {
    await super.remove(id).catch((error: unknown) => {
      if (!isMissing(error) && !isTusNotFound(error)) {
        throw error;
      }
    });
    // The last bytes of an interrupted request, which the store forgets.
    await this.deleteIncompletePart(id);
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

  localFile(): undefined {
    return undefined;
  }

  async received(id: string): Promise<number> {
    return (await this.getUpload(id)).offset;
  }

  async digestsIfComplete(record: StoredUpload): Promise<AllDigests | undefined> {
    if ((await this.received(record.id)) !== record.size) {
      return undefined;
    }
    if (record.size === 0) {
      return digestsOf(Readable.from([]));
    }
    const object = await this.read(record.id).catch((error: unknown) => {
      if (isMissing(error)) {
        return undefined;
      }
      throw error;
    });
    if (object !== undefined) {
      return digestsOf(object);
    }
    // All parts are there, but a crash came before they were put together: writing nothing does it.
    await this.write(Readable.from([]), record.id, record.size);
    return digestsOf(await this.read(record.id));
  }

  /** Only "there is none" may lead to a new one: it would throw away what has arrived. */
  private async ensureMultipart(record: StoredUpload): Promise<void> {
    try {
      await this.getMetadata(record.id);
    } catch (error) {
      if (!isMissing(error)) {
        throw error;
      }
      await this.create(toUpload(record));
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && MISSING.has(error.name);
}

function isTusNotFound(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'status_code' in error &&
    error.status_code === 404
  );
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
