import type { MediaInfo, PictureInfo } from '../../previews/index.js';

/** A version of a photo, as the pages show it: a finished upload. */
export interface Photo {
  readonly id: string;
  /** Common to all versions of the photo: the id of the first one. */
  readonly photoId: string;
  /** Whether lists and links show this version. */
  readonly isCurrent: boolean;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** In hex. */
  readonly sha256: string;
  readonly workspaceId: string;
  /** The user who uploaded it. */
  readonly accountId: string;
  readonly uploaderName: string;
  /** Through which app. */
  readonly clientId: string;
  readonly uploadedAt: Date;
  /** The project it is in, if any. */
  readonly project: { readonly id: string; readonly name: string } | undefined;
  /** In pixels, as it is shown; undefined when the file lacks them, or was not read yet. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** See `service/library/previews/image-info.ts`. */
  readonly capturedAt: string | undefined;
  /** When it was taken, in UTC if the camera did not note its zone; else when it was uploaded. Lists are in this order. */
  readonly takenAt: Date;
  /** By its content; undefined when it is not known, or was not read yet. */
  readonly mediaType: string | undefined;
  /** The pages of a document, or the duration of a video; undefined for pictures, or when it was not read yet. */
  readonly media: MediaInfo | undefined;
  /** Other information in the file about the picture; undefined when there is none, or it was not read yet. */
  readonly info: PictureInfo | undefined;
  /** See {@link PreviewSize}. */
  readonly preview: PreviewSize | undefined;
  /** How many bytes the picture with frames of a film has; undefined where there is none. */
  readonly framesBytes: number | undefined;
  /** When it was put into the trash, if it is there, and by whom, if that is still known. */
  readonly trashedAt: Date | undefined;
  readonly trashedByName: string | undefined;
}

/** The preview that the service has made of a version; undefined while there is none. */
export interface PreviewSize {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** In bytes. */
  readonly size: number;
  /** Changes when the pictures of the same upload are made again. */
  readonly version: number;
}

/** The columns of a preview. */
export interface PreviewRow {
  preview_width: number | null;
  preview_height: number | null;
  preview_bytes: number | null;
  preview_version: number | null;
}

/** The preview that a row describes. */
export function toPreviewSize(row: PreviewRow): PreviewSize | undefined {
  const { preview_width: width, preview_height: height, preview_bytes: size } = row;
  const { preview_version: version } = row;
  return width === null || height === null || size === null || version === null
    ? undefined
    : { width, height, size, version };
}

/** How long the trash keeps a photo, in days. */
export const TRASH_DAYS = 30;

const TRASH_MS = TRASH_DAYS * 24 * 3_600_000;

/** When a photo that was put into the trash at this time is removed for good. */
export function leavesTrashAt(trashedAt: Date): Date {
  return new Date(trashedAt.getTime() + TRASH_MS);
}

/** The earliest time at which a photo can have been put into the trash and still be in it. */
export function trashBegins(now: Date): Date {
  return new Date(now.getTime() - TRASH_MS);
}

