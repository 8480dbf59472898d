import type { Upload } from '@tus/server';
import type { Principal } from '../../../oauth/index.js';
import type { DiskSpace } from '../storage/disk-space.js';
import { DISK_FULL } from '../upload-errors.js';
import type { UploadFinalizer, Outcome } from './finalize.js';
import { readMetadata } from './metadata.js';
import type { NewUpload, StoredUpload } from '../upload.js';
import { TusError } from '../tus-error.js';
import type { TusHeaders } from './upload-request.js';
import type { UploadStorage } from '../storage/upload-storage.js';
import type { QuotaLimits, UploadRepository } from '../repository/upload-repository.js';

export interface CreationDeps {
  readonly uploads: UploadRepository;
  readonly store: UploadStorage;
  readonly finishing: UploadFinalizer;
  readonly space: DiskSpace;
  readonly limits: QuotaLimits;
  readonly now: () => Date;
}

/** An upload that a repeated creation has found. */
export interface FoundUpload {
  readonly record: StoredUpload;
  /** The number of received bytes. */
  readonly offset: number;
  /** The outcome of the upload, if all bytes were received. */
  readonly outcome: Outcome | undefined;
}

/** Creates uploads. A client that sends its own id for an upload (`client_upload_id`) creates it only once. */
export class Creation {
  constructor(private readonly deps: CreationDeps) {}

  /**
   * Writes the row of an upload that the tus server found to be valid. A creation with a `client_upload_id` that
   * is already there changes nothing.
   * @returns the upload that this call created, or the one that was already there
   * @throws {TusError} when the upload cannot be created.
   */
  async createOrFind(
    upload: Upload,
    caller: Principal,
    headers: TusHeaders,
  ): Promise<{ readonly created: StoredUpload } | { readonly found: FoundUpload }> {
    const metadata = readMetadata(upload.metadata ?? {});
    if ('problem' in metadata) {
      throw new TusError(400, metadata.problem);
    }
    const size = upload.size ?? 0;
    const { contentLength = 0 } = headers;
    const row: NewUpload = {
      id: upload.id,
      accountId: caller.accountId,
      workspaceId: caller.workspaceId,
      clientId: caller.clientId,
      clientUploadId: metadata.clientUploadId,
      size,
      name: metadata.name,
      type: metadata.type,
      metadata: upload.metadata ?? {},
      metadataHeader: headers.metadataHeader,
      createdAt: this.deps.now(),
      expected: headers.expected,
      destination: metadata.destination,
    };
    const { record, added } = await this.addOrFind(row, size > 0 && contentLength >= size);
    if (added) {
      return { created: record };
    }
    if (record.size !== size) {
      throw new TusError(409, 'an upload of another length has this client_upload_id');
    }
    const found = await this.inspect(record);
    const isGone = found.outcome?.state === 'rejected' || found.outcome?.state === 'missing';
    // Its bytes were not the expected ones, so it was removed, and its id can be used again.
    return isGone ? this.createOrFind(upload, caller, headers) : { found };
  }

  private async inspect(record: StoredUpload): Promise<FoundUpload> {
    const { finishing } = this.deps;
    const offset = await this.offsetOf(record.id);
    if (offset === undefined) {
      return { record, offset: 0, outcome: { state: 'missing' } };
    }
    const outcome = offset === record.size ? await finishing.finishComplete(record) : undefined;
    return { record, offset, outcome };
  }

  /** The number of received bytes; undefined when the upload was removed since its row was read. */
  private async offsetOf(id: string): Promise<number | undefined> {
    const { store, uploads } = this.deps;
    try {
      return await store.received(id);
    } catch (error) {
      if ((await uploads.find(id)) === undefined) {
        return undefined;
      }
      throw error;
    }
  }

  /** A full disk refuses new uploads, but a client can still find the one it created before. */
  private async addOrFind(
    upload: NewUpload,
    finishes: boolean,
  ): Promise<{ record: StoredUpload; added: boolean }> {
    const { uploads, space, limits } = this.deps;
    if (await space.hasRoomFor(upload.size)) {
      return uploads.add(upload, limits, finishes);
    }
    const record = await uploads.findByClient(upload);
    if (record === undefined) {
      throw new TusError(DISK_FULL.status, DISK_FULL.description);
    }
    return { record, added: false };
  }
}
