/** Addresses of the pages about photos. */
export const PHOTOS = {
  root: '/photos',
  trash: '/photos/trash',
  photo: (id: string) => `/photos/${id}`,
  file: (id: string) => `/photos/${id}/file`,
} as const;
