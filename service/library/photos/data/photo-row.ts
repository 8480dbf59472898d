import type { MediaInfo, PictureInfo } from '../../previews/index.js';
import { toPreviewSize, type Photo, type PreviewRow } from './photo.js';

/** A row of {@link ONE_PHOTO} or of a list, as the database gives it. */
export interface PhotoRow extends PreviewRow {
  id: string;
  photo_id: string;
  is_current: boolean;
  name: string;
  size: number;
  sha256: string;
  workspace_id: string;
  account_id: string;
  client_id: string;
  finished_at: Date;
  trashed_at: Date | null;
  width: number | null;
  height: number | null;
  captured_at: string | null;
  taken_at: Date;
  media_type: string | null;
  media_info: MediaInfo | null;
  frames_bytes: number | null;
  picture_info: PictureInfo | null;
  sender: string;
  trashed_by_name: string | null;
  project_id: string | null;
  project_name: string | null;
}

/** The time in `trashed_at` of a photo that can no longer be restored: before anything was put into the trash. */
export const EPOCH = new Date(0);

export const COLUMNS = `id, photo_id, is_current, name, size, sha256, workspace_id, account_id, client_id, finished_at, trashed_at, trashed_by,
  project_id, width, height, captured_at, taken_at, media_type, media_info, picture_info, preview_width, preview_height, preview_bytes, preview_version, frames_bytes`;

/**
 * A query for photos from these rows, with the names of users and projects. LATERAL with LIMIT makes the planner look each
 * name up by index. A hash join would read all users, of other workspaces, too.
 */
export function withNames(rows: string): string {
  return `SELECT photos.*, senders.display_name AS sender, removers.display_name AS trashed_by_name,
                 projects.name AS project_name
            FROM (${rows}) AS photos
           CROSS JOIN LATERAL (
                 SELECT display_name FROM accounts WHERE id = photos.account_id LIMIT 1) AS senders
            LEFT JOIN LATERAL (
                 SELECT display_name FROM accounts WHERE id = photos.trashed_by LIMIT 1) AS removers ON true
            LEFT JOIN LATERAL (
                 SELECT name FROM projects WHERE id = photos.project_id LIMIT 1) AS projects ON true`;
}

/** A finished upload, in the trash or not. `$1` is its id, `$2` is {@link EPOCH}. */
export const ONE_PHOTO = withNames(
  `SELECT ${COLUMNS} FROM uploads WHERE id = $1 AND finished_at IS NOT NULL
      AND (trashed_at IS NULL OR trashed_at > $2)`,
);

/** The current version of the photo that a finished upload is a version of. The parameters are those of {@link ONE_PHOTO}. */
export const CURRENT_VERSION = withNames(
  `SELECT ${COLUMNS} FROM uploads
    WHERE photo_id = (SELECT photo_id FROM uploads WHERE id = $1 AND finished_at IS NOT NULL)
      AND is_current AND (trashed_at IS NULL OR trashed_at > $2)`,
);

/** The photo that a row of {@link ONE_PHOTO} or of a list holds. */
export function toPhoto(row: PhotoRow): Photo {
  return {
    id: row.id,
    photoId: row.photo_id,
    isCurrent: row.is_current,
    name: row.name,
    size: row.size,
    sha256: row.sha256,
    workspaceId: row.workspace_id,
    accountId: row.account_id,
    uploaderName: row.sender,
    clientId: row.client_id,
    uploadedAt: row.finished_at,
    width: row.width ?? undefined,
    height: row.height ?? undefined,
    capturedAt: row.captured_at ?? undefined,
    takenAt: row.taken_at,
    mediaType: row.media_type ?? undefined,
    media: row.media_info ?? undefined,
    info: row.picture_info ?? undefined,
    preview: toPreviewSize(row),
    framesBytes: row.frames_bytes ?? undefined,
    trashedAt: row.trashed_at ?? undefined,
    trashedByName: row.trashed_by_name ?? undefined,
    project:
      row.project_id === null ? undefined : { id: row.project_id, name: row.project_name ?? '' },
  };
}
