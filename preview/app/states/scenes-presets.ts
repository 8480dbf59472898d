import { plainSettings } from '../../../src/features/presets/preset.js';
import type { Scenes } from './scene.js';
import { error, SIGNED_IN, uploads, withDocument, withProjects } from './scene-parts.js';

const CARD = { ...SIGNED_IN, ...withProjects(), ...withDocument('changed') };

/** Scenes about presets, and about documents that are uploaded together. */
export const PRESETS = {
  presets: {
    title: 'Presets, the menu',
    situations: () => [{ ...CARD, ownPreset: 'Instagram, portrait format with a border' }],
    press: ['presetPrint'],
  },
  'own-preset': {
    title: 'Presets, a long name is chosen',
    situations: () => [
      { ...CARD, ownPreset: 'Instagram, portrait format with a border', presetId: 'own' },
    ],
  },
  'preset-list': {
    title: 'Presets, the list',
    situations: () => [{ ...CARD, ownPreset: 'Instagram, portrait format with a border' }],
    press: ['presetPrint', 'editPresets'],
  },
  preset: {
    title: 'Presets, one is edited',
    situations: () => [CARD],
    press: ['presetPrint', 'editPresets', 'presetWeb'],
  },
  'preset-deleted': {
    title: 'Presets, delete one?',
    situations: () => [{ ...CARD, ownPreset: 'Instagram' }],
    press: ['presetPrint', 'editPresets', 'Instagram', 'delete'],
  },
  documents: {
    title: 'All open documents',
    situations: () => [CARD],
    press: ['presetPrint', 'allDocuments'],
  },
  artboards: {
    title: 'Artboards',
    situations: () => [CARD],
    press: ['presetPrint', 'artboards'],
  },
  exporting: {
    title: 'Documents are exported',
    situations: () => [{ ...CARD, ...uploads([]), batch: { done: 2, total: 12, failures: [] } }],
  },
  'not-exported': {
    title: 'Some documents were not exported',
    situations: () => [
      {
        ...CARD,
        ...uploads([]),
        batch: {
          done: 0,
          total: 0,
          failures: [
            { name: 'Wedding on the lake, the cover of the album.psd', error: error('CW-805') },
            { name: 'IMG_0412.psd', error: error('CW-803') },
          ],
        },
      },
    ],
  },
} as const satisfies Scenes;

/** A preset of the user's own, for the scenes. */
export function ownPreset(name: string): {
  readonly id: string;
  readonly name: string;
  readonly kind: 'web';
  readonly namePattern: string;
  readonly settings: ReturnType<typeof plainSettings>;
} {
  return {
    id: 'own',
    name,
    kind: 'web',
    namePattern: '{date} {name}',
    settings: { ...plainSettings('jpg'), longEdge: 1350, profile: 'srgb' },
  };
}
