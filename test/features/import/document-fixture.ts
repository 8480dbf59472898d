import { expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocumentFormat } from '../../../src/host/document-export.js';
import { createUxpHost } from '../../../src/host/uxp.js';
import type { InDesignModule } from '../../../src/host/uxp/indesign-module.js';
import type { PremiereModule } from '../../../src/host/uxp/premiere-module.js';
import { presetOfFormat } from '../../../src/features/presets/preset.js';
import { createPlugin, type Plugin } from '../../../src/plugin.js';
import { createClient } from '../../../src/config.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../../host/modules/index.js';

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The whole plugin without its panel, over the simulated modules of one app; it is not connected. */
export class DocumentFixture {
  private constructor(
    private readonly folder: string,
    readonly control: HostModules['control'],
    readonly plugin: Plugin,
  ) {}

  static async open(app: 'photoshop' | 'indesign' | 'premierepro'): Promise<DocumentFixture> {
    const folder = mkdtempSync(join(tmpdir(), 'document-'));
    const uxpVersion = app === 'photoshop' ? '9.2.0' : '9.3.0';
    const modules = createHostModules({ storageDir: folder, uxpVersion });
    const { uxp, fs, os, otherApps } = modules;
    const own = {
      photoshop: modules,
      indesign: { uxp, fs, os, indesign: otherApps.indesign as InDesignModule },
      premierepro: { uxp, fs, os, premierepro: otherApps.premierepro as PremiereModule },
    };
    const host = createUxpHost(own[app], NO_NETWORK);
    const plugin = createPlugin(host, {
      client: createClient('https://service.example', 'plugin', 'uploads:write'),
      pluginVersion: '0.0.0',
      concurrency: 3,
      smallConcurrency: 3,
      chunkBytes: 1_000,
    });
    await plugin.restore();
    return new DocumentFixture(folder, modules.control, plugin);
  }

  close(): void {
    this.control.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  upload(format: DocumentFormat): Promise<void> {
    return this.plugin.panel.context.actions.uploadDocument(
      presetOfFormat(format),
      'Dokument hochladen',
    );
  }

  /** Names and types of queued photos with the bytes of their copies. */
  queued(): string[] {
    const spool = join(this.folder, 'data', 'spool');
    return this.plugin.panel.state.photos
      .get()
      .map(
        ({ record }) =>
          `${record.name} (${record.type}): ${readFileSync(join(spool, record.id), 'utf8')}`,
      );
  }

  /** Files of exports that were not queued. Their folder is made with the first export. */
  leftOver(): string[] {
    const data = join(this.folder, 'data');
    return readdirSync(data).includes('incoming') ? readdirSync(join(data, 'incoming')) : [];
  }

  /** The panel's message about the export, or about the one refused file. */
  error(): string | undefined {
    const { documentError, rejected: refused } = this.plugin.panel.state.uploadState.get();
    return documentError?.code ?? refused[0]?.error.code;
  }
}

/** The fault, the requested format, the expected code, and the set-up. */
export type Trouble = [
  what: string,
  format: DocumentFormat,
  code: string,
  prepare: (control: HostModules['control']) => void,
];

/** One test for each fault: it is reported, and nothing is queued or left behind. */
export function itTellsTroubles(
  fixture: () => DocumentFixture,
  troubles: Trouble[],
  afterwards: (fixture: DocumentFixture) => Promise<void> = () => Promise.resolve(),
): void {
  it.each(troubles)(
    '%s reports an error and leaves nothing (%s: %s)',
    async (_what, format, code, prepare) => {
      prepare(fixture().control);
      await fixture().upload(format);
      expect(fixture().error()).toBe(code);
      expect(fixture().queued()).toEqual([]);
      expect(fixture().leftOver()).toEqual([]);
      await afterwards(fixture());
    },
  );
}
