import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.js';
import { createInDesignExporter } from '../../src/host/uxp/indesign-exporter.js';
import {
  INDESIGN_NUMBERS,
  type InDesignModule,
  type PremiereModule,
} from '../../src/host/uxp/modules.js';
import { createPremiereExporter } from '../../src/host/uxp/premiere-exporter.js';
import { createUxpSpool, type UxpSpool } from '../../src/host/uxp/spool.js';
import { hurriedClock } from './implementations.js';
import { createHostModules, type HostModules } from '../host/modules/index.js';
import { seededBytes } from '../support/seeded-random.js';

/** Exporters by themselves; through the whole plugin: test/uploads/document.test.ts and other-apps-document.test.ts. */
let folder: string;
let modules: HostModules;
let spool: UxpSpool;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exporters-'));
  modules = createHostModules({ storageDir: folder, uxpVersion: '9.3.0' });
  spool = createUxpSpool(modules, seededBytes(1), hurriedClock());
});
afterEach(() => {
  modules.control.end();
  rmSync(folder, { recursive: true, force: true });
});

const bytes = new TextEncoder().encode('picture');

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
    await createInDesignExporter(module, spool).exportDocument('jpg', quality, '');
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
    const exporter = createInDesignExporter(module, spool);
    const before = indesign.preferences();
    Object.assign(indesign, host);
    for (const format of ['pdf', 'jpg', 'png'] as const) {
      indesign.openDocument({ ...brochure, bytes: { [format]: bytes } });
      const photo = await exporter.exportDocument(format, 12, '');
      expect(await photo.copyToSpool(format)).toMatchObject({ size: bytes.length });
      indesign.openDocument({ ...brochure, bytes: {} });
      await expect(exporter.exportDocument(format, 12, '')).rejects.toMatchObject({
        code: 'CW-805',
      });
    }
    expect(indesign.exports.map(({ pages }) => pages)).toEqual([[0, 1, 2], [1], [1]]);
    expect(indesign.preferences()).toEqual(before);
  });

  it('is asked for once where the app is busy', async () => {
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
    const exporting = createInDesignExporter(module, spool).exportDocument('pdf', 12, '');
    await expect(exporting).rejects.toMatchObject({ code: 'CW-805' });
    expect(asked).toEqual([expect.objectContaining({ name: 'document.pdf' })]);
  });

  it('puts back the other preferences when the app refuses one of them', async () => {
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
    const photo = await createInDesignExporter(module, spool).exportDocument('jpg', 12, '');
    expect(photo.name).toBe('Brochure.jpg');
    expect(refusals).toBe(1);
    const { jpegQuality } = indesign.preferences().jpg;
    expect(jpegQuality).not.toBe(before['jpegQuality']);
    expect(indesign.preferences().jpg).toEqual({ ...before, jpegQuality });
  });

  it('says CW-803 where a document is open that nobody sees', async () => {
    modules.control.indesign.openDocument(brochure);
    const module = indesignWith({
      get activeDocument(): never {
        throw new Error('No documents are open.');
      },
    });
    const exporting = createInDesignExporter(module, spool).exportDocument('jpg', 12, '');
    await expect(exporting).rejects.toMatchObject({ code: 'CW-803' });
  });
});

describe('an export from Premiere', () => {
  /** What is waited for, and how often, without waiting. */
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    startTimer(delayMs, callback) {
      waits.push(delayMs);
      callback();
      return () => undefined;
    },
  };
  const trip = { name: 'Coast', seconds: 0, bytes: { jpg: bytes } as { jpg?: Uint8Array } };
  const exported = async (sequence: typeof trip & { height?: number }): Promise<string> => {
    modules.control.premiere.openProject(sequence);
    const module = modules.otherApps.premierepro as PremiereModule;
    const photo = await createPremiereExporter(module, spool, clock).exportDocument('jpg', 12, '');
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
  ])('at %d seconds is called so', async (seconds, time) => {
    expect(await exported({ ...trip, seconds })).toBe(`Coast ${time}.jpg`);
  });

  it('of a sequence without a name has a name', async () => {
    expect(await exported({ ...trip, name: '' })).toBe('Frame 00-00-00.00.jpg');
  });

  it('has whole numbers of pixels', async () => {
    await exported({ ...trip, height: 1079.6 });
    expect(modules.control.premiere.frames).toMatchObject([{ height: 1080 }]);
  });

  it('is not waited for where the app says that there is none', async () => {
    await expect(exported({ ...trip, bytes: {} })).rejects.toMatchObject({ code: 'CW-805' });
    expect(waits).toEqual([]);
  });

  it('is waited for ten seconds', async () => {
    modules.control.premiere.writesNothing = true;
    await expect(exported(trip)).rejects.toMatchObject({ code: 'CW-805' });
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(10_000);
  });
});
