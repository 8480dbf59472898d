/** Where uploads live. */
export const UPLOADS_PATH = '/api/v1/uploads';

/** Where is asked which files are here already. No upload has this id. */
export const KNOWN_UPLOADS_PATH = `${UPLOADS_PATH}/known`;

/** What a request to the uploads is about: all of them, the question which are known, or one. */
export type UploadTarget =
  | { readonly kind: 'collection'; readonly query: string | undefined }
  | { readonly kind: 'known' }
  | { readonly kind: 'upload'; readonly id: string };

/**
 * Reads the target of a request ([RFC 9112 §3.2.1](https://www.rfc-editor.org/rfc/rfc9112#section-3.2.1))
 * as it came. This is the one place that takes an id from outside: an upload's address is the path and the
 * id, and nothing else: nothing encoded, no query.
 * @returns undefined for any other address; there is nothing.
 */
export function readUploadTarget(target: string): UploadTarget | undefined {
  if (target === KNOWN_UPLOADS_PATH) {
    return { kind: 'known' };
  }
  const found = /^\/api\/v1\/uploads(?:\/([A-Za-z0-9_-]{1,64})|\?([^#]*))?$/.exec(target);
  if (found === null) {
    return undefined;
  }
  const [, id, query] = found;
  return id === undefined ? { kind: 'collection', query } : { kind: 'upload', id };
}

/** The address of an upload, a path on this origin. */
export function uploadPath(id: string): string {
  return `${UPLOADS_PATH}/${id}`;
}

/** The address of the bytes of an upload that has arrived. */
export function uploadContentPath(id: string): string {
  return `${uploadPath(id)}/content`;
}

/** Where programs change an upload that has arrived. */
export function uploadChangePath(id: string, change: 'trash' | 'restore' | 'project'): string {
  return `${uploadPath(id)}/${change}`;
}
