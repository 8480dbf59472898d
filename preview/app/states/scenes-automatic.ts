import type { WatchedFolder } from '../../../src/features/folder/folder-watch.js';
import type { Preset } from '../../../src/features/presets/preset.js';
import type { Scenes, Situation } from './scene.js';
import { plainSettings } from '../../../src/features/presets/preset.js';
import { error, SIGNED_IN, uploads, withDocument, withProjects } from './scene-parts.js';

const CONNECTED = { ...SIGNED_IN, ...withProjects(), ...uploads([]) };

function folder(now: number, change: Partial<WatchedFolder> = {}): WatchedFolder {
  return {
    name: 'Finished exports of the spring wedding',
    project: { id: 'p1', name: 'Spring wedding' },
    movesUploaded: true,
    takenToday: 32,
    last: { name: 'Wedding on the lake, the cover of the album.jpg', at: now - 90_000 },
    waitsFor: null,
    half: null,
    error: null,
    isForeign: false,
    ...change,
  };
}

function onSave(change: Partial<Situation['onSave']>): Partial<Situation> {
  const preset: Preset = {
    id: 'web',
    name: null,
    kind: 'web',
    namePattern: '{name}-web',
    settings: plainSettings('jpg'),
  };
  return {
    ...CONNECTED,
    ...withDocument('uploaded'),
    onSave: {
      isAvailable: true,
      all: true,
      documents: [],
      preset,
      last: null,
      missed: [],
      ...change,
    },
  };
}

/** Scenes about what is uploaded without a press. */
export const AUTOMATIC = {
  'on-save': {
    title: 'Upload on save is on',
    situations: (now) => [
      onSave({ last: { name: 'Lake at dusk.psd', at: now - 60_000, kind: 'queued' } }),
    ],
  },
  automatic: {
    title: 'Automatic uploads',
    situations: (now) => [
      {
        ...onSave({ last: { name: 'Lake at dusk.psd', at: now - 60_000, kind: 'queued' } }),
        folder: folder(now),
      },
    ],
    press: ['accountMenu', 'automatic'],
    recordsSteps: true,
  },
  'on-save-missed': {
    title: 'Saved documents were not uploaded',
    situations: (now) => [
      onSave({
        missed: [
          {
            documentId: 'xmp.did:1',
            name: 'Wedding on the lake, the cover of the album.psd',
            since: now - 3_600_000,
            error: null,
          },
          {
            documentId: 'xmp.did:2',
            name: 'IMG_0412.psd',
            since: now - 60_000,
            error: error('CW-810'),
          },
        ],
      }),
    ],
    press: ['accountMenu', 'automatic'],
  },
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
  'folder-half': {
    title: 'Watched folder with a file that is not complete',
    situations: (now) => [
      {
        ...CONNECTED,
        folder: folder(now, {
          waitsFor: 'Wedding on the lake, the film of the evening.mp4',
          half: 'Wedding on the lake, the cover of the album.jpg',
        }),
      },
    ],
    press: ['accountMenu', 'automatic'],
  },
  'folder-gone': {
    title: 'Watched folder is gone',
    situations: (now) => [{ ...CONNECTED, folder: folder(now, { error: error('CW-705') }) }],
  },
} as const satisfies Scenes;
