import type { Readable } from 'node:stream';
import { Upload, type DataStore } from '@tus/server';
import type { FileContent } from '../digests.js';
import type { StoredUpload } from '../upload.js';

/**
 * The tus extensions that the service offers with every storage. The last nine are our own; docs/http-api.md
 * describes them.
 */
export const EXTENSIONS = [
  'creation',
  'creation-with-upload',
  'termination',
  'client-upload-id',
  'repr-digest',
  'known-uploads',
  'project-destination',
  'photo-versions',
  'upload-receipts',
  'device-queue',
  'upload-posters',
  'photo-list',
];

/** A range of bytes of a file: the positions of the first and the last one, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** How orphans are found: started uploads in the storage without a row. */
export interface OrphanScan {
  /** Only uploads begun before this time: the row of a newer one may not be written yet. */
  readonly before: Date;
  /** Gives those of these ids that belong to unfinished uploads. */
  readonly unfinished: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Where the bytes of uploads are kept. Everything else about an upload is in the database, see upload-repository.ts. */
export interface UploadStorage extends DataStore {
  /**
   * Checks at a start that uploads can be kept here.
   * @throws {UnavailableError} when the storage is away, and may come back.
   * @throws {ServiceStartError} `storage_unavailable` when waiting would not help.
   */
  check(): Promise<void>;
  /** How many bytes of an upload were received. */
  received(id: string): Promise<number>;
  /**
   * Makes sure that the bytes of an unfinished upload are kept, and reads them all. Also repairs what a crash
   * after the last byte left behind.
   * @returns undefined while bytes are missing; finding that out costs no database statement.
   */
  contentIfComplete(record: StoredUpload): Promise<FileContent | undefined>;
  /**
   * Keeps a preview or a thumbnail next to the bytes of its upload, in place of an earlier one. Durable when it resolves; that of a
   * page may be lost.
   */
  writePreview(id: string, bytes: Uint8Array, variant?: Variant<PreviewVariant>): Promise<void>;
  /** The preview of an upload; undefined when there is none of this many bytes. */
  readPreview(
    id: string,
    size: number,
    variant?: Variant<PreviewVariant>,
  ): Promise<Readable | undefined>;
  /** The thumbnail of an upload; undefined when there is none of this many bytes. */
  readThumbnail(
    id: string,
    size: number,
    variant?: Variant<ThumbnailVariant>,
  ): Promise<Buffer | undefined>;
  /**
   * Removes the bytes of an upload that is no longer listed, its previews, thumbnails and pages; it may have none. No other
   * upload shares its bytes. A download that has begun may end early.
   */
  discard(id: string): Promise<void>;
  /** Ensures that removals are durable, even after a loss of power. */
  settleDiscards(): Promise<void>;
  /**
   * Some bytes of a finished upload; the range must lie within it. A caller that does not read to the end must destroy
   * the stream.
   * @throws {Error} when some of the bytes are missing.
   */
  readRange(id: string, range: ByteRange): Promise<Readable>;
  /**
   * A short-lived address from which a browser gets a finished upload or its preview directly. The caller has checked that
   * it may have the whole of it, unchanged.
   * @returns undefined where browsers do not reach the storage, or there is no such preview.
   * @throws {UnavailableError} when the storage is away.
   */
  directUrl(id: string, as: DirectFile): Promise<string | undefined>;
  /** Removes started uploads without a row. Several processes may do it at the same time. */
  removeOrphans(search: OrphanScan, signal: AbortSignal | undefined): Promise<void>;
  /** The path of a finished upload's file; undefined when its bytes are not on this machine. */
  localFile(id: string): string | undefined;
}

/** What a browser gets from {@link UploadStorage.directUrl}: a file to save, or a preview of so many bytes to show. */
export type DirectFile =
  | { readonly kind: 'file'; readonly disposition: string }
  | { readonly kind: 'preview'; readonly size: number };

/** The thumbnail of an upload, or the one with a watermark. */
const THUMBNAIL_VARIANTS = ['thumbnail', 'watermarked-thumbnail'] as const;
export type ThumbnailVariant = (typeof THUMBNAIL_VARIANTS)[number];

/** The preview of an upload, or the one with a watermark; the frames of a film, and the poster that the app sent, as it came; and the thumbnails. */
export const PREVIEW_VARIANTS = [
  'preview',
  'watermarked',
  'frames',
  'poster',
  ...THUMBNAIL_VARIANTS,
] as const;
export type PreviewVariant = (typeof PREVIEW_VARIANTS)[number];

/** A picture of the upload itself, or of a page of it. */
export type Variant<Picture extends PreviewVariant> =
  | Picture
  | { readonly page: number; readonly as: Picture };

/** Under which name a preview of an upload is kept. No upload has such an id. */
export function previewKey(id: string, variant: Variant<PreviewVariant> = 'preview'): string {
  return typeof variant === 'string'
    ? `${id}.${variant}`
    : `${pagesFolder(id)}${variant.page}.${variant.as}`;
}

/** What the names of the pictures of all pages of an upload begin with: a folder, so that they are removed without a list. */
export function pagesFolder(id: string): string {
  return `${id}.pages/`;
}

/** An upload as the tus server sees it; `offset` is the number of received bytes. */
export function toUpload(record: StoredUpload, offset = 0): Upload {
  return new Upload({
    id: record.id,
    size: record.size,
    offset,
    metadata: record.metadata,
    creation_date: record.createdAt.toISOString(),
  });
}
