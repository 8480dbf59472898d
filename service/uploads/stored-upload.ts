import type { ExpectedDigests } from './digests.js';

/** One upload as the database knows it. The bytes received so far are counted from its file. */
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
  /** `Upload-Metadata` as it came, where there was any and it is known. */
  readonly metadataHeader: string | undefined;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
  /** Digests of what the storage holds, in lower-case hex; only of finished ones. */
  readonly sha256: string | undefined;
  /** Also missing where a version before this one finished it. */
  readonly crc32c: string | undefined;
  readonly clientUploadId: string | undefined;
  /** In pixels, as the picture is shown. Like `capturedAt` only of pictures that tell it and were looked at. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** See `service/thumbnails/look.ts`. */
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

/** What is known of an upload when it is created. */
export type NewUpload = Omit<
  StoredUpload,
  'finishedAt' | 'sha256' | 'crc32c' | 'metadataHeader' | 'width' | 'height' | 'capturedAt'
> &
  Partial<Pick<StoredUpload, 'metadataHeader'>> & {
    /** What the client says that all bytes will be. */
    readonly expected?: ExpectedDigests | undefined;
  };
