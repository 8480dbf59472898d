import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import type {
  DocumentExporter,
  ExportSettings,
  ExportTarget,
} from '../../src/host/document-export.js';
import { createPhotoshopDocuments } from '../../src/host/uxp/photoshop-document.js';
import { PhotoshopFront } from '../../src/host/uxp/photoshop-front.js';
import { createFiles } from '../../src/host/uxp/files.js';
import { createPhotoshopExporter } from '../../src/host/uxp/photoshop-exporter.js';
import { createUxpSpool, type UxpSpool } from '../../src/host/uxp/spool.js';
import { createHostModules, type HostModules } from '../host/modules/index.js';
import type { DocumentState, StepFault } from '../host/modules/photoshop-module.js';
import { FakeClock } from '../support/fake-clock.js';
import { noisePixels, PLACE_WORDS, readIptc, resourceIn } from '../support/located-pictures.js';
import { library } from '../support/pictures.js';
import { seededBytes } from '../support/seeded-random.js';
import { hurriedClock } from './implementations.js';

/** Photoshop's exports by settings: what is in the files, and what is left behind. */
let folder: string;
let modules: HostModules;
let spool: UxpSpool;
let clock: FakeClock;

beforeEach(() => {
  folder = nodeFs.mkdtempSync(nodePath.join(tmpdir(), 'photoshop-export-'));
  start();
});
afterEach(() => {
  modules.control.end();
  nodeFs.rmSync(folder, { recursive: true, force: true });
});

function start(): void {
  modules = createHostModules({ storageDir: folder, uxpVersion: '9.3.0' });
  spool = createUxpSpool(createFiles(modules, hurriedClock()), seededBytes(1), hurriedClock());
  clock = new FakeClock();
}

function newExporter(): DocumentExporter {
  const { photoshop } = modules;
  const files = createFiles(modules, clock).fileSystem;
  return createPhotoshopExporter(photoshop, files, spool, clock, 'run:1');
}

const metadata = {
  removeLocation: true,
  creator: 'Zoë',
  copyright: '© Zoë',
  contact: 'zoe@example.com',
};
const PLAIN: ExportSettings = {
  format: 'jpg',
  quality: 12,
  longEdge: null,
  profile: 'document',
  bitDepth: 8,
  appPreset: null,
  metadata: { removeLocation: false, creator: '', copyright: '', contact: '' },
};
const WEB: ExportSettings = { ...PLAIN, quality: 8, longEdge: 60, profile: 'srgb', metadata };
const FRONT: ExportTarget = { documentKey: null, partId: null };

/** The whole picture: what there is in Photoshop and in the data folder. */
function state(): { readonly documents: readonly DocumentState[]; readonly active: string | null } {
  return modules.control.photoshop.state();
}

function incoming(): readonly string[] {
  const path = nodePath.join(folder, 'data', 'incoming');
  return nodeFs.existsSync(path) ? nodeFs.readdirSync(path) : [];
}

async function exported(
  settings: ExportSettings,
  target = FRONT,
): Promise<{ readonly name: string; readonly type: string; readonly bytes: Buffer }> {
  const photo = await newExporter().exportDocument(settings, 'Upload', target);
  const id = photo.id ?? '';
  await photo.copyToSpool(id);
  const path = nodePath.join(folder, 'data', 'spool', id);
  return { name: photo.name, type: photo.type, bytes: nodeFs.readFileSync(path) };
}

const bytes = new TextEncoder().encode('picture');
const plainBytes = { jpg: bytes, png: bytes, tif: bytes, psd: bytes, psb: bytes };

describe('an export from Photoshop is made of', () => {
  const merged = ['duplicate', 'register', 'flatten'];
  const tail = ['save', 'close', 'activate'];
  const big = { width: 4000, height: 3000 };
  const tiff: ExportSettings = { ...PLAIN, format: 'tif', bitDepth: 16 };

  it.each<
    [
      string,
      Partial<Parameters<HostModules['control']['photoshop']['openDocument']>[0]>,
      ExportSettings,
      readonly string[],
    ]
  >([
    ['a JPEG as it is', {}, PLAIN, ['save']],
    ['a JPEG that is small enough', {}, { ...PLAIN, longEdge: 3000 }, ['save']],
    [
      'a JPEG that is in sRGB',
      { profile: 'sRGB IEC61966-2.1' },
      { ...PLAIN, profile: 'srgb' },
      ['save'],
    ],
    ['a CMYK JPEG with its profile', { mode: 'CMYKColorMode' }, PLAIN, ['save']],
    ['a JPEG of a deep document', { bits: 16 }, PLAIN, [...merged, 'bitsPerChannel', ...tail]],
    [
      'a JPEG of a Lab document',
      { mode: 'labColorMode' },
      PLAIN,
      [...merged, 'changeMode', ...tail],
    ],
    [
      'a picture for the web',
      { ...big, bits: 16, mode: 'CMYKColorMode' },
      { ...PLAIN, longEdge: 2048, profile: 'srgb' },
      [...merged, 'bitsPerChannel', 'changeMode', 'convertProfile', 'resizeImage', ...tail],
    ],
    [
      'a bitmap, which is grayscale in between',
      { mode: 'bitmapMode', bits: 1 },
      { ...PLAIN, profile: 'srgb' },
      [...merged, 'changeMode', 'changeMode', 'convertProfile', ...tail],
    ],
    [
      'a PNG, which keeps transparency',
      big,
      { ...PLAIN, format: 'png', longEdge: 100 },
      ['duplicate', 'register', 'resizeImage', ...tail],
    ],
    ['a TIFF of 16 bits', { bits: 16 }, tiff, [...merged, ...tail]],
    ['a TIFF of 32 bits', { bits: 32 }, tiff, [...merged, 'bitsPerChannel', ...tail]],
    [
      'a TIFF of 8 bits',
      { bits: 16 },
      { ...tiff, bitDepth: 8 },
      [...merged, 'bitsPerChannel', ...tail],
    ],
    ['a deep PSD with its layers', { bits: 32 }, { ...PLAIN, format: 'psd' }, ['save']],
  ])(
    '%s by the fewest steps, and the document stays as it is',
    async (_what, document, settings, steps) => {
      const { photoshop } = modules.control;
      photoshop.openDocument({ name: 'Coast.psd', bytes: plainBytes, ...document });
      const before = state();
      await exported(settings);
      expect(photoshop.steps).toEqual(
        // Photoshop brings the source to the front by itself when the duplicate is closed.
        steps.filter((step) => step !== 'activate'),
      );
      expect(state()).toEqual(before);
      expect(photoshop.copies.map(({ asCopy }) => asCopy)).toEqual([true]);
    },
  );

  it.each([
    ['a side over 30,000 pixels', { width: 30_001, height: 10 }, 1],
    ['over 2 GB of merged pixels', { width: 29_000, height: 28_000 }, 1],
    ['over 2 GB with its layers', { isTooLongForPsd: true }, 2],
  ])('a PSB where a document has %s', async (_what, document, saves) => {
    const { photoshop } = modules.control;
    photoshop.openDocument({ name: 'Coast.psd', bytes: plainBytes, ...document });
    const { name, type } = await exported({ ...PLAIN, format: 'psd' });
    expect([name, type]).toEqual(['Coast.psb', 'image/vnd.adobe.photoshop']);
    expect(photoshop.copies.map(({ format }) => format)).toEqual(['psb']);
    expect(photoshop.steps).toEqual(Array<string>(saves).fill('save'));
    expect(incoming()).toEqual([]);
  });
});

describe('the open documents in Photoshop', () => {
  beforeEach(() => {
    const { photoshop } = modules.control;
    photoshop.openDocument({
      name: 'Boards.psd',
      bytes: plainBytes,
      artboards: [
        { name: 'Story', bounds: { left: 100, top: 50, right: 500, bottom: 800 } },
        { name: 'Post/1', bounds: { left: 600, top: 50, right: 900, bottom: 250 } },
      ],
    });
    photoshop.openDocument({ name: 'Coast.psd', bytes: plainBytes });
  });

  it('are listed with their artboards, and which is in front', async () => {
    expect(await newExporter().documents()).toEqual([
      {
        key: '59',
        name: 'Boards.psd',
        isFront: false,
        parts: [
          { id: '60', name: 'Story' },
          { id: '61', name: 'Post/1' },
        ],
      },
      { key: '62', name: 'Coast.psd', isFront: true, parts: [] },
    ]);
  });

  it('are exported by their keys, and the one in front stays there', async () => {
    const before = state();
    expect((await exported(PLAIN, { documentKey: '59', partId: null })).name).toBe('Boards.jpg');
    expect(modules.control.photoshop.copies).toMatchObject([{ document: 'Boards.psd' }]);
    expect(state()).toEqual(before);
  });

  it('are the same to the panel while another one is exported', async () => {
    const { photoshop } = modules;
    const front = new PhotoshopFront(photoshop);
    const documents = createPhotoshopDocuments(photoshop, seededBytes(2), clock, 'run:1', front);
    const exporter = createPhotoshopExporter(
      photoshop,
      createFiles(modules, clock).fileSystem,
      spool,
      clock,
      'run:1',
      front,
    );
    const seen: Promise<string | undefined>[] = [];
    modules.control.photoshop.stepFault = () => {
      seen.push(documents.current().then((document) => document?.name));
      return 'run';
    };
    await exporter.exportDocument({ ...PLAIN, longEdge: 99 }, 'Upload', {
      documentKey: '59',
      partId: null,
    });
    expect(new Set(await Promise.all(seen))).toEqual(new Set(['Coast.psd']));
    expect(seen.length).toBeGreaterThan(5);
  });

  it('are exported by artboard, each with its own name and identity', async () => {
    const before = state();
    const photo = await newExporter().exportDocument(PLAIN, 'Upload', {
      documentKey: '59',
      partId: '61',
    });
    expect(photo.name).toBe('Boards Post/1.jpg');
    expect(photo.document).toBe('run:1:59#artboard-61');
    expect(JSON.parse(photo.source ?? '')).toEqual({
      canvas: [3000, 2000],
      part: [600, 50, 900, 250],
      layers: [],
    });
    expect(modules.control.photoshop.steps).toContain('crop');
    expect(state()).toEqual(before);
  });

  it.each([
    { documentKey: '77', partId: null },
    { documentKey: '59', partId: '62' },
  ])('throw CW-803 for what is gone: %p', async (target) => {
    await expect(exported(PLAIN, target)).rejects.toMatchObject({ code: 'CW-803' });
  });

  it('lose a duplicate that a killed run has left, and only that', async () => {
    const { photoshop } = modules.control;
    const before = state();
    photoshop.openDocument({ name: 'Creative Workspace export run:5f3a-12', saved: false });
    photoshop.openDocument({ name: 'Creative Workspace export', saved: false });
    newExporter();
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(state().documents.map(({ name }) => name)).toEqual([
      ...before.documents.map(({ name }) => name),
      'Creative Workspace export',
    ]);
  });
});

if (library !== undefined) {
  const sharp = library;

  describe('a picture that Photoshop exported', () => {
    const picture = noisePixels(120, 90, 16);

    it.each<[string, ExportSettings, object]>([
      ['web', WEB, { format: 'jpeg', width: 60, height: 45, depth: 'uchar' }],
      [
        'print',
        { ...PLAIN, format: 'tif', bitDepth: 16, metadata },
        { format: 'tiff', width: 120, height: 90, depth: 'ushort' },
      ],
      [
        'a PNG',
        { ...WEB, format: 'png', longEdge: 500, bitDepth: 16 },
        { format: 'png', width: 120, height: 90, depth: 'ushort' },
      ],
    ])(
      'for %s has the wanted size and profile, the IPTC block, and no location',
      async (_kind, settings, expected) => {
        modules.control.photoshop.openDocument({ name: 'Coast.psd', picture });
        const { bytes: file } = await exported(settings);
        const found = await sharp(file).metadata();
        expect(found).toMatchObject(expected);
        const profile = found.icc?.toString('latin1').replace(/\0/g, '') ?? '';
        expect(/sRGB/.test(profile)).toBe(settings.profile === 'srgb');
        expect(profile).not.toBe('');
        const text = file.toString('latin1');
        expect(PLACE_WORDS.filter((word) => text.includes(word))).toEqual([]);
        expect(found.xmp?.toString('utf8')).toContain('<rdf:li>Zoë</rdf:li>');
        if (settings.format === 'png') return;
        const { iptc = Buffer.alloc(0) } = found;
        const block = resourceIn(iptc.subarray(Math.max(0, iptc.indexOf('8BIM'))), 1028) ?? iptc;
        expect(readIptc(block)).toMatchObject({
          '2:80': 'Zoë',
          '2:116': '© Zoë',
          '2:118': 'zoe@example.com',
        });
        expect(readIptc(block)['2:90']).toBeUndefined();
      },
    );

    it('of an artboard has its pixels only', async () => {
      modules.control.photoshop.openDocument({
        name: 'Boards.psd',
        picture,
        artboards: [{ name: 'Story', bounds: { left: 10, top: 20, right: 40, bottom: 90 } }],
      });
      const { bytes: file } = await exported(
        { ...PLAIN, format: 'tif', bitDepth: 16 },
        {
          documentKey: null,
          partId: '60',
        },
      );
      const { data } = await sharp(file)
        .toColourspace('rgb16')
        .raw({ depth: 'ushort' })
        .toBuffer({ resolveWithObject: true });
      const wanted = await sharp(new Uint16Array(new Uint8Array(picture.data).buffer), {
        raw: { width: 120, height: 90, channels: 3 },
      })
        .extract({ left: 10, top: 20, width: 30, height: 70 })
        .toColourspace('rgb16')
        .raw({ depth: 'ushort' })
        .toBuffer();
      expect(data.equals(wanted)).toBe(true);
    });
  });
}

describe('an export that is interrupted at any step', () => {
  const settings: ExportSettings = { ...PLAIN, longEdge: 500, profile: 'srgb' };
  const open = (): void => {
    const { photoshop } = modules.control;
    const document = { mode: 'CMYKColorMode', bits: 16, bytes: plainBytes } as const;
    photoshop.openDocument({ name: 'Other.psd', bytes: plainBytes });
    photoshop.openDocument({
      name: 'Boards.psd',
      ...document,
      artboards: [{ name: 'Story', bounds: { left: 0, top: 0, right: 900, bottom: 800 } }],
    });
    photoshop.openDocument({ name: 'Front.psd', bytes: plainBytes });
    photoshop.edit();
  };
  const target: ExportTarget = { documentKey: '60', partId: '61' };
  /** The steps of such an export, as the first test finds them. */
  const steps = [
    'activate',
    'duplicate',
    'register',
    'activate',
    'activate',
    'flatten',
    'crop',
    'bitsPerChannel',
    'changeMode',
    'convertProfile',
    'resizeImage',
    'save',
    'close',
  ];

  /** Runs the clock, for an export that would wait for ever. */
  async function outcomeOf(exporting: Promise<unknown>): Promise<string> {
    const outcome = exporting.then(
      () => 'exported',
      (error: unknown) => {
        const { code, name } = error as { code?: string; name: string };
        return code ?? name;
      },
    );
    await clock.runUntil(outcome, { stepMs: 20_000 });
    return outcome;
  }

  async function expectUntouched(before: ReturnType<typeof state>): Promise<void> {
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(state()).toEqual(before);
    expect(incoming()).toEqual([]);
    expect(modules.control.photoshop.openScopes).toBe(0);
  }

  it('has the steps of the tables below', async () => {
    open();
    await newExporter().exportDocument(settings, 'Upload', target);
    expect(modules.control.photoshop.steps).toEqual(steps);
  });

  const ways: Readonly<Record<string, (step: string) => StepFault>> = {
    'that fails': () => 'fail',
    'that never ends': () => 'hang',
    'that is carried out and never ends': () => 'run and hang',
    'at which the user presses Escape': () => {
      modules.control.photoshop.cancelModal();
      return 'run';
    },
    'at which the user presses Escape, and which never ends': () => {
      modules.control.photoshop.cancelModal();
      return 'hang';
    },
    'that never ends, after which the user presses Escape': () => {
      setImmediate(() => modules.control.photoshop.cancelModal());
      return 'run and hang';
    },
  };

  it.each(
    Object.keys(ways).flatMap((way) =>
      steps
        .map((step, index) => [index, step, way] as const)
        // What is set at once cannot take long.
        .filter(([, step]) => !/never ends/.test(way) || !/activate|bits/.test(step)),
    ),
  )('leaves nothing open at step %d, %s, %s, and the next export works', async (at, step, way) => {
    const { photoshop } = modules.control;
    open();
    const before = state();
    photoshop.stepFault = (_step, index) => (index === at ? (ways[way]?.(step) ?? 'run') : 'run');
    const exporter = newExporter();
    const outcome = await outcomeOf(exporter.exportDocument(settings, 'Upload', target));
    // The last step may fail: then Photoshop closes the duplicate.
    if (step !== 'close') expect(outcome).not.toBe('exported');
    if (outcome === 'exported') {
      for (const id of incoming())
        nodeFs.rmSync(nodePath.join(folder, 'data', 'incoming', id), { recursive: true });
    }
    await expectUntouched(before);
    photoshop.stepFault = () => 'run';
    expect(await outcomeOf(exporter.exportDocument(settings, 'Upload', target))).toBe('exported');
    expect(state()).toEqual(before);
  });

  it('closes a duplicate that Photoshop makes in spite of Escape', async () => {
    const { photoshop } = modules.control;
    open();
    const before = state();
    photoshop.stepFault = (step) => {
      if (step !== 'duplicate') return 'run';
      setImmediate(() => photoshop.cancelModal());
      return 'run late';
    };
    const exporting = newExporter().exportDocument(settings, 'Upload', FRONT);
    await expect(exporting).rejects.toMatchObject({ name: 'CancelledError' });
    for (let turn = 0; turn < 400 && !photoshop.steps.includes('close'); turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(photoshop.steps).toContain('close');
    await expectUntouched(before);
  });

  it.each(steps.map((step, index) => [index, step] as const))(
    'keeps the documents as they are when the plugin is unloaded at step %d, %s',
    async (at, step) => {
      const { photoshop } = modules.control;
      open();
      const before = state();
      photoshop.stepFault = (_step, index) => {
        if (index === at) modules.control.end();
        return 'run';
      };
      void newExporter().exportDocument(settings, 'Upload', target);
      for (let turn = 0; turn < 200; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
      const left = state();
      const mayStay = step === 'duplicate' || step === 'register';
      expect(
        left.documents.filter(({ name }) => !name.startsWith('Creative Workspace export run')),
      ).toEqual(before.documents);
      // Until it is registered, only the next run can close it.
      expect(left.documents.length - before.documents.length).toBeLessThanOrEqual(mayStay ? 1 : 0);
      expect(await restartedIncoming()).toEqual([]);
    },
  );

  /** What the next start leaves of an export that was cut short. */
  async function restartedIncoming(): Promise<readonly string[]> {
    start();
    await spool.removeIncoming(...(await spool.listIncoming()));
    return incoming();
  }
});
