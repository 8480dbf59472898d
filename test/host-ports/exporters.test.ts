import { FRONT_DOCUMENT } from '../../src/features/documents/document-uploads.js';
import { plainSettings } from '../../src/features/presets/preset.js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/util/clock.js';
import { MAX_EXPORT_MS } from '../../src/host/uxp/export-file.js';
import { createFiles, type FileSystem } from '../../src/host/uxp/files.js';
import { createInDesignExporter } from '../../src/host/uxp/indesign-exporter.js';
import { INDESIGN_NUMBERS, type InDesignModule } from '../../src/host/uxp/indesign-module.js';
import type { PhotoshopModule } from '../../src/host/uxp/photoshop-module.js';
import type { PremiereModule } from '../../src/host/uxp/premiere-module.js';
import { createPhotoshopExporter } from '../../src/host/uxp/photoshop-exporter.js';
import { createPremiereExporter } from '../../src/host/uxp/premiere-exporter.js';
import type {
  AppPreset,
  DocumentExporter,
  ExportSettings,
  PdfSettings,
} from '../../src/host/document-export.js';
import type { PhotoSource } from '../../src/host/photo-source.js';
import { createUxpSpool, type UxpSpool } from '../../src/host/uxp/spool.js';
import { hurriedClock } from './implementations.js';
import { createHostModules, type HostModules } from '../host/modules/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { locatedTiff, noisePixels } from '../support/located-pictures.js';
import { seededBytes } from '../support/seeded-random.js';

/** Exporters by themselves; through the whole plugin: test/features/import/document.test.ts and other-apps-document.test.ts. */
let folder: string;
let modules: HostModules;
let spool: UxpSpool;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exporters-'));
  modules = createHostModules({ storageDir: folder, uxpVersion: '9.3.0' });
  spool = createUxpSpool(createFiles(modules, hurriedClock()), seededBytes(1), hurriedClock());
});
afterEach(() => {
  modules.control.end();
  rmSync(folder, { recursive: true, force: true });
});

const files = (): FileSystem => createFiles(modules, hurriedClock()).fileSystem;
const bytes = new TextEncoder().encode('picture');

/** Runs the clock until `work` has ended, and gives how long it took by that clock, in milliseconds. */
async function timed(clock: FakeClock, stepMs: number, work: Promise<unknown>): Promise<number> {
  const start = clock.now();
  const ended = work.catch(() => undefined);
  await clock.runUntil(ended, { stepMs });
  return clock.now() - start;
}

describe('an export from Photoshop', () => {
  const coast = { name: 'Coast.psd', bytes: { jpg: bytes } };
  let clock: FakeClock;
  const exporterIn = (photoshop: PhotoshopModule): DocumentExporter =>
    createPhotoshopExporter(photoshop, files(), spool, clock, 'run:1');
  const exported = (): Promise<{ readonly name: string }> =>
    exporterIn(modules.photoshop).exportDocument(plainSettings('jpg'), 'Upload', FRONT_DOCUMENT);

  beforeEach(() => {
    clock = new FakeClock();
    modules.control.photoshop.openDocument(coast);
  });

  it('waits until another plugin leaves its modal scope', async () => {
    const { photoshop } = modules.control;
    photoshop.modal = 'com.example.other';
    const exporting = exported();
    clock.startTimer(8_000, () => {
      photoshop.modal = null;
    });
    await timed(clock, 100, exporting);
    expect((await exporting).name).toBe('Coast.jpg');
    expect(photoshop.modalRequests).toBeGreaterThan(2);
    expect(photoshop.modalScopes).toEqual(['Upload']);
  });

  it.each([
    ['com.example.other', 'com.example.other'],
    ['Retouch \u202e& Go', 'Retouch & Go'],
    ['dialog', null],
  ])('fails after 20 seconds while %p is modal, and names it', async (modal, busyWith) => {
    modules.control.photoshop.modal = modal;
    const exporting = exported();
    const took = await timed(clock, 100, exporting);
    await expect(exporting).rejects.toMatchObject({ code: 'CW-807', busyWith });
    expect(took).toBeGreaterThanOrEqual(20_000);
    expect(took).toBeLessThan(22_000);
  });

  it.each(['go on until Escape', 'go on for ever'] as const)(
    'is cancelled by Escape at once, also where saves %s, and leaves the modal scope',
    async (saves) => {
      const { photoshop } = modules.control;
      photoshop.saves = saves;
      const exporting = exported();
      const isOver = expect(exporting).rejects.toMatchObject({ name: 'CancelledError' });
      while (!photoshop.cancelModal()) await new Promise((resolve) => setTimeout(resolve, 1));
      await isOver;
      while (photoshop.openScopes > 0) await new Promise((resolve) => setTimeout(resolve, 1));
      photoshop.saves = 'end';
      expect((await exported()).name).toBe('Coast.jpg');
    },
  );

  it('is cancelled when the app reports Escape only after the save', async () => {
    const { core } = modules.photoshop;
    const executeAsModal: typeof core.executeAsModal = async (target, options) => {
      const scope = { isCancelled: false, onCancel: undefined, reportProgress: () => undefined };
      await core.executeAsModal(async ({ hostControl }) => {
        const cancelled = { ...scope, hostControl };
        const saving = target(cancelled);
        cancelled.isCancelled = true;
        await saving;
      }, options);
    };
    const photoshop = { ...modules.photoshop, core: { ...core, executeAsModal } };
    const exporting = exporterIn(photoshop).exportDocument(
      plainSettings('jpg'),
      'Upload',
      FRONT_DOCUMENT,
    );
    await expect(exporting).rejects.toMatchObject({ name: 'CancelledError' });
  });

  it('times out, and saves nothing when the modal scope is granted later', async () => {
    const { core } = modules.photoshop;
    let letIn = (): Promise<unknown> => Promise.resolve();
    const executeAsModal: typeof core.executeAsModal = (target, options) =>
      new Promise(() => {
        letIn = () => core.executeAsModal(target, options);
      });
    const photoshop = { ...modules.photoshop, core: { ...core, executeAsModal } };
    const exporting = exporterIn(photoshop).exportDocument(
      plainSettings('jpg'),
      'Upload',
      FRONT_DOCUMENT,
    );
    const took = await timed(clock, 60_000, exporting);
    await expect(exporting).rejects.toMatchObject({ code: 'CW-805' });
    expect(took).toBeGreaterThanOrEqual(MAX_EXPORT_MS);
    await letIn();
    expect(modules.control.photoshop.copies).toEqual([]);
  });
});

describe('an export from InDesign', () => {
  const brochure = { name: 'Brochure', pages: ['1', '2', '3'], inFront: 1, bytes: { jpg: bytes } };

  /** The module with some members of the app replaced. */
  function indesignWith(members: Partial<InDesignModule['app']>): InDesignModule {
    const indesign = modules.otherApps.indesign as InDesignModule;
    const app = new Proxy(indesign.app, {
      get: (target, name) =>
        (name in members ? Reflect.get(members, name) : Reflect.get(target, name)) as unknown,
    });
    return new Proxy(indesign, {
      get: (target, name) => (name === 'app' ? app : (Reflect.get(target, name) as unknown)),
    });
  }

  it.each([
    [12, 'MAXIMUM'],
    [10, 'MAXIMUM'],
    [9, 'HIGH'],
    [7, 'HIGH'],
    [6, 'MEDIUM'],
    [4, 'MEDIUM'],
    [3, 'LOW'],
    [0, 'LOW'],
  ] as const)('of quality %d is made with %s', async (quality, name) => {
    const { indesign } = modules.control;
    const module = modules.otherApps.indesign as InDesignModule;
    indesign.openDocument(brochure);
    await createInDesignExporter(module, spool, new FakeClock(), 'run:1').exportDocument(
      { ...plainSettings('jpg'), quality },
      '',
      FRONT_DOCUMENT,
    );
    expect(indesign.exports).toMatchObject([
      { pages: [1], preferences: { jpegQuality: INDESIGN_NUMBERS.JPEGOptionsQuality[name] } },
    ]);
  });

  it.each(
    (['numbers', 'opaque'] as const).flatMap((enumerations) =>
      (['entry', 'path'] as const).flatMap((takes) =>
        [false, true].map((exportsLater) => ({ enumerations, takes, exportsLater })),
      ),
    ),
  )('is one file, and leaves the preferences as they were, in a host with %p', async (host) => {
    const { indesign } = modules.control;
    const module = modules.otherApps.indesign as InDesignModule;
    const exporter = createInDesignExporter(module, spool, new FakeClock(), 'run:1');
    const before = indesign.preferences();
    Object.assign(indesign, host);
    for (const format of ['pdf', 'jpg', 'png'] as const) {
      indesign.openDocument({ ...brochure, bytes: { [format]: bytes } });
      const photo = await exporter.exportDocument(plainSettings(format), '', FRONT_DOCUMENT);
      expect(await photo.copyToSpool(format)).toMatchObject({ size: bytes.length });
      indesign.openDocument({ ...brochure, bytes: {} });
      await expect(
        exporter.exportDocument(plainSettings(format), '', FRONT_DOCUMENT),
      ).rejects.toMatchObject({
        code: 'CW-805',
      });
    }
    expect(indesign.exports.map(({ pages }) => pages)).toEqual([[0, 1, 2], [1], [1]]);
    expect(indesign.preferences()).toEqual(before);
  });

  it('loses its location as a picture, and is refused as an encrypted PDF, where a preset removes it', async () => {
    const { indesign } = modules.control;
    const module = modules.otherApps.indesign as InDesignModule;
    const exporter = createInDesignExporter(module, spool, new FakeClock(), 'run:1');
    const remove = { ...plainSettings('jpg').metadata, removeLocation: true };
    const tiff = locatedTiff(noisePixels(4, 4));
    for (const format of ['jpg', 'pdf'] as const) {
      // The name does not decide what is in a file.
      const file = format === 'pdf' ? Buffer.from('%PDF-1.7 /Encrypt') : tiff;
      indesign.openDocument({ ...brochure, bytes: { [format]: file } });
      const exporting = exporter.exportDocument(
        { ...plainSettings(format), metadata: remove },
        '',
        FRONT_DOCUMENT,
      );
      if (format === 'pdf') await expect(exporting).rejects.toMatchObject({ code: 'CW-810' });
      else expect(await (await exporting).copyToSpool('')).not.toMatchObject({ crc32c: null });
    }
  });

  it('uses a PDF preset, and fails when InDesign no longer has it', async () => {
    const { indesign } = modules.control;
    const module = modules.otherApps.indesign as InDesignModule;
    const exporter = createInDesignExporter(module, spool, new FakeClock(), 'run:1');
    const [preset] = (await exporter.listAppPresets?.()) ?? [];
    if (!preset) throw new Error('no preset is listed');
    const settings = { ...plainSettings('pdf'), appPreset: preset };
    indesign.openDocument({ ...brochure, bytes: { pdf: bytes } });
    await exporter.exportDocument(settings, '', FRONT_DOCUMENT);
    indesign.pdfPresets = ['[Smallest File Size]'];
    const exporting = exporter.exportDocument(settings, '', FRONT_DOCUMENT);
    await expect(exporting).rejects.toMatchObject({ code: 'CW-812' });
    expect(indesign.exports.map((one) => one.preset)).toEqual(['[High Quality Print]']);
  });

  describe('with chosen pages, layout and marks', () => {
    const book = {
      name: 'Book',
      pages: ['i', 'ii', '1', '2', '3'],
      inFront: 3,
      facing: true,
      documentId: 'xmp.did:book',
      bytes: { pdf: bytes },
    };
    const PLAIN = { pages: { kind: 'all' }, layout: 'preset', marks: 'preset' } as const;
    const NO_MARKS = {
      bleedMarks: false,
      registrationMarks: false,
      colorBars: false,
      pageInformationMarks: false,
      includeSlugWithPDF: false,
    };
    let exporter: DocumentExporter;
    const settings = (pdf: Partial<PdfSettings>, preset?: string): ExportSettings => ({
      ...plainSettings('pdf'),
      pdf: { ...PLAIN, ...pdf },
      appPreset: preset === undefined ? null : { id: preset, name: preset },
    });
    const exported = (pdf: Partial<PdfSettings>, preset?: string): Promise<PhotoSource> =>
      exporter.exportDocument(settings(pdf, preset), '', FRONT_DOCUMENT);

    beforeEach(() => {
      const module = modules.otherApps.indesign as InDesignModule;
      exporter = createInDesignExporter(module, spool, new FakeClock(), 'run:1');
      modules.control.indesign.openDocument(book);
    });

    it.each<[string, PdfSettings['pages'], number[], string]>([
      ['all', { kind: 'all' }, [0, 1, 2, 3, 4], 'xmp.did:book'],
      ['the one in front', { kind: 'current' }, [3], 'xmp.did:book#page-203'],
      ['a range', { kind: 'range', text: '3, ii-1' }, [1, 2, 4], 'xmp.did:book#pages-2-3,5'],
    ])('has %s of the pages', async (_what, pages, places, document) => {
      const { indesign } = modules.control;
      const before = indesign.preferences().pdf;
      const length = { kind: 'pages', pages: places.length };
      expect(await exporter.lengthOf?.(settings({ pages }), FRONT_DOCUMENT)).toEqual(length);
      expect(await exported({ pages })).toMatchObject({ document, length });
      expect(indesign.exports.map((one) => one.pages)).toEqual([places]);
      expect(indesign.preferences().pdf).toEqual(before);
    });

    it('is refused before the export when the document does not have the pages', async () => {
      const pages = { kind: 'range', text: '3-4' } as const;
      const before = modules.control.indesign.preferences().pdf;
      for (const work of [
        exported({ pages }),
        exporter.lengthOf?.(settings({ pages }), FRONT_DOCUMENT),
      ])
        await expect(work).rejects.toMatchObject({ code: 'CW-813' });
      expect(modules.control.indesign.exports).toEqual([]);
      expect(modules.control.indesign.preferences().pdf).toEqual(before);
      expect(await spool.listIncoming()).toEqual([]);
    });

    it.each<[Partial<PdfSettings>, number, string]>([
      [{ layout: 'spreads' }, 3, '5k 5l+5m 5n+5o'],
      [{ layout: 'pages' }, 5, '5k 5l 5m 5n 5o'],
      [{ layout: 'preset' }, 5, '5k 5l 5m 5n 5o'],
      [{ layout: 'spreads', pages: { kind: 'range', text: 'ii, 1' } }, 1, '5l+5m'],
      [{ layout: 'spreads', pages: { kind: 'range', text: '1, 2' } }, 2, '5l+5m 5n+5o'],
      [{ layout: 'pages', pages: { kind: 'range', text: '1, 2' } }, 2, '5m 5n'],
    ])('counts what a reader turns, and notes its pages: %j', async (pdf, pages, ids) => {
      const length = { kind: 'pages', pages };
      expect(await exporter.lengthOf?.(settings(pdf), FRONT_DOCUMENT)).toEqual(length);
      // The preferences of the user have marks around the pages.
      const source = JSON.stringify({ pages: ids, edge: true });
      expect(await exported(pdf)).toMatchObject({ length, source });
    });

    it('has an unknown length in other formats, and without a document', async () => {
      expect(await exporter.lengthOf?.(plainSettings('jpg'), FRONT_DOCUMENT)).toBeNull();
      modules.control.indesign.closeDocuments();
      expect(await exporter.lengthOf?.(settings({}), FRONT_DOCUMENT)).toBeNull();
    });

    it.each([
      ['none', { ...NO_MARKS, cropMarks: false, useDocumentBleedWithPDF: false, bleedTop: 0 }],
      ['bleed', { ...NO_MARKS, cropMarks: false, useDocumentBleedWithPDF: true }],
      ['crop-and-bleed', { ...NO_MARKS, cropMarks: true, useDocumentBleedWithPDF: true }],
    ] as const)('has the marks %s, with and without a PDF preset', async (marks, expected) => {
      const { indesign } = modules.control;
      indesign.pdfPresets = ['[Press Quality]', 'Studio'];
      const before = indesign.preferences().pdf;
      for (const preset of [undefined, '[Press Quality]', 'Studio'])
        await exported({ marks, layout: 'spreads' }, preset);
      expect(indesign.exports.map(({ preferences }) => preferences)).toMatchObject(
        Array.from({ length: 3 }, () => ({ ...expected, exportReaderSpreads: true })),
      );
      // Neither the user's settings nor the presets have changed.
      expect(indesign.preferences().pdf).toEqual(before);
      expect(indesign.pdfPresets).toEqual(['[Press Quality]', 'Studio']);
      await exported({}, 'Studio');
      expect(indesign.exports[3]).toMatchObject({
        preset: 'Studio',
        preferences: { exportReaderSpreads: false, colorBars: true },
      });
    });

    it('has no marks where InDesign refuses widths of the bleed', async () => {
      const { indesign } = modules.control;
      indesign.bleedWidths = 'refused';
      const before = indesign.preferences().pdf;
      for (const preset of [undefined, '[High Quality Print]'])
        await exported({ marks: 'none' }, preset);
      expect(indesign.exports.map(({ preferences }) => preferences)).toMatchObject(
        Array.from({ length: 2 }, () => ({ ...NO_MARKS, useDocumentBleedWithPDF: false })),
      );
      expect(indesign.preferences().pdf).toEqual(before);
    });

    it.each<[string, Partial<typeof book>, boolean]>([
      ['InDesign refuses a copy of the preset', {}, true],
      ['the export fails', { bytes: {} as never }, false],
    ])('leaves nothing behind when %s', async (_what, more, refusesPresets) => {
      const { indesign } = modules.control;
      indesign.refusesPresets = refusesPresets;
      indesign.openDocument({ ...book, ...more });
      const before = indesign.preferences().pdf;
      const names = indesign.pdfPresets;
      await expect(exported({ marks: 'bleed' }, '[High Quality Print]')).rejects.toMatchObject({
        code: 'CW-805',
      });
      expect(indesign.preferences().pdf).toEqual(before);
      expect(indesign.pdfPresets).toEqual(names);
      expect(await spool.listIncoming()).toEqual([]);
    });

    it('removes the copy of a preset that a killed run left behind, and never lists it', async () => {
      const { indesign } = modules.control;
      indesign.pdfPresets = ['Studio', 'Creative Workspace'];
      expect(await exporter.listAppPresets?.()).toEqual([{ id: 'Studio', name: 'Studio' }]);
      await exported({ marks: 'bleed' }, 'Studio');
      expect(indesign.pdfPresets).toEqual(['Studio']);
    });
  });

  describe('of a PDF', () => {
    const jpeg = new TextEncoder().encode('first page');
    const book = { ...brochure, bytes: { pdf: bytes, jpg: jpeg } };
    let exporter: DocumentExporter;
    const exported = async (pages: PdfSettings['pages'] = { kind: 'all' }): Promise<string> => {
      const pdf = { pages, layout: 'preset', marks: 'preset' } as const;
      const settings = { ...plainSettings('pdf'), pdf };
      const photo = await exporter.exportDocument(settings, '', FRONT_DOCUMENT);
      expect(await photo.copyToSpool('')).toMatchObject({ size: bytes.length });
      return photo.id ?? '';
    };

    beforeEach(() => {
      const module = modules.otherApps.indesign as InDesignModule;
      exporter = createInDesignExporter(module, spool, new FakeClock(), 'run:1');
      modules.control.indesign.openDocument(book);
    });

    it.each<[PdfSettings['pages'], number]>([
      [{ kind: 'all' }, 0],
      [{ kind: 'current' }, 1],
      [{ kind: 'range', text: '3, 2' }, 1],
    ])('has a small picture of the first page of %j, deleted with it', async (pages, place) => {
      const { indesign } = modules.control;
      const before = indesign.preferences();
      const id = await exported(pages);
      expect(indesign.exports[1]).toMatchObject({
        format: 'jpg',
        pages: [place],
        preferences: { exportResolution: 72 },
      });
      expect(indesign.preferences()).toEqual(before);
      expect(await spool.picture?.(id)).toEqual(new Uint8Array(jpeg));
      // Another run sees it, too.
      const again = createUxpSpool(
        createFiles(modules, hurriedClock()),
        seededBytes(2),
        hurriedClock(),
      );
      expect(await again.picture?.(id)).toEqual(new Uint8Array(jpeg));
      expect(await again.remove(id)).toEqual([]);
      expect(await again.picture?.(id)).toBeNull();
      expect(readdirSync(join(folder, 'data', 'pictures'))).toEqual([]);
    });

    it('has its picture where InDesign adds the number of the page to the name', async () => {
      modules.control.indesign.addsPageNumber = true;
      expect(await spool.picture?.(await exported())).toEqual(new Uint8Array(jpeg));
    });

    it('keeps its picture when only its temporary folder is removed', async () => {
      const id = await exported();
      await spool.removeIncoming(id);
      expect(await spool.picture?.(id)).toEqual(new Uint8Array(jpeg));
    });

    it.each([
      ['InDesign makes none', { pdf: bytes }],
      ['it is too long', { pdf: bytes, jpg: new Uint8Array(512 * 1024 + 1) }],
    ])('is exported without a picture when %s', async (_what, made) => {
      modules.control.indesign.openDocument({ ...book, bytes: made });
      expect(await spool.picture?.(await exported())).toBeNull();
    });

    it('leaves no picture when it is not exported', async () => {
      modules.control.indesign.openDocument({ ...book, bytes: { jpg: jpeg } });
      await expect(exported()).rejects.toMatchObject({ code: 'CW-805' });
      expect(modules.control.indesign.exports).toEqual([]);
    });
  });

  it('is made of any open document', async () => {
    const { indesign } = modules.control;
    const module = modules.otherApps.indesign as InDesignModule;
    const exporter = createInDesignExporter(module, spool, new FakeClock(), 'run:1');
    for (const name of ['Brochure', 'Poster'])
      indesign.openDocument({ ...brochure, name, bytes: { pdf: bytes } });
    const documents = await exporter.documents();
    expect(documents.map(({ name, isFront }) => [name, isFront])).toEqual([
      ['Poster', true],
      ['Brochure', false],
    ]);
    for (const documentKey of [documents[1]?.key ?? '', 'closed']) {
      const target = { documentKey, partId: null };
      const exporting = exporter.exportDocument(plainSettings('pdf'), '', target);
      if (documentKey === 'closed')
        await expect(exporting).rejects.toMatchObject({ code: 'CW-803' });
      else expect((await exporting).name).toBe('Brochure.pdf');
    }
  });

  it('times out and restores the preferences', async () => {
    const { indesign } = modules.control;
    const before = indesign.preferences();
    const document = { name: 'Brochure', exportFile: () => new Promise(() => undefined) };
    indesign.openDocument(brochure);
    const module = indesignWith({ activeDocument: document as never });
    const clock = new FakeClock();
    const exporting = createInDesignExporter(module, spool, clock, 'run:1').exportDocument(
      plainSettings('pdf'),
      '',
      FRONT_DOCUMENT,
    );
    expect(await timed(clock, 60_000, exporting)).toBeGreaterThanOrEqual(MAX_EXPORT_MS);
    await expect(exporting).rejects.toMatchObject({ code: 'CW-805' });
    expect(indesign.preferences()).toEqual(before);
  });

  it('is requested once while the app is busy', async () => {
    const { indesign } = modules.control;
    const asked: unknown[] = [];
    const document = {
      name: 'Brochure',
      exportFile(_format: unknown, to: unknown) {
        asked.push(to);
        throw new Error('Cannot do that while a modal dialog is open');
      },
    };
    indesign.openDocument(brochure);
    const module = indesignWith({ activeDocument: document as never });
    const exporting = createInDesignExporter(
      module,
      spool,
      new FakeClock(),
      'run:1',
    ).exportDocument(plainSettings('pdf'), '', FRONT_DOCUMENT);
    await expect(exporting).rejects.toMatchObject({ code: 'CW-805' });
    expect(asked).toEqual([expect.objectContaining({ name: 'document.pdf' })]);
  });

  it('restores the other preferences when the app refuses one', async () => {
    const { indesign } = modules.control;
    indesign.openDocument(brochure);
    const before = indesign.preferences().jpg;
    const { jpegExportPreferences } = (modules.otherApps.indesign as InDesignModule).app;
    let refusals = 0;
    const refusing = new Proxy(jpegExportPreferences, {
      set(target, name, value) {
        if (name === 'jpegQuality' && value === before['jpegQuality']) {
          refusals += 1;
          throw new Error('not now');
        }
        return Reflect.set(target, name, value);
      },
    });
    const module = indesignWith({ jpegExportPreferences: refusing });
    const photo = await createInDesignExporter(
      module,
      spool,
      new FakeClock(),
      'run:1',
    ).exportDocument(plainSettings('jpg'), '', FRONT_DOCUMENT);
    expect(photo.name).toBe('Brochure.jpg');
    expect(refusals).toBe(1);
    const { jpegQuality } = indesign.preferences().jpg;
    expect(jpegQuality).not.toBe(before['jpegQuality']);
    expect(indesign.preferences().jpg).toEqual({ ...before, jpegQuality });
  });

  it('throws CW-803 when only hidden documents are open', async () => {
    modules.control.indesign.openDocument(brochure);
    const module = indesignWith({
      get activeDocument(): never {
        throw new Error('No documents are open.');
      },
    });
    const exporting = createInDesignExporter(
      module,
      spool,
      new FakeClock(),
      'run:1',
    ).exportDocument(plainSettings('jpg'), '', FRONT_DOCUMENT);
    await expect(exporting).rejects.toMatchObject({ code: 'CW-803' });
  });
});

describe('an export from Premiere', () => {
  /** What is waited for, and how often, without waiting. The limit of the whole export is never reached. */
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    startTimer(delayMs, callback) {
      if (delayMs === MAX_EXPORT_MS) return () => undefined;
      waits.push(delayMs);
      callback();
      return () => undefined;
    },
  };
  const trip = { name: 'Coast', seconds: 0, bytes: { jpg: bytes } as { jpg?: Uint8Array } };
  const exported = async (sequence: typeof trip & { height?: number }): Promise<string> => {
    modules.control.premiere.openProject(sequence);
    const module = modules.otherApps.premierepro as PremiereModule;
    const photo = await createPremiereExporter(module, files(), spool, clock).exportDocument(
      plainSettings('jpg'),
      '',
      FRONT_DOCUMENT,
    );
    return photo.name;
  };

  beforeEach(() => {
    waits.length = 0;
  });

  it.each([
    [0, '00-00-00.00'],
    // Without rounding up: this frame is shown before the next second.
    [59.999, '00-00-59.99'],
    [60, '00-01-00.00'],
    [3_599.5, '00-59-59.50'],
    [3_600.05, '01-00-00.05'],
    [36_000, '10-00-00.00'],
    [400_000, '111-06-40.00'],
    // A sequence may begin before its own zero.
    [-0.5, '00-00-00.00'],
  ])('at %d seconds has the expected name', async (seconds, time) => {
    expect(await exported({ ...trip, seconds })).toBe(`Coast ${time}.jpg`);
  });

  it('of a sequence without a name has a default name', async () => {
    expect(await exported({ ...trip, name: '' })).toBe('Frame 00-00-00.00.jpg');
  });

  it('has an integer size in pixels', async () => {
    await exported({ ...trip, height: 1079.6 });
    expect(modules.control.premiere.frames).toMatchObject([{ height: 1080 }]);
  });

  it('fails at once when the app reports that there is no export', async () => {
    await expect(exported({ ...trip, bytes: {} })).rejects.toMatchObject({ code: 'CW-805' });
    expect(waits).toEqual([]);
  });

  it('times out when Premiere never responds', async () => {
    modules.control.premiere.openProject(trip);
    const premiere = modules.otherApps.premierepro as PremiereModule;
    const never = new Promise<never>(() => undefined);
    for (const silent of [
      { Project: { getActiveProject: () => never } },
      { Exporter: { exportSequenceFrame: () => never } },
    ]) {
      const { Project, Exporter, EncoderManager, Constants } = premiere;
      const module = { Project, Exporter, EncoderManager, Constants, ...silent };
      const fakeClock = new FakeClock();
      const exporting = createPremiereExporter(module, files(), spool, fakeClock).exportDocument(
        plainSettings('jpg'),
        '',
        FRONT_DOCUMENT,
      );
      expect(await timed(fakeClock, 60_000, exporting)).toBeGreaterThanOrEqual(MAX_EXPORT_MS);
      await expect(exporting).rejects.toMatchObject({ code: 'CW-805' });
    }
  });

  it('waits ten seconds for the file', async () => {
    modules.control.premiere.writesNothing = true;
    await expect(exported(trip)).rejects.toMatchObject({ code: 'CW-805' });
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(10_000);
  });
});

describe('an export of a sequence from Premiere', () => {
  const preset = (): string => join(folder, 'Studio 1080p.epr');
  let clock: FakeClock;
  let exporter: DocumentExporter;

  beforeEach(() => {
    clock = new FakeClock();
    writeFileSync(preset(), '<PremiereData/>');
    const module = modules.otherApps.premierepro as PremiereModule;
    exporter = createPremiereExporter(module, files(), spool, clock);
    modules.control.premiere.openProject({
      name: 'Coast',
      guid: '0F4D7A52-8C6E-4C0A-9B4F-2D1E3F4A5B6C',
      seconds: 5,
      bytes: { mp4: bytes, mov: bytes },
    });
  });

  async function pick(): Promise<AppPreset | null> {
    modules.control.pickers.answer([preset()]);
    return (await exporter.pickAppPreset?.()) ?? null;
  }

  const exported = (appPreset: AppPreset | null): Promise<PhotoSource> =>
    exporter.exportDocument({ ...plainSettings('mp4'), appPreset }, '', FRONT_DOCUMENT);

  it.each([
    ['mp4', 'Coast.mp4', 'video/mp4'],
    ['mov', 'Coast.mov', 'video/quicktime'],
  ])('is made by the preset that the user has picked, as %s', async (ending, name, type) => {
    modules.control.premiere.presetEnding = ending;
    const picked = await pick();
    expect(picked).toMatchObject({ name: 'Studio 1080p' });
    expect(modules.control.pickers.calls).toMatchObject([{ options: { types: ['epr'] } }]);
    const exporting = exported(picked);
    await timed(clock, 1_000, exporting);
    const photo = await exporting;
    const document = 'premiere:0f4d7a52-8c6e-4c0a-9b4f-2d1e3f4a5b6c';
    expect(photo).toMatchObject({ name, type, document });
    expect(await photo.copyToSpool('')).toMatchObject({ size: bytes.length });
    expect(modules.control.premiere.sequences).toEqual([
      { sequence: 'Coast', preset: 'Studio 1080p.epr', isWhole: true },
    ]);
  });

  it.each([
    ['whole', {}, false, 92],
    ['from In to Out', { inOut: [10, 42.4] as const }, true, 32.4],
    ['from the start to Out', { inOut: [-400_000, 30] as const }, true, 30],
    ['from In to the end', { inOut: [60, -400_000] as const }, true, 32],
    ['whole when no point is set', {}, true, 92],
    ['of an unknown length when it is empty', { length: 0 }, false, null],
  ] as const)('is %s', async (_what, more, inOut, seconds) => {
    const { premiere } = modules.control;
    premiere.openProject({ name: 'Coast', seconds: 5, bytes: { mp4: bytes }, ...more });
    const settings = {
      ...plainSettings('mp4'),
      appPreset: await pick(),
      ...(inOut && { inOut }),
    };
    const length = seconds === null ? null : { kind: 'duration', seconds };
    expect(await exporter.lengthOf?.(settings, FRONT_DOCUMENT)).toEqual(length);
    const exporting = exporter.exportDocument(settings, '', FRONT_DOCUMENT);
    await timed(clock, 1_000, exporting);
    const [from] = 'inOut' in more ? more.inOut : [0];
    const source = JSON.stringify({ in: String(Math.max(0, from) * 254_016_000_000) });
    expect(await exporting).toMatchObject({ length, source });
    expect(premiere.sequences).toMatchObject([{ isWhole: !inOut }]);
  });

  it('is exported although Premiere never answers how long it is', async () => {
    modules.control.premiere.openProject({
      name: 'Coast',
      seconds: 5,
      bytes: { mp4: bytes },
      isSilent: true,
    });
    const exporting = exported(await pick());
    await timed(clock, 1_000, exporting);
    expect(await exporting).toMatchObject({ length: null });
  });

  describe('with a picture', () => {
    const frame = new TextEncoder().encode('frame');
    const coast = { name: 'Coast', seconds: 5, bytes: { mp4: bytes, jpg: frame } };
    const finished = async (): Promise<string> => {
      const exporting = exported(await pick());
      await timed(clock, 1_000, exporting);
      const photo = await exporting;
      expect(await photo.copyToSpool('')).toMatchObject({ size: bytes.length });
      return photo.id ?? '';
    };

    it.each([
      [3840, 2160, 960, 540],
      [1080, 1920, 540, 960],
      [640, 360, 640, 360],
    ])('of %d × %d has the frame under the playhead', async (width, height, ...sides) => {
      const { premiere } = modules.control;
      premiere.openProject({ ...coast, width, height });
      expect(await spool.picture?.(await finished())).toEqual(new Uint8Array(frame));
      const [[wide, high]] = [sides];
      expect(premiere.frames).toMatchObject([{ seconds: 5, width: wide, height: high }]);
    });

    it('is exported without one when Premiere makes no frame', async () => {
      modules.control.premiere.openProject({ ...coast, bytes: { mp4: bytes } });
      expect(await spool.picture?.(await finished())).toBeNull();
    });

    it('is exported without one when Premiere never answers', async () => {
      const { Project, EncoderManager, Constants } = modules.otherApps
        .premierepro as PremiereModule;
      const Exporter = { exportSequenceFrame: () => new Promise<never>(() => undefined) };
      const silent = { Project, EncoderManager, Constants, Exporter };
      exporter = createPremiereExporter(silent, files(), spool, clock);
      modules.control.premiere.openProject(coast);
      expect(await spool.picture?.(await finished())).toBeNull();
    });

    it('leaves none behind when it is not exported', async () => {
      modules.control.premiere.openProject(coast);
      modules.control.premiere.encodes = 'refuses';
      const exporting = exported(await pick());
      await timed(clock, 1_000, exporting);
      await expect(exporting).rejects.toMatchObject({ code: 'CW-805' });
      expect(modules.control.premiere.frames).toHaveLength(1);
      expect(readdirSync(join(folder, 'data', 'pictures'))).toEqual([]);
    });
  });

  it('has an unknown length without a sequence, and as a frame', async () => {
    expect(await exporter.lengthOf?.(plainSettings('jpg'), FRONT_DOCUMENT)).toBeNull();
    modules.control.premiere.closeProject();
    expect(await exporter.lengthOf?.(plainSettings('mp4'), FRONT_DOCUMENT)).toBeNull();
  });

  it('is complete although Premiere reports the end early', async () => {
    const { premiere } = modules.control;
    premiere.encodes = 'early';
    const exporting = exported(await pick());
    clock.startTimer(8_000, () => {
      premiere.finishEncoding();
    });
    await timed(clock, 1_000, exporting);
    expect(await (await exporting).copyToSpool('')).toMatchObject({ size: bytes.length });
  });

  it('fails without a preset, and when its file is gone', async () => {
    const picked = await pick();
    rmSync(preset());
    for (const appPreset of [null, picked])
      await expect(exported(appPreset)).rejects.toMatchObject({ code: 'CW-812' });
  });

  it.each(['fails', 'refuses', 'never'] as const)(
    'reports CW-805 when Premiere %s',
    async (encodes) => {
      modules.control.premiere.encodes = encodes;
      const exporting = exported(await pick());
      const took = await timed(clock, 10_000, exporting);
      await expect(exporting).rejects.toMatchObject({ code: 'CW-805' });
      expect(took >= MAX_EXPORT_MS).toBe(encodes === 'never');
      expect(await spool.listIncoming()).toEqual([]);
    },
  );
});
