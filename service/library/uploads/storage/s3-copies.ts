import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FileContent } from '../digests.js';
import type { StoredUpload } from '../upload.js';
import { isMissing } from './s3-errors.js';
import { S3Storage } from './s3-storage.js';
import { previewKey, type PreviewVariant, type Variant } from './upload-storage.js';

/** What the `.info` object of an upload has, in its metadata. The service does not read it. */
interface CopyNote {
  /** The workspace of an upload that was copied here. */
  readonly copyOf: string | undefined;
  /** The SHA-256 of the whole object, after it was read back. */
  readonly checked: string | undefined;
}

/** How the copy of an upload ended. `different`: the bytes that came do not have the digest, and nothing was kept. */
export type Copied = 'here before' | 'copied' | 'different';

/**
 * The bucket as the target of a copy. An upload is stored as the service stores it, and its `.info` object notes that the copy was
 * read back: the next run compares sizes and digests without reading it again.
 */
export class S3Copies extends S3Storage {
  /**
   * Copies a finished upload, or goes on where an interrupted copy ended.
   * @param sha256 of the whole upload
   * @param read gives the bytes from a position to the end
   * @throws {UnavailableError} when the storage is away or refuses; and what `read` throws.
   */
  async copy(
    upload: StoredUpload,
    sha256: string,
    read: (start: number) => Promise<Readable>,
  ): Promise<Copied> {
    const { id, size, workspaceId } = upload;
    if (size === 0) {
      // It has no object.
      return 'here before';
    }
    const note = await this.noteOf(id);
    if (note?.checked === sha256 && (await this.headOf(id))?.ContentLength === size) {
      return 'here before';
    }
    const begun = note && (await this.contentOf(upload));
    if (isContent(begun) && begun.sha256 === sha256) {
      await this.noteChecked(id, sha256);
      return 'here before';
    }
    if (begun !== undefined && begun !== 'in part') {
      await this.discard(id);
    }
    const start = begun === 'in part' ? await this.sizeOf(id) : 0;
    const bytes = await read(start);
    try {
      if (begun !== 'in part') {
        await this.begin(id, { copy_of: workspaceId });
      }
      await this.write(bytes, id, start);
    } finally {
      bytes.destroy();
    }
    const content = await this.contentOf(upload);
    if (!isContent(content) || content.sha256 !== sha256) {
      await this.discard(id);
      return 'different';
    }
    await this.noteChecked(id, sha256);
    return 'copied';
  }

  /**
   * Whether a picture of an upload is here. One without a digest was made by the service that uses the bucket, and counts if
   * its size is right.
   * @param bytes what it should be; undefined when only its size is known
   */
  async hasPicture(
    id: string,
    variant: Variant<PreviewVariant>,
    { size, bytes }: { readonly size: number; readonly bytes: Uint8Array | undefined },
  ): Promise<boolean> {
    const found = await this.headOf(previewKey(id, variant));
    const digest = found?.Metadata?.['sha256'];
    return (
      found?.ContentLength === size &&
      (bytes === undefined || digest === undefined || digest === sha256Of(bytes))
    );
  }

  /** Copies a picture of an upload, with its digest for {@link hasPicture}. */
  async copyPicture(
    id: string,
    variant: Variant<PreviewVariant>,
    bytes: Uint8Array,
  ): Promise<void> {
    await this.writePreview(id, bytes, variant, { sha256: sha256Of(bytes) });
  }

  /** The ids of all uploads that have begun here, page by page. */
  async *begun(): AsyncGenerator<string[], void> {
    let token: string | undefined;
    do {
      const page = await this.client.listObjectsV2({
        Bucket: this.bucket,
        ...(token !== undefined && { ContinuationToken: token }),
      });
      yield (page.Contents ?? []).flatMap(({ Key = '' }) => {
        const id = Key.replace(/\.info$/, '');
        return this.infoKey(id) === Key ? [id] : [];
      });
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  /** The workspace of an upload that was copied here; undefined for one that came here itself. */
  async workspaceOfCopy(id: string): Promise<string | undefined> {
    return (await this.noteOf(id))?.copyOf;
  }

  /** The digests of an upload that has begun. `lost`: a rule of the storage has removed its parts. */
  private async contentOf(upload: StoredUpload): Promise<FileContent | 'in part' | 'lost'> {
    try {
      return (await this.contentIfComplete(upload)) ?? 'in part';
    } catch (error) {
      if (isMissing(error)) {
        return 'lost';
      }
      throw error;
    }
  }

  private async noteChecked(id: string, sha256: string): Promise<void> {
    const { file, 'upload-id': uploadId } = await this.getMetadata(id);
    file.metadata = { ...file.metadata, checked: sha256 };
    await this.saveMetadata(file, uploadId);
    await this.clearCache(id);
  }

  private async noteOf(id: string): Promise<CopyNote | undefined> {
    try {
      const { file } = await this.getMetadata(id);
      const { copy_of: copyOf, checked } = file.metadata ?? {};
      return { copyOf: copyOf ?? undefined, checked: checked ?? undefined };
    } catch (error) {
      if (isMissing(error)) {
        return undefined;
      }
      throw error;
    } finally {
      await this.clearCache(id);
    }
  }
}

function isContent(found: FileContent | 'in part' | 'lost' | undefined): found is FileContent {
  return typeof found === 'object';
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
