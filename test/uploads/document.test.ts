import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentFormat } from '../../src/host/host.js';
import { createUxpHost } from '../../src/host/uxp.js';
import { createPlugin, type Plugin } from '../../src/plugin.js';
import { createClient } from '../../src/settings.js';
import { createHostModules, type HostModules } from '../host/modules/index.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The whole plugin without its panel, over the simulated modules of Photoshop; it is not connected. */
describe('uploading the open document', () => {
  let folder: string;
  let modules: HostModules;
  let plugin: Plugin;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'document-'));
    modules = createHostModules({ storageDir: folder, uxpVersion: '9.2.0' });
    const host = createUxpHost(modules, {
      createXhr: () => {
        throw new Error('no network here');
      },
      writeClipboard: () => Promise.resolve(),
    });
    plugin = createPlugin(host, {
      client: createClient('https://service.example', 'plugin', 'uploads:write'),
      pluginVersion: '0.0.0',
      concurrency: 3,
      chunkBytes: 1_000,
    });
    await plugin.restore();
  });
  afterEach(() => {
    modules.control.end();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Names of queued photos with the bytes of their copies. */
  function queued(): string[] {
    const spool = join(folder, 'data', 'spool');
    return plugin.sources
      .photos(0, Infinity)
      .map(({ record }) => `${record.name}: ${readFileSync(join(spool, record.id), 'utf8')}`);
  }

  function incoming(): string[] {
    return readdirSync(join(folder, 'data', 'incoming'));
  }

  function error(): string | undefined {
    return plugin.sources.uploader.get().documentError?.code;
  }

  it.each([
    ['jpg', 'Coast.jpg', { quality: 12, embedColorProfile: true }],
    ['png', 'Coast.png', {}],
    ['psd', 'Coast.psd', { embedColorProfile: true }],
  ] as const)(
    'saves a copy as %s in a modal scope, and queues it',
    async (format, name, options) => {
      const { photoshop } = modules.control;
      photoshop.openDocument({ name: 'Coast.psd', bytes: { [format]: bytes('pixels') } });
      await plugin.intents.uploadDocument(format, 'Dokument hochladen');
      expect(error()).toBeUndefined();
      expect(queued()).toEqual([`${name}: pixels`]);
      // As a copy: the document stays where it is, saved or not.
      expect(photoshop.saves).toMatchObject([
        { document: 'Coast.psd', format, options, asCopy: true },
      ]);
      expect(photoshop.modalScopes).toEqual(['Dokument hochladen']);
      expect(incoming()).toEqual([]);
    },
  );

  it('queues it each time it is asked to, as it is then', async () => {
    const { photoshop } = modules.control;
    for (const text of ['first', 'second']) {
      photoshop.openDocument({ name: 'Untitled-1', bytes: { jpg: bytes(text) } });
      await plugin.intents.uploadDocument('jpg', 'Dokument hochladen');
    }
    expect(queued()).toEqual(['Untitled-1.jpg: first', 'Untitled-1.jpg: second']);
  });

  const troubles: [what: string, format: DocumentFormat, code: string, prepare: () => void][] = [
    ['without a document', 'jpg', 'CW-803', () => undefined],
    [
      'in a host that throws without a document',
      'jpg',
      'CW-803',
      () => {
        modules.control.photoshop.withoutDocument = 'throw';
      },
    ],
    [
      'while the app is busy',
      'jpg',
      'CW-805',
      () => {
        modules.control.photoshop.openDocument({ name: 'a.psd', bytes: { jpg: bytes('x') } });
        modules.control.photoshop.busy = true;
      },
    ],
    [
      'in a format the document cannot be saved in',
      'psd',
      'CW-805',
      () => modules.control.photoshop.openDocument({ name: 'a.psd', bytes: { jpg: bytes('x') } }),
    ],
    [
      'that turns out empty',
      'jpg',
      'CW-601',
      () => modules.control.photoshop.openDocument({ name: 'a.psd', bytes: { jpg: bytes('') } }),
    ],
  ];

  it.each(troubles)(
    '%s says so and leaves nothing (%s: %s)',
    async (_what, format, code, prepare) => {
      prepare();
      await plugin.intents.uploadDocument(format, 'Dokument hochladen');
      const [refused] = plugin.sources.uploader.get().refused;
      expect(error() ?? refused?.error.code).toBe(code);
      expect(queued()).toEqual([]);
      // The folder is made with the first export.
      expect(readdirSync(join(folder, 'data')).includes('incoming') ? incoming() : []).toEqual([]);
      modules.control.photoshop.busy = false;
      modules.control.photoshop.openDocument({ name: 'b.psd', bytes: { png: bytes('later') } });
      await plugin.intents.uploadDocument('png', 'Dokument hochladen');
      expect(error()).toBeUndefined();
      expect(queued()).toEqual(['b.png: later']);
    },
  );
});
