/** Paths of the pages about links, and of what links lead to. */
export const SHARES = {
  root: '/shares',
  new: '/shares/new',
  share: (id: string) => `/shares/${id}`,
  restore: (id: string) => `/shares/${id}/restore`,
  revoke: (id: string) => `/shares/${id}/revoke`,
  shared: (token: string) => `/s/${token}`,
  zip: (token: string) => `/s/${token}/zip`,
  thumbnail: (token: string) => `/s/${token}/thumbnail`,
  preview: (token: string) => `/s/${token}/preview`,
  file: (token: string) => `/s/${token}/file`,
  photo: (token: string) => `/s/${token}/photo`,
  answers: (token: string) => `/s/${token}/answers`,
  guestName: (token: string) => `/s/${token}/name`,
  answersOf: (id: string) => `/shares/${id}/answers`,
} as const;

export const SHARES_API_PATH = '/api/v1/shares';

/** Whether a path, in any spelling, may contain the token of a link. A token must not get into a log or a form. */
export function holdsShareToken(path: string): boolean {
  return /^\/+s\//i.test(path);
}
