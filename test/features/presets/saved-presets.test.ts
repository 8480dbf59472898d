import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ExportOffer, ExportSettings } from '../../../src/host/document-export.js';
import {
  containsPart,
  identityOfPreset,
  PLAIN_PDF,
  plainSettings,
  presetOfFormat,
  readPreset,
  writePreset,
  type Preset,
} from '../../../src/features/presets/preset.js';
import { Presets } from '../../../src/features/presets/saved-presets.js';
import { recipeOf } from '../../../src/features/presets/recipe.js';
import { CwError } from '../../../src/util/errors.js';

const offers = (...formats: readonly ExportOffer['format'][]): readonly ExportOffer[] =>
  formats.map((format) => ({ format, gives: 'document' }));

const PICTURES = offers('jpg', 'png', 'tif', 'psd');

const OWN: Preset = {
  id: 'a1',
  name: 'Instagram',
  kind: 'web',
  namePattern: '{date} {name}',
  settings: {
    ...plainSettings('jpg'),
    quality: 8,
    longEdge: 1350,
    profile: 'srgb',
    metadata: {
      removeLocation: true,
      creator: 'Anna',
      copyright: '© Anna',
      contact: 'a@b.example',
    },
  },
};

describe('the presets', () => {
  const records = new Map<string, string>();
  let refusal: CwError | null;
  let ids: number;

  const started = (offered = PICTURES): Presets => {
    const made = new Presets({
      records: {
        put: (key, value) => {
          if (refusal) return Promise.reject(refusal);
          records.set(key, value);
          return Promise.resolve();
        },
        remove: (...keys) => {
          if (refusal) return Promise.reject(refusal);
          for (const key of keys) records.delete(key);
          return Promise.resolve();
        },
      },
      offers: offered,
      newId: () => `id${(ids += 1)}`,
    });
    made.restore(records);
    return made;
  };
  const idsOf = (presets: Presets): string[] => presets.list.map(({ id }) => id);

  beforeEach(() => {
    records.clear();
    refusal = null;
    ids = 0;
  });

  it.each([
    ['an app for pictures', PICTURES, ['original', 'web', 'print'], 'print'],
    ['an app for pages', offers('pdf', 'jpg', 'png'), ['pdf', 'jpg', 'png'], 'pdf'],
    ['an app for films', offers('png'), ['png'], 'png'],
    ['an app without an export', offers(), [], undefined],
  ])('are in %s those that it can make', (_app, offered, expected, chosen) => {
    const presets = started(offered);
    expect(idsOf(presets)).toEqual(expected);
    expect(presets.chosen?.id).toBe(chosen);
  });

  it('make a small sRGB JPEG without a location for the web, and the whole picture for print', () => {
    const presets = started();
    expect(presets.find('web')?.settings).toMatchObject({
      format: 'jpg',
      quality: 10,
      longEdge: 2048,
      profile: 'srgb',
      metadata: { removeLocation: true },
    });
    expect(presets.find('print')?.settings).toEqual(plainSettings('jpg'));
    expect(presets.find('original')?.settings).toEqual(plainSettings('psd'));
  });

  it('are as they were after a restart: the choice, changes, copies and their order', async () => {
    const first = started();
    const web = first.find('web');
    if (!web) throw new Error('no web');
    await first.save({ ...web, settings: { ...web.settings, longEdge: 1600 } });
    const copy = await first.duplicate(web, 'Second');
    await first.duplicate(OWN, 'Third');
    await first.save({ ...copy, namePattern: '{name} 2' });
    await first.choose(copy.id);
    const again = started();
    expect(again.state.get()).toEqual(first.state.get());
    expect(idsOf(again)).toEqual(['original', 'web', 'print', 'id1', 'id2']);
    expect(again.find('web')?.settings.longEdge).toBe(1600);
    expect(again.find('id1')).toMatchObject({ name: 'Second', namePattern: '{name} 2' });
    expect(again.chosen?.id).toBe('id1');
    expect(again.state.get().changed).toEqual(['web']);
  });

  it('fall back to the first choice when the chosen one is deleted, and to the installed one when reset', async () => {
    const presets = started();
    const copy = await presets.duplicate(OWN, 'Second');
    await presets.choose(copy.id);
    await presets.remove(copy.id);
    expect(presets.chosen?.id).toBe('print');
    expect(presets.find(copy.id)).toBeNull();
    await presets.save({ ...presetOfFormat('png'), id: 'web' });
    await presets.remove('web');
    expect(presets.find('web')?.settings.longEdge).toBe(2048);
    expect(idsOf(started())).toEqual(['original', 'web', 'print']);
  });

  it('stay as they are when nothing can be stored, but a choice counts for this run', async () => {
    const presets = started();
    refusal = new CwError('CW-702', 'no');
    await expect(presets.save(OWN)).rejects.toBe(refusal);
    await expect(presets.duplicate(OWN, 'x')).rejects.toBe(refusal);
    expect(idsOf(presets)).toEqual(['original', 'web', 'print']);
    await expect(presets.choose('web')).rejects.toBe(refusal);
    expect(presets.chosen?.id).toBe('web');
  });

  it('keep a preset whose format this app does not export, without listing it', () => {
    records.set('preset-a1', writePreset(OWN, 1));
    expect(idsOf(started(offers('pdf')))).toEqual(['pdf']);
    expect(records.has('preset-a1')).toBe(true);
  });

  describe('that are stored', () => {
    const stored = (change: (body: Record<string, unknown>) => unknown): string => {
      const body = JSON.parse(writePreset(OWN, 1)) as Record<string, unknown>;
      return JSON.stringify(change(body));
    };
    const settings = (more: object) => (body: Record<string, unknown>) => ({
      ...body,
      settings: { ...OWN.settings, ...more },
    });

    it.each<[string, Partial<ExportSettings>]>([
      ['of a picture', {}],
      ['of a video', { inOut: true }],
      ...(['all', 'current'] as const).map((kind): [string, Partial<ExportSettings>] => [
        `of a PDF with ${kind} pages`,
        { pdf: { pages: { kind }, layout: 'spreads', marks: 'bleed' } },
      ]),
      [
        'of a PDF with a range',
        { pdf: { pages: { kind: 'range', text: '3-7, 12' }, layout: 'pages', marks: 'preset' } },
      ],
    ])('are read as they were written: those %s', (_what, more) => {
      const preset = { ...OWN, settings: { ...OWN.settings, ...more } };
      expect(readPreset(writePreset(preset, 7))).toEqual({ preset, position: 7 });
    });

    it.each([
      [true, true],
      [false, undefined],
      ['true', undefined],
      [1, undefined],
      [undefined, undefined],
    ])('require an approval only where that is written as true: %p', (written, expected) => {
      const read = readPreset(stored((body) => ({ ...body, approvedOnly: written })))?.preset;
      expect(read?.approvedOnly).toBe(expected);
      expect(read && readPreset(writePreset(read, 1))?.preset).toEqual(read);
    });

    it('by an earlier version are read, and keep the recipe of automatic uploads', () => {
      // As version 0.1.0 stored it.
      const text =
        '{"version":1,"position":1,"id":"pdf","name":null,"kind":"original","namePattern":"{name}","settings":{"format":"pdf","quality":12,"longEdge":null,"profile":"document","bitDepth":8,"appPreset":{"id":"Studio","name":"Studio"},"metadata":{"removeLocation":false,"creator":"","copyright":"","contact":""}}}';
      const appPreset = { id: 'Studio', name: 'Studio' };
      const preset = { ...presetOfFormat('pdf'), settings: { ...plainSettings('pdf'), appPreset } };
      const read = readPreset(text)?.preset;
      expect(read).toEqual(preset);
      expect(read && recipeOf(read, null)).toBe('932f1ebd1da9637d5a7e4e21');
    });

    it.each([
      ['no JSON', '{"version":1,'],
      ['another version', stored((body) => ({ ...body, version: 2 }))],
      ['an id that is a path', stored((body) => ({ ...body, id: '../a' }))],
      ['no name', stored((body) => ({ ...body, name: '' }))],
      ['an unknown kind', stored((body) => ({ ...body, kind: 'poster' }))],
      ['a pattern with a path', stored((body) => ({ ...body, namePattern: '../{name}' }))],
      ['no place', stored((body) => ({ ...body, position: 'first' }))],
      ['no settings', stored((body) => ({ ...body, settings: null }))],
      ['an unknown format', stored(settings({ format: 'exe' }))],
      ['a quality above the best', stored(settings({ quality: 13 }))],
      ['a size that no picture has', stored(settings({ longEdge: 1e9 }))],
      ['part of a pixel', stored(settings({ longEdge: 100.5 }))],
      ['another profile', stored(settings({ profile: 'CMYK' }))],
      ['another depth', stored(settings({ bitDepth: 32 }))],
      ['no metadata', stored(settings({ metadata: [] }))],
      ['a PDF that is nothing', stored(settings({ pdf: null }))],
      ...[
        { pages: { kind: 'odd' } },
        { pages: { kind: 'range', text: '1,,2' } },
        { pages: { kind: 'range' } },
        { layout: 'booklet' },
        { marks: 'all' },
      ].map((more): [string, string] => [
        `a PDF with ${JSON.stringify(more)}`,
        stored(settings({ pdf: { ...PLAIN_PDF, ...more } })),
      ]),
    ])('with %s are left out, without the loss of the others', (_what, text) => {
      records.set('preset-a1', text);
      records.set('preset-b2', writePreset({ ...OWN, id: 'b2' }, 2));
      records.set('delivered-1', writePreset(OWN, 3));
      expect(idsOf(started())).toEqual(['original', 'web', 'print', 'b2']);
    });

    it('under the key of another one, or without a name, are left out', () => {
      records.set('preset-b2', writePreset(OWN, 1));
      records.set('preset-c3', writePreset({ ...OWN, id: 'c3', name: null }, 1));
      expect(idsOf(started())).toEqual(['original', 'web', 'print']);
    });

    it('lose characters that mislead', () => {
      const read = readPreset(stored((body) => ({ ...body, name: 'a\u202eb\u0000' })));
      expect(read?.preset.name).toBe('a b');
    });
  });

  it.each([
    ['d1#image/jpeg', 'd1', true],
    ['d1#web#image/jpeg', 'd1#page-2', true],
    ['d1#page-2#web#image/jpeg', 'd1#page-2', true],
    ['d1#page-2#web#image/jpeg', 'd1#page-3', false],
    ['d1#pages-1-3#application/pdf', 'd1', false],
    ['d1#pages-1-3#application/pdf', 'd1#pages-1-3', true],
    ['d1#artboard-7#image/vnd.x-psd', 'd1', false],
    ['d1#image/vnd.x-psd', 'd1#artboard-7', true],
  ])('make %s, which contains %s: %p', (whole, part, expected) => {
    expect(containsPart(whole, part)).toBe(expected);
  });

  it('make photos with separate versions, except Original, Print and plain formats', () => {
    const of = (id: string): string | null => identityOfPreset('xmp.did:1', { ...OWN, id });
    expect(['original', 'pdf', 'web', 'print', 'a1'].map(of)).toEqual([
      'xmp.did:1',
      'xmp.did:1',
      'xmp.did:1#web',
      'xmp.did:1',
      'xmp.did:1#a1',
    ]);
    expect(identityOfPreset(null, OWN)).toBeNull();
  });
});
