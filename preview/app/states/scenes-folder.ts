import type { WatchedFolder } from '../../../src/uploads/folder/folder-watch.js';
import type { Scenes } from './scene.js';
import { error, SIGNED_IN, uploads, withProjects } from './scene-parts.js';

const CONNECTED = { ...SIGNED_IN, ...withProjects(), ...uploads([]) };

function folder(now: number, change: Partial<WatchedFolder> = {}): WatchedFolder {
  return {
    name: 'Finished exports of the spring wedding',
    project: { id: 'p1', name: 'Spring wedding' },
    movesUploaded: true,
    takenToday: 32,
    last: { name: 'Wedding on the lake, the cover of the album.jpg', at: now - 90_000 },
    error: null,
    isForeign: false,
    ...change,
  };
}

/** Scenes about the watched folder. */
export const FOLDER = {
  folder: {
    title: 'Watched folder',
    situations: (now) => [{ ...CONNECTED, folder: folder(now) }],
    press: ['accountMenu', 'automatic'],
  },
  'no-folder': {
    title: 'Watched folder, none is chosen',
    situations: () => [CONNECTED],
    press: ['accountMenu', 'automatic'],
  },
  'folder-foreign': {
    title: 'Watched folder of another account',
    situations: (now) => [{ ...CONNECTED, folder: folder(now, { isForeign: true }) }],
    press: ['accountMenu', 'automatic'],
  },
  'folder-gone': {
    title: 'Watched folder is gone',
    situations: (now) => [{ ...CONNECTED, folder: folder(now, { error: error('CW-705') }) }],
  },
} as const satisfies Scenes;
