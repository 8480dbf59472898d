/** Paths of the pages about photos. */
export const PHOTOS = {
  root: '/photos',
  trash: '/photos/trash',
  zip: '/photos/zip',
  /** Where browsers upload to, by tus. */
  uploads: '/photos/uploads',
  /** Which of some files are uploaded already. */
  knownUploads: '/photos/uploads/known',
  photo: (id: string) => `/photos/${id}`,
  thumbnail: (id: string) => `/photos/${id}/thumbnail`,
  preview: (id: string) => `/photos/${id}/preview`,
  /** A page of a document, by {@link ofPage}. */
  page: (id: string) => `/photos/${id}/page`,
  /** Frames of a film, side by side in one picture. */
  frames: (id: string) => `/photos/${id}/frames`,
  file: (id: string) => `/photos/${id}/file`,
  play: (id: string) => `/photos/${id}/play`,
  answers: (id: string) => `/photos/${id}/answers`,
  markers: (id: string) => `/photos/${id}/markers`,
  compare: (id: string) => `/photos/${id}/compare`,
} as const;

/** The API path of the photos of a workspace. */
export const PHOTOS_API_PATH = '/api/v1/photos';

/** The API path of the status of placed files. */
export const PHOTO_STATUS_PATH = `${PHOTOS_API_PATH}/status`;

/** The address of a picture. With a version, it always leads to the same picture. */
export function atVersion(picture: string, version: number | undefined): string {
  return version === undefined ? picture : `${picture}?v=${version}`;
}

/** The query of the picture of a page, from 1. */
export function ofPage(page: number, as: 'thumbnail' | 'preview'): Record<string, string> {
  return { n: String(page), as };
}

/**
 * The `Link` header that leads from an upload to its page
 * ([RFC 8288](https://www.rfc-editor.org/rfc/rfc8288)).
 * @param issuer the origin of the service.
 */
export function linkToPhoto(issuer: string, id: string): string {
  return `<${issuer}${PHOTOS.photo(id)}>; rel="alternate"; type="text/html"`;
}
