/** Paths in a square of 16, drawn in the colour of the text. */
export const ICONS = {
  more: 'M2 7h2.4v2.4H2zM6.8 7h2.4v2.4H6.8zM11.6 7H14v2.4h-2.4z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  resume: 'M4 2.5v11l9-5.5z',
  down: 'M3 5.5h10L8 11z',
  right: 'M5.5 3l1.2-1.2L12.9 8l-6.2 6.2L5.5 13l5-5z',
  open: 'M3 5.5l1.2-1.2L8 8.1l3.8-3.8L13 5.5 8 10.5z',
  external: 'M6 3h7v7h-1.4V5.4l-7.2 7.2-1-1 7.2-7.2H6z',
  sort: 'M3 3.5h10v1.4H3zM3 7.3h7v1.4H3zM3 11.1h4v1.4H3z',
  link: 'M6.3 10.8l-1 1a1.6 1.6 0 0 1-2.2-2.2l2.3-2.4a1.6 1.6 0 0 1 2.3 0l1-1a3 3 0 0 0-4.3 0L2 8.6A3 3 0 0 0 6.3 13l1-1zM9.7 5.2l1-1a1.6 1.6 0 0 1 2.2 2.2l-2.3 2.4a1.6 1.6 0 0 1-2.3 0l-1 1a3 3 0 0 0 4.3 0L14 7.4A3 3 0 0 0 9.7 3l-1 1z',
  done: 'M6.4 11.9L2.6 8.1l1.2-1.2 2.6 2.6 5.8-5.8 1.2 1.2z',
  failed: 'M7 3h2v6.5H7zM7 11h2v2H7z',
  waiting:
    'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm0 1.4a4.6 4.6 0 1 1 0 9.2 4.6 4.6 0 0 1 0-9.2zM7.3 5v3.4l2.6 1.5.7-1.2-1.9-1.1V5z',
  picture: 'M2 3h12v10H2zm1.4 1.4v5.7l3-3 2.4 2.4 1.5-1.5 2.3 2.2V4.4z',
  document: 'M3.5 1.5h6l3 3v10h-9zm1.4 1.4v10.2h6.2V5.6H8.4V2.9zM6 7.5h4v1.2H6zM6 10h4v1.2H6z',
  video: 'M2 3h12v10H2zm1.4 1.4v7.2h9.2V4.4zM6.5 5.6v4.8l4-2.4z',
} as const;

export type IconName = keyof typeof ICONS;
