/** The path of the uploads. */
export const UPLOADS_PATH = '/api/v1/uploads';

/** The path where clients ask which files are here already. No upload has the id `known`. */
export const KNOWN_UPLOADS_PATH = `${UPLOADS_PATH}/known`;

/** What a request to the uploads is about: all of them, which files are known, or one upload. */
export type UploadTarget =
  | { readonly kind: 'collection'; readonly query: string | undefined }
  | { readonly kind: 'known' }
  | { readonly kind: 'upload'; readonly id: string };

/**
 * Reads the target of a request ([RFC 9112 §3.2.1](https://www.rfc-editor.org/rfc/rfc9112#section-3.2.1))
 * as it came. This is the only place that takes an id from outside: an upload's address is the path and the
 * id, without percent-encoding and without a query.
 * @returns undefined for any other address.
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

/** The path where programs change an upload that has arrived. */
export function uploadChangePath(id: string, change: 'trash' | 'restore' | 'project'): string {
  return `${uploadPath(id)}/${change}`;
}
