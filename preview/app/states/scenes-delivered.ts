import type { Scenes } from './scene.js';
import { SIGNED_IN, withProjects, error, uploads, wedding, delivered } from './scene-parts.js';

/** Scenes about photos that have arrived, and about what could not be added. */
export const DELIVERED = {
  'delivered-folded': {
    title: 'Delivered, folded',
    situations: () => [{ ...SIGNED_IN, delivered: delivered(1000) }],
  },
  delivered: {
    title: 'Uploaded',
    situations: () => [{ ...SIGNED_IN, delivered: delivered() }],
    press: ['delivered'],
  },
  selecting: {
    title: 'Selecting photos for a link',
    situations: () => [{ ...SIGNED_IN, ...withProjects(), delivered: delivered() }],
    press: ['delivered', 'select'],
  },
  'delivered-options': {
    title: 'Delivered, options of a photo',
    situations: () => [{ ...SIGNED_IN, delivered: delivered() }],
    press: ['delivered', 'options'],
  },
  'delivered-many': {
    title: 'Delivered, a thousand',
    situations: () => [{ ...uploads(wedding(0.3)), delivered: delivered(1000) }],
    press: ['delivered'],
  },
  'delivered-not-copied': {
    title: 'Delivered, clipboard refused',
    situations: () => [{ ...SIGNED_IN, delivered: delivered() }],
    press: ['delivered', 'copyList'],
    refuses: { copyText: 'CW-801' },
  },
  refused: {
    title: 'Some not added',
    situations: () => [
      uploads(wedding(0.2).slice(0, 3), {
        rejected: [
          { name: 'IMG_0001.jpg', error: error('CW-601') },
          {
            name: 'Ein_sehr_langer_Dateiname_von_der_externen_Festplatte.jpg',
            error: error('CW-602'),
          },
          { name: 'IMG_0003.jpg', error: error('CW-602') },
        ],
      }),
    ],
  },
  'document-failed': {
    title: 'Document not uploaded',
    situations: () => [uploads([], { documentError: error('CW-805') })],
  },
  'all-arrived': {
    title: 'All have arrived',
    situations: () => [
      uploads(wedding(1).slice(0, 3)),
      uploads(
        wedding(1)
          .slice(0, 3)
          .map((item) => ({ ...item, phase: 'uploaded' as const })),
      ),
    ],
  },
} as const satisfies Scenes;
