import { plainSettings } from '../../../src/features/presets/preset.js';
import type { Scenes } from './scene.js';
import {
  error,
  layoutAndFilm,
  SIGNED_IN,
  uploads,
  withDocument,
  withProjects,
} from './scene-parts.js';

const CARD = { ...SIGNED_IN, ...withProjects(), ...withDocument('changed') };

const LAYOUT = {
  ...CARD,
  ...withDocument('changed', null, 'Wedding book, spring.indd'),
  presetId: 'pdf',
};
const LAYOUT_OFFERS = [
  { format: 'pdf', gives: 'document', appPresets: 'list', choices: ['pdf'] },
  { format: 'jpg', gives: 'page', choices: ['quality', 'metadata'] },
] as const;

const FILM = { ...CARD, ...withDocument('not-uploaded', null, 'Coast, cut 4'), presetId: 'mp4' };
const FILM_OFFERS = [
  { format: 'mp4', gives: 'sequence', appPresets: 'file', choices: ['inOut'] },
] as const;

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
  'layout-preset': {
    title: 'Presets, a PDF',
    situations: () => [LAYOUT],
    press: ['PDF', 'editPresets', 'PDF'],
    offers: LAYOUT_OFFERS,
  },
  'layout-pages': {
    title: 'A layout, with what will arrive',
    situations: () => [{ ...LAYOUT, ...uploads(layoutAndFilm()) }],
    offers: LAYOUT_OFFERS,
    length: { kind: 'pages', pages: 24 },
  },
  'layout-no-pages': {
    title: 'A layout without the pages of the preset',
    situations: () => [LAYOUT],
    offers: LAYOUT_OFFERS,
    refuses: { lengthOf: 'CW-813' },
  },
  'film-preset': {
    title: 'Presets, a video',
    situations: () => [FILM],
    press: ['video', 'editPresets', 'video'],
    offers: FILM_OFFERS,
    length: { kind: 'duration', seconds: 92 },
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
