import { NO_FILES, type LibraryState } from '../../../src/features/library/library.js';
import type { LibraryFile } from '../../../src/features/library/library-file.js';
import type { Scenes, Situation } from './scene.js';
import { error, SIGNED_IN, withProjects } from './scene-parts.js';

/** Names, shapes and what is known besides. */
const FILES: readonly (readonly [string, string, Partial<LibraryFile>])[] = [
  ['Poster.psd', '4x5', { approval: { version: 1, isCurrent: false, by: null }, version: 2 }],
  ['IMG_0412.jpg', '3x2', {}],
  ['Brautpaar_am_See_im_letzten_Abendlicht_0414_final.jpg', '2x3', { version: 3 }],
  ['夕焼けの湖.jpg', '3x2', { approval: { version: 1, isCurrent: true, by: 'Mia' } }],
  ['Wedding book, spring.pdf', '210x297', { length: { kind: 'pages', pages: 24 } }],
  ['Coast, cut 3.mp4', '16x9', { length: { kind: 'duration', seconds: 92 }, version: 12 }],
  ['Panorama_of_the_coast.tif', '5x1', {}],
  ['LH5_4319.jpg', '1x1', {}],
  ['LH5_4326.jpg', '3x2', {}],
  ['Reel.mp4', '9x16', { length: { kind: 'duration', seconds: 31 } }],
  ['LH5_4333.jpg', '2x3', {}],
  ['LH5_4340.jpg', '3x2', { approval: { version: 1, isCurrent: true, by: 'Ben' } }],
];

/** Files of many shapes. */
function files(total: number): LibraryFile[] {
  return Array.from({ length: total }, (_, index) => {
    const [name, shape, more] = FILES[index % FILES.length] ?? ['IMG.jpg', '3x2', {}];
    const [across = 1, down = 1] = shape.split('x').map(Number);
    return {
      id: `${Math.floor(index / FILES.length)} ${name} ${shape}`,
      name,
      size: 24_300_000 - 1_234_567 * (index % 9),
      sha256: '0123456789abcdef'.repeat(4),
      type: 'image/jpeg',
      width: across * 1000,
      height: down * 1000,
      length: null,
      version: 1,
      project: { id: 'p1', name: 'Spring wedding' },
      sender: 'Anna Maria Schneider-Hohenfels',
      uploadedAt: new Date(2026, 10, 22, 18, 5).getTime(),
      capturedAt: new Date(2026, 10, 21, 16, 40).getTime(),
      approval: null,
      comments: 2,
      pageUrl: 'https://workspace.example.com/photos/1',
      ...more,
    };
  });
}

function library(more: Partial<LibraryState> = {}): Partial<Situation> {
  return {
    ...SIGNED_IN,
    ...withProjects(),
    library: { ...NO_FILES, access: 'ready', files: files(24), ...more },
  };
}

const SEARCH = { ...NO_FILES.query, text: 'Harbour' };

/** Scenes about the files of the workspace. */
export const LIBRARY = {
  library: { title: 'Files', situations: () => [library()], press: ['browseFiles'] },
  'library-line': { title: 'Files, not opened', situations: () => [library()] },
  'library-filtered': {
    title: 'Files, filtered',
    situations: () => [
      library({
        hasMore: true,
        isLoading: true,
        query: {
          ...NO_FILES.query,
          kind: 'document',
          project: { id: 'p1', name: 'Fotografie am Oberlandesgericht, Außenstelle 2' },
          isApproved: true,
          isMine: false,
        },
      }),
    ],
    press: ['browseFiles'],
  },
  'library-sorting': {
    title: 'Files, orders',
    situations: () => [library()],
    press: ['browseFiles', 'sort'],
  },
  'library-empty': {
    title: 'Files, none yet',
    situations: () => [library({ files: [] })],
    press: ['browseFiles'],
  },
  'library-not-found': {
    title: 'Files, nothing found',
    situations: () => [library({ files: [], query: SEARCH })],
    press: ['browseFiles'],
  },
  'library-permission': {
    title: 'Files, a permission is missing',
    situations: () => [
      library({ files: [], access: 'needs-permission', neededScope: 'uploads:read' }),
    ],
    press: ['browseFiles'],
  },
  'library-all-permission': {
    title: 'Files of all, a permission is missing',
    situations: () => [
      library({
        files: [],
        access: 'needs-permission',
        neededScope: 'workspace:read',
        query: { ...NO_FILES.query, isMine: false },
      }),
    ],
    press: ['browseFiles'],
  },
  'library-offline': {
    title: 'Files, no connection',
    situations: (now) => [
      {
        ...library({ error: error('CW-301') }),
        queue: { kind: 'waiting', error: error('CW-301'), until: now + 9_000 },
      },
    ],
    press: ['browseFiles'],
  },
  'library-failed': {
    title: 'Files, not listed',
    situations: () => [library({ files: files(4), error: error('CW-616') })],
    press: ['browseFiles'],
  },
  'library-chosen': {
    title: 'Files, one chosen, one on its way',
    situations: () => [
      {
        ...library(),
        placing: {
          canPlace: true,
          canOpen: false,
          folder: null,
          needsPermission: false,
          failure: null,
          current: { name: 'Harbour at dusk.tif', received: 88_000_000, total: 210_000_000 },
        },
      },
    ],
    press: ['browseFiles', 'Poster.psd'],
  },
  'library-ten-thousand': {
    title: 'Files, ten thousand',
    situations: () => [library({ files: files(10_000) })],
    press: ['browseFiles'],
  },
  'library-details': {
    title: 'Files, details',
    situations: () => [
      {
        ...library(),
        placing: {
          canPlace: true,
          canOpen: true,
          folder: 'Links',
          needsPermission: false,
          failure: null,
          current: null,
        },
      },
    ],
    press: ['browseFiles', 'Poster.psd', 'details'],
  },
} as const satisfies Scenes;
