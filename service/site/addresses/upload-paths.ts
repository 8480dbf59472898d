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
