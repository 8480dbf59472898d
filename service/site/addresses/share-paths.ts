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
  page: (token: string) => `/s/${token}/page`,
  frames: (token: string) => `/s/${token}/frames`,
  file: (token: string) => `/s/${token}/file`,
  play: (token: string) => `/s/${token}/play`,
  photo: (token: string) => `/s/${token}/photo`,
  answers: (token: string) => `/s/${token}/answers`,
  guestName: (token: string) => `/s/${token}/name`,
  finish: (token: string) => `/s/${token}/finish`,
  replies: (token: string) => `/s/${token}/replies`,
  unsubscribe: '/shares/unsubscribe',
  confirmReplies: '/shares/confirm-replies',
  labels: '/shares/labels',
  answersOf: (id: string) => `/shares/${id}/answers`,
  exportOf: (id: string, format: 'csv' | 'txt') => `/shares/${id}/answers.${format}`,
  contactSheet: (id: string) => `/shares/${id}/contact-sheet`,
} as const;

export const SHARES_API_PATH = '/api/v1/shares';
export const GUESTS_API_PATH = '/api/v1/guests';

/**
 * Programs that make addresses clickable take the punctuation or the space behind a link with it, or add a slash. A
 * token has a fixed length, so what follows it can be left off.
 * @param path as it was sent, with its percent-encoding.
 * @returns the path of the link without that; undefined for a path without such a tail.
 */
export function withoutTail(path: string): string | undefined {
  const [, found, rest = ''] =
    /^(\/s\/[\w-]{43}(?:\/(?:photo|name|finish|replies|file|zip))?)(.+)$/.exec(path) ?? [];
  return found !== undefined && isTail(rest) ? found : undefined;
}

/** Whether a text behind a token has no letter and no digit. A character may be cut off in its percent-encoding. */
export function isTail(text: string): boolean {
  const ascii = text.replace(/%[89a-f][\da-f]/gi, '');
  return /^[^\p{L}\p{N}]*$/u.test(ascii.replace(/%[0-7][\da-f]/gi, decodeURIComponent));
}

/** Whether a path, in any spelling, may contain the token of a link. A token must not get into a log or a form. */
export function isShareUrl(path: string): boolean {
  return /^\/+s\//i.test(path);
}
