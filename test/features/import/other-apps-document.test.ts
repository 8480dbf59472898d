import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { presetOfFormat } from '../../../src/features/presets/preset.js';
import { bytes, DocumentFixture, itTellsTroubles } from './document-fixture.js';

let fixture: DocumentFixture;

afterEach(() => {
  fixture.close();
});

describe('uploading from InDesign', () => {
  const brochure = {
    name: 'Brochure.indd',
    // Two sections that both begin at 1: the number on a page does not say which page it is.
    pages: ['i', '1', '2', '1'],
    inFront: 3,
    bytes: { pdf: bytes('all pages'), jpg: bytes('a picture'), png: bytes('another') },
  };

  beforeEach(async () => {
    fixture = await DocumentFixture.open('indesign');
  });

  it('offers uploads on save', () => {
    expect(fixture.plugin.panel.state.onSave.get().isAvailable).toBe(true);
    expect(fixture.control.indesign.listeners).toBe(2);
  });

  it('uploads any open document, not only the one in front', async () => {
    const { indesign } = fixture.control;
    for (const name of ['Brochure.indd', 'Poster.indd'])
      indesign.openDocument({ ...brochure, name });
    const { actions } = fixture.plugin.panel.context;
    const entries = (await actions.openDocuments()).map(({ key, name }) => ({
      target: { documentKey: key, partId: null },
      name,
    }));
    await actions.uploadDocuments(entries, presetOfFormat('pdf'), '');
    expect(fixture.queued()).toEqual([
      'Poster.pdf (application/pdf): all pages',
      'Brochure.pdf (application/pdf): all pages',
    ]);
  });

  it('exports all pages as PDF and does not open it', async () => {
    const { indesign } = fixture.control;
    indesign.openDocument(brochure);
    await fixture.upload('pdf');
    expect(fixture.error()).toBeUndefined();
    expect(fixture.queued()).toEqual(['Brochure.pdf (application/pdf): all pages']);
    expect(indesign.exports).toMatchObject([
      { document: 'Brochure.indd', pages: [0, 1, 2, 3], preferences: { viewPDF: false } },
      // Its picture.
      { document: 'Brochure.indd', format: 'jpg', pages: [0] },
    ]);
    expect(fixture.leftOver()).toEqual([]);
  });

  it.each([
    ['jpg', 'Brochure.jpg (image/jpeg): a picture', { jpegQuality: 1701727608 }],
    ['png', 'Brochure.png (image/png): another', { pngQuality: 1701727608 }],
  ] as const)('exports the page in front as %s, fit for print', async (format, name, quality) => {
    const { indesign } = fixture.control;
    for (const addsPageNumber of [false, true]) {
      indesign.addsPageNumber = addsPageNumber;
      indesign.openDocument(brochure);
      await fixture.upload(format);
    }
    expect(fixture.error()).toBeUndefined();
    expect(fixture.queued()).toEqual([name, name]);
    const preferences = { exportingSpread: false, exportResolution: 300, ...quality };
    expect(indesign.exports).toMatchObject([
      { pages: [3], preferences },
      { pages: [3], preferences },
    ]);
    expect(fixture.leftOver()).toEqual([]);
  });

  it('restores the user’s export preferences, also after a failure', async () => {
    const { indesign } = fixture.control;
    const before = indesign.preferences();
    indesign.openDocument(brochure);
    for (const format of ['pdf', 'jpg', 'png'] as const) {
      await fixture.upload(format);
      expect(fixture.error()).toBeUndefined();
      indesign.busy = true;
      await fixture.upload(format);
      expect(fixture.error()).toBe('CW-805');
      indesign.busy = false;
    }
    expect(indesign.preferences()).toEqual(before);
  });

  itTellsTroubles(
    () => fixture,
    [
      ['without a document', 'pdf', 'CW-803', () => undefined],
      [
        'with a parent page in front',
        'jpg',
        'CW-805',
        ({ indesign }) => indesign.openDocument({ ...brochure, inFront: 'parent' }),
      ],
      [
        'of a document without a window',
        'png',
        'CW-805',
        ({ indesign }) => indesign.openDocument({ ...brochure, inFront: null }),
      ],
      [
        'while a dialog is open',
        'pdf',
        'CW-805',
        ({ indesign }) => {
          indesign.openDocument(brochure);
          indesign.busy = true;
        },
      ],
      [
        'that turns out empty',
        'pdf',
        'CW-805',
        ({ indesign }) => indesign.openDocument({ ...brochure, bytes: { pdf: bytes('') } }),
      ],
      [
        'on a full disk',
        'pdf',
        'CW-703',
        ({ indesign, disk }) => {
          indesign.openDocument(brochure);
          disk.fullAfter(3);
        },
      ],
      [
        'as PSD, which InDesign does not make',
        'psd',
        'CW-804',
        ({ indesign }) => indesign.openDocument(brochure),
      ],
    ],
  );
});

describe('uploading from Premiere', () => {
  const trip = {
    name: 'Coast',
    seconds: 3_725.408,
    width: 1919.6,
    height: 1080,
    bytes: { jpg: bytes('a frame'), png: bytes('the same frame') },
  };

  beforeEach(async () => {
    fixture = await DocumentFixture.open('premierepro');
  });

  it.each([
    ['jpg', 'Coast 01-02-05.40.jpg (image/jpeg): a frame'],
    ['png', 'Coast 01-02-05.40.png (image/png): the same frame'],
  ] as const)(
    'exports the frame under the playhead as %s in its own size',
    async (format, name) => {
      const { premiere } = fixture.control;
      premiere.openProject(trip);
      await fixture.upload(format);
      expect(fixture.error()).toBeUndefined();
      expect(fixture.queued()).toEqual([name]);
      expect(premiere.frames).toEqual([
        {
          sequence: 'Coast',
          seconds: 3_725.408,
          filename: `frame.${format}`,
          width: 1920,
          height: 1080,
        },
      ]);
      expect(fixture.leftOver()).toEqual([]);
    },
  );

  it('offers no uploads on save', () => {
    expect(fixture.plugin.panel.state.onSave.get().isAvailable).toBe(false);
  });

  it('finds the file under another name, and waits until it is complete', async () => {
    const { premiere } = fixture.control;
    premiere.doublesEnding = true;
    premiere.writesLate = true;
    premiere.openProject(trip);
    await fixture.upload('jpg');
    expect(fixture.error()).toBeUndefined();
    expect(fixture.queued()).toEqual(['Coast 01-02-05.40.jpg (image/jpeg): a frame']);
    expect(fixture.leftOver()).toEqual([]);
  });

  itTellsTroubles(
    () => fixture,
    [
      ['without a project', 'jpg', 'CW-803', () => undefined],
      [
        'in a host that rejects without a project',
        'jpg',
        'CW-803',
        ({ premiere }) => {
          premiere.withoutProject = 'reject';
        },
      ],
      ['without a sequence', 'jpg', 'CW-803', ({ premiere }) => premiere.openProject()],
      [
        'as a video without a preset',
        'mp4',
        'CW-812',
        ({ premiere }) => premiere.openProject(trip),
      ],
      [
        'of what has no picture',
        'png',
        'CW-805',
        ({ premiere }) => premiere.openProject({ ...trip, bytes: {} }),
      ],
      [
        'on a full disk',
        'jpg',
        'CW-703',
        ({ premiere, disk }) => {
          premiere.openProject(trip);
          disk.fullAfter(3);
        },
      ],
      [
        'as PDF, which Premiere does not make',
        'pdf',
        'CW-804',
        ({ premiere }) => premiere.openProject(trip),
      ],
    ],
  );

  it('fails when Premiere reports an export but writes no file', async () => {
    const { premiere } = fixture.control;
    premiere.writesNothing = true;
    premiere.openProject(trip);
    // It looks for ten seconds.
    const { setTimeout: wait } = globalThis;
    const hurried = (task: () => void, ms = 0): NodeJS.Timeout => wait(task, ms / 20);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(hurried);
    await fixture.upload('jpg');
    expect(fixture.error()).toBe('CW-805');
    expect(fixture.leftOver()).toEqual([]);
  });
});
