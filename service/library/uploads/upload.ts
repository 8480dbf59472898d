import type { ExpectedDigests } from './digests.js';

/** One upload as the database stores it. Only the storage has the number of received bytes. */
export interface StoredUpload {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** The app that created it, as the caller's token names it. */
  readonly clientId: string;
  /** Length of the whole file in bytes. */
  readonly size: number;
  readonly name: string;
  readonly type: string;
  /** The `Upload-Metadata` pairs as the client sent them; a key alone has the value null. */
  readonly metadata: Record<string, string | null>;
  /** `Upload-Metadata` exactly as it came. Undefined if there was none. */
  readonly metadataHeader: string | undefined;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
  /** SHA-256 of the stored bytes, in lower-case hex; only of finished uploads. */
  readonly sha256: string | undefined;
  /** CRC-32C of the stored bytes, in lower-case hex. Also missing if an earlier version finished the upload. */
  readonly crc32c: string | undefined;
  readonly clientUploadId: string | undefined;
  /** The first version of its photo; undefined for a photo's first version, and while it is not finished. */
  readonly versionOf: string | undefined;
  /** In pixels, as the picture is shown. Like `capturedAt`, set once the picture was read, if the picture has it. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** See `service/library/previews/image-info.ts`. */
  readonly capturedAt: string | undefined;
}

/** One upload in a list. */
export type ListedUpload = Pick<
  StoredUpload,
  | 'id'
  | 'name'
  | 'size'
  | 'type'
  | 'sha256'
  | 'createdAt'
  | 'clientUploadId'
  | 'width'
  | 'height'
  | 'capturedAt'
>;

/** The destination of an upload, from its creation. */
export interface Destination {
  /** The id of a project of the workspace. */
  readonly projectId: string | undefined;
  /** The identity of the document or file, chosen by the app. */
  readonly document: string | undefined;
  /** The id of the upload that it is a new version of, or `none` for a new photo. Undefined: by document or name. */
  readonly replaces: string | undefined;
  /** Whether the document alone decides, whatever the name is. Left out: document and name. */
  readonly byDocument?: boolean;
}

/** The fields of an upload at its creation. */
export type NewUpload = Omit<
  StoredUpload,
  | 'finishedAt'
  | 'sha256'
  | 'crc32c'
  | 'metadataHeader'
  | 'versionOf'
  | 'width'
  | 'height'
  | 'capturedAt'
> &
  Partial<Pick<StoredUpload, 'metadataHeader'>> & {
    /** The digests that the client announces for the whole file. */
    readonly expected?: ExpectedDigests | undefined;
    readonly destination?: Destination | undefined;
  };
