import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentFormat } from '../../src/host/host.js';
import { createUxpHost } from '../../src/host/uxp.js';
import type { InDesignModule, PremiereModule } from '../../src/host/uxp/modules.js';
import { createPlugin, type Plugin } from '../../src/plugin.js';
import { createClient } from '../../src/settings.js';
import { createHostModules, type HostModules } from '../host/modules/index.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

let folder: string;
let modules: HostModules;
let plugin: Plugin;

/** The whole plugin without its panel, over the simulated modules of one app; it is not connected. */
async function openIn(app: 'indesign' | 'premierepro'): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'document-'));
  modules = createHostModules({ storageDir: folder, uxpVersion: '9.3.0' });
  const { uxp, fs, otherApps } = modules;
  const own =
    app === 'indesign'
      ? { indesign: otherApps.indesign as InDesignModule }
      : { premierepro: otherApps.premierepro as PremiereModule };
  const host = createUxpHost(
    { uxp, fs, ...own },
    {
      createXhr: () => {
        throw new Error('no network here');
      },
      writeClipboard: () => Promise.resolve(),
    },
  );
  plugin = createPlugin(host, {
    client: createClient('https://service.example', 'plugin', 'uploads:write'),
    pluginVersion: '0.0.0',
    concurrency: 3,
    chunkBytes: 1_000,
  });
  await plugin.restore();
}

afterEach(() => {
  modules.control.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Names and types of queued photos with the bytes of their copies. */
function queued(): string[] {
  const spool = join(folder, 'data', 'spool');
  return plugin.sources
    .photos(0, Infinity)
    .map(
      ({ record }) =>
        `${record.name} (${record.type}): ${readFileSync(join(spool, record.id), 'utf8')}`,
    );
}

/** Files of exports that were not queued. */
function leftOver(): string[] {
  const data = join(folder, 'data');
  return readdirSync(data).includes('incoming') ? readdirSync(join(data, 'incoming')) : [];
}

const error = (): string | undefined => plugin.sources.uploader.get().documentError?.code;

describe('uploading from InDesign', () => {
  const brochure = {
    name: 'Brochure.indd',
    // Two sections that both begin at 1: the number on a page does not say which page it is.
    pages: ['i', '1', '2', '1'],
    inFront: 3,
    bytes: { pdf: bytes('all pages'), jpg: bytes('a picture'), png: bytes('another') },
  };

  beforeEach(() => openIn('indesign'));

  it('exports all pages as PDF and does not open it', async () => {
    const { indesign } = modules.control;
    indesign.openDocument(brochure);
    await plugin.intents.uploadDocument('pdf', 'Dokument hochladen');
    expect(error()).toBeUndefined();
    expect(queued()).toEqual(['Brochure.pdf (application/pdf): all pages']);
    expect(indesign.exports).toMatchObject([
      { document: 'Brochure.indd', pages: [0, 1, 2, 3], preferences: { viewPDF: false } },
    ]);
    expect(leftOver()).toEqual([]);
  });

  it.each([
    ['jpg', 'Brochure.jpg (image/jpeg): a picture', { jpegQuality: 1701727608 }],
    ['png', 'Brochure.png (image/png): another', { pngQuality: 1701727608 }],
  ] as const)('exports the page in front as %s, fit for print', async (format, name, quality) => {
    const { indesign } = modules.control;
    for (const addsPageNumber of [false, true]) {
      indesign.addsPageNumber = addsPageNumber;
      indesign.openDocument(brochure);
      await plugin.intents.uploadDocument(format, 'Dokument hochladen');
    }
    expect(error()).toBeUndefined();
    expect(queued()).toEqual([name, name]);
    const preferences = { exportingSpread: false, exportResolution: 300, ...quality };
    expect(indesign.exports).toMatchObject([
      { pages: [3], preferences },
      { pages: [3], preferences },
    ]);
    expect(leftOver()).toEqual([]);
  });

  it('leaves the export preferences as the person had them, also after a failure', async () => {
    const { indesign } = modules.control;
    const before = indesign.preferences();
    indesign.openDocument(brochure);
    for (const format of ['pdf', 'jpg', 'png'] as const) {
      await plugin.intents.uploadDocument(format, 'Dokument hochladen');
      expect(error()).toBeUndefined();
      indesign.busy = true;
      await plugin.intents.uploadDocument(format, 'Dokument hochladen');
      expect(error()).toBe('CW-805');
      indesign.busy = false;
    }
    expect(indesign.preferences()).toEqual(before);
  });

  const troubles: [what: string, format: DocumentFormat, code: string, prepare: () => void][] = [
    ['without a document', 'pdf', 'CW-803', () => undefined],
    [
      'with a parent page in front',
      'jpg',
      'CW-805',
      () => modules.control.indesign.openDocument({ ...brochure, inFront: 'parent' }),
    ],
    [
      'of a document without a window',
      'png',
      'CW-805',
      () => modules.control.indesign.openDocument({ ...brochure, inFront: null }),
    ],
    [
      'while a dialog is open',
      'pdf',
      'CW-805',
      () => {
        modules.control.indesign.openDocument(brochure);
        modules.control.indesign.busy = true;
      },
    ],
    [
      'that turns out empty',
      'pdf',
      'CW-805',
      () => modules.control.indesign.openDocument({ ...brochure, bytes: { pdf: bytes('') } }),
    ],
    [
      'on a full disk',
      'pdf',
      'CW-703',
      () => {
        modules.control.indesign.openDocument(brochure);
        modules.control.disk.fullAfter(3);
      },
    ],
    [
      'as PSD, which InDesign does not make',
      'psd',
      'CW-804',
      () => modules.control.indesign.openDocument(brochure),
    ],
  ];

  it.each(troubles)(
    '%s says so and leaves nothing (%s: %s)',
    async (_what, format, code, prepare) => {
      prepare();
      await plugin.intents.uploadDocument(format, 'Dokument hochladen');
      expect(error()).toBe(code);
      expect(queued()).toEqual([]);
      expect(leftOver()).toEqual([]);
    },
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

  beforeEach(() => openIn('premierepro'));

  it.each([
    ['jpg', 'Coast 01-02-05.40.jpg (image/jpeg): a frame'],
    ['png', 'Coast 01-02-05.40.png (image/png): the same frame'],
  ] as const)(
    'exports the frame under the playhead as %s in its own size',
    async (format, name) => {
      const { premiere } = modules.control;
      premiere.openProject(trip);
      await plugin.intents.uploadDocument(format, 'Dokument hochladen');
      expect(error()).toBeUndefined();
      expect(queued()).toEqual([name]);
      expect(premiere.frames).toEqual([
        {
          sequence: 'Coast',
          seconds: 3_725.408,
          filename: `frame.${format}`,
          width: 1920,
          height: 1080,
        },
      ]);
      expect(leftOver()).toEqual([]);
    },
  );

  it('finds the file under another name, and waits until it is whole', async () => {
    const { premiere } = modules.control;
    premiere.doublesEnding = true;
    premiere.writesLate = true;
    premiere.openProject(trip);
    await plugin.intents.uploadDocument('jpg', 'Dokument hochladen');
    expect(error()).toBeUndefined();
    expect(queued()).toEqual(['Coast 01-02-05.40.jpg (image/jpeg): a frame']);
    expect(leftOver()).toEqual([]);
  });

  const troubles: [what: string, format: DocumentFormat, code: string, prepare: () => void][] = [
    ['without a project', 'jpg', 'CW-803', () => undefined],
    [
      'in a host that rejects without a project',
      'jpg',
      'CW-803',
      () => {
        modules.control.premiere.withoutProject = 'reject';
      },
    ],
    ['without a sequence', 'jpg', 'CW-803', () => modules.control.premiere.openProject()],
    [
      'of what has no picture',
      'png',
      'CW-805',
      () => modules.control.premiere.openProject({ ...trip, bytes: {} }),
    ],
    [
      'on a full disk',
      'jpg',
      'CW-703',
      () => {
        modules.control.premiere.openProject(trip);
        modules.control.disk.fullAfter(3);
      },
    ],
    [
      'as PDF, which Premiere does not make',
      'pdf',
      'CW-804',
      () => modules.control.premiere.openProject(trip),
    ],
  ];

  it.each(troubles)(
    '%s says so and leaves nothing (%s: %s)',
    async (_what, format, code, prepare) => {
      prepare();
      await plugin.intents.uploadDocument(format, 'Dokument hochladen');
      expect(error()).toBe(code);
      expect(queued()).toEqual([]);
      expect(leftOver()).toEqual([]);
    },
  );

  it('gives up when Premiere says that it exported, and wrote nothing', async () => {
    const { premiere } = modules.control;
    premiere.writesNothing = true;
    premiere.openProject(trip);
    await plugin.intents.uploadDocument('jpg', 'Dokument hochladen');
    expect(error()).toBe('CW-805');
    expect(leftOver()).toEqual([]);
  });
});
