import type { Scenes } from './scene.js';
import {
  error,
  uploads,
  photo,
  thirty,
  wedding,
  withDocument,
  withProjects,
} from './scene-parts.js';

/** Scenes about photos on their way, and about what holds them up. */
export const PHOTOS = {
  adding: {
    title: 'Adding photos',
    situations: () => [uploads(wedding(0.1).slice(5), { adding: { done: 2, total: 1240 } })],
  },
  uploading: {
    title: 'Uploading',
    situations: () => [uploads(wedding(0.1)), uploads(wedding(0.3)), uploads(wedding(0.62))],
  },
  options: {
    title: 'Uploading, options of a photo',
    situations: () => [uploads(wedding(0.3))],
    press: ['options'],
  },
  paused: {
    title: 'Paused',
    situations: () => [
      uploads(
        wedding(0).map((item) =>
          item.phase === 'uploading' ? { ...item, phase: 'waiting' } : item,
        ),
        { paused: true },
      ),
    ],
  },
  offline: {
    title: 'Offline',
    situations: (now) => [
      {
        ...uploads(wedding(0.4)),
        queue: { kind: 'waiting', error: error('CW-301'), until: now + 23_000 },
      },
    ],
  },
  'try-now': {
    title: 'Offline, Try now was pressed',
    situations: (now) => [
      {
        ...uploads(wedding(0.4)),
        queue: { kind: 'waiting', error: error('CW-301'), until: now + 23_000 },
      },
    ],
    press: ['tryNow'],
  },
  'sent-again': {
    title: 'Uploading, some is sent again',
    situations: () => [uploads(wedding(0.62)), uploads(wedding(0.5))],
  },
  unreachable: {
    title: 'Service unreachable, waiting to retry',
    situations: (now) => [
      {
        ...uploads(wedding(0.4)),
        queue: { kind: 'waiting', error: error('CW-303'), until: now + 240_000 },
      },
    ],
  },
  full: {
    title: 'The workspace is full',
    situations: (now) => [
      uploads([photo('IMG_0411.jpg', 24, 'waiting', 0.3), ...wedding(0).slice(5)], {
        space: { kind: 'waiting', error: error('CW-606'), until: now + 110_000 },
      }),
    ],
  },
  serviceFull: {
    title: 'The service is full',
    situations: (now) => [
      uploads([photo('IMG_0411.jpg', 24, 'waiting', 0.3), ...wedding(0).slice(5)], {
        space: { kind: 'waiting', error: error('CW-620'), until: now + 110_000 },
      }),
    ],
  },
  failed: {
    title: 'Some failed',
    situations: () => [
      uploads([
        ...wedding(0.5).slice(0, 3),
        photo('Panorama_Dachterrasse_gesamt.tif', 812, 'failed', 0, 'CW-604'),
        photo('notes.txt', 0.1, 'failed', 0, 'CW-605'),
        photo('IMG_0420.jpg', 23, 'failed', 0, 'CW-604'),
      ]),
    ],
  },
  removed: {
    title: 'Photos removed',
    situations: () => [uploads(wedding(0.5)), uploads(wedding(0.6), { removal: { photos: 3 } })],
  },
  disconnecting: {
    title: 'Disconnecting with photos waiting',
    situations: () => [uploads(wedding(0.3))],
    press: ['accountMenu', 'disconnect'],
  },
  held: {
    title: 'Some may be no photos',
    situations: () => [
      uploads([
        ...wedding(0.5).slice(2, 3),
        photo('Ablaufplan der Hochzeit von Anna und Ben.jpg', 0.1, 'failed', 0, 'CW-609'),
        photo('Anna & Ben 👩‍❤️‍👨🇩🇪👨‍👩‍👧‍👦👍🏽0420.jpg', 2.4, 'failed', 0, 'CW-610'),
        photo('👨‍👩‍👧‍👦🎂.png', 3, 'failed', 0, 'CW-610'),
        photo('IMG_0421.jpg', 23, 'failed', 0, 'CW-604'),
      ]),
    ],
  },
  'held-options': {
    title: 'May be no photo, its options',
    situations: () => [
      uploads([photo('Ablaufplan der Hochzeit von Anna und Ben.jpg', 0.1, 'failed', 0, 'CW-609')]),
    ],
    press: ['options'],
  },
  known: {
    title: 'Some are in the workspace already',
    situations: () => [
      uploads([
        ...wedding(0.5).slice(2, 3),
        photo('IMG_0412.jpg', 24.3, 'failed', 0, 'CW-611'),
        photo('IMG_0413.jpg', 22.8, 'failed', 0, 'CW-611'),
      ]),
    ],
  },
  'failed-reasons': {
    title: 'Some failed, the reasons unfolded',
    situations: () => [
      uploads(
        [
          ...wedding(0.5).slice(2, 3),
          photo('Panorama_Dachterrasse_gesamt.tif', 812, 'failed', 0, 'CW-604'),
          photo('IMG_0420.jpg', 23, 'failed', 0, 'CW-603'),
        ],
        { rejected: [{ name: 'IMG_0001.jpg', error: error('CW-601') }] },
      ),
    ],
    press: [{ key: 'needLook', count: 3 }],
  },
  previous: {
    title: 'Earlier versions: replace them?',
    situations: () => [
      uploads(wedding(0).slice(5), {
        previous: [
          {
            id: '1',
            name: 'IMG_0417.jpg',
            projectName: 'Spring wedding',
            uploadedAt: null,
            replaces: 'u1',
          },
          { id: '2', name: 'IMG_0418.jpg', projectName: null, uploadedAt: null, replaces: 'u2' },
        ],
      }),
    ],
  },
  thirty: {
    title: 'Thirty photos, with document and destination',
    situations: () => [
      { ...withProjects(), ...withDocument('changed'), ...uploads(thirty(0.1)) },
      { ...withProjects(), ...withDocument('changed'), ...uploads(thirty(0.4)) },
      { ...withProjects(), ...withDocument('changed'), ...uploads(thirty(0.7)) },
    ],
  },
  'client-answer': {
    title: 'The client approved an earlier version',
    situations: () => [
      {
        ...withProjects(),
        ...withDocument('changed', {
          version: 3,
          isOutdated: true,
          pageUrl: null,
        }),
        ...uploads(thirty(0.7)),
      },
    ],
  },
  finished: {
    title: 'All uploaded to a project',
    situations: () => [
      { ...withProjects(), ...withDocument('uploaded'), ...uploads(thirty(0.5)) },
      {
        ...withProjects(),
        ...withDocument('uploaded'),
        ...uploads(
          thirty(1).map((item) => ({ ...item, phase: 'uploaded', sentBytes: item.record.size })),
          {
            lastBatch: {
              count: 30,
              names: ['LH5_4312.jpg'],
              uploads: ['u1'],
              project: { id: 'p1', name: 'Spring wedding' },
            },
          },
        ),
      },
    ],
  },
  'known-options': {
    title: 'In the workspace already, its options',
    situations: () => [uploads([photo('IMG_0412.jpg', 24.3, 'failed', 0, 'CW-611')])],
    press: ['options'],
  },
} as const satisfies Scenes;
