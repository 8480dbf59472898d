import { UPLOADS_PATH } from '../../kernel/http/tus-headers.js';

/** The path of the duplicate check. No upload has the id `known`. */
export const KNOWN_UPLOADS_PATH = `${UPLOADS_PATH}/known`;

/** The address of an upload, a path on this origin. */
export function uploadPath(id: string): string {
  return `${UPLOADS_PATH}/${id}`;
}

/** The URL of the bytes of a finished upload. */
export function uploadContentPath(id: string): string {
  return `${uploadPath(id)}/content`;
}

/** The API path of a small picture of an upload. */
export function uploadThumbnailPath(id: string): string {
  return `${uploadPath(id)}/thumbnail`;
}

/** The API path of a picture of an upload in web size. */
export function uploadPreviewPath(id: string): string {
  return `${uploadPath(id)}/preview`;
}

/** The API path of the files that are placed in an upload. */
export function uploadPlacementsPath(id: string): string {
  return `${uploadPath(id)}/placements`;
}

/** The path to which an app sends the picture of a film. */
export function uploadPosterPath(id: string): string {
  return `${uploadPath(id)}/poster`;
}

/** The path of the comments on a film as markers for editing programs. */
export function uploadMarkersPath(id: string): string {
  return `${uploadPath(id)}/markers`;
}

/** The API path for changing a finished upload. */
export function uploadChangePath(
  id: string,
  change: 'trash' | 'restore' | 'project' | 'detach',
): string {
  return `${uploadPath(id)}/${change}`;
}
