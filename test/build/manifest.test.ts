import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hosts, type HostApp } from '../../build/hosts.js';
import { completeManifest, withHost } from '../../build/manifest.js';
import { LANGUAGES } from '../../src/ui/i18n/language.js';
import { hosts as documented } from '../../uxp-api/index.js';
import { compareVersions } from '../../uxp-api/versions.js';
import { catalogOf } from '../ui/i18n/translations.js';

const ROOT = join(import.meta.dirname, '..', '..');
const source = JSON.parse(readFileSync(join(ROOT, 'manifest.json'), 'utf8')) as Record<
  string,
  unknown
>;

const elsewhere: HostApp = { app: 'ID', name: 'Adobe InDesign', minVersion: '99.0.0', reason: '' };

describe('the manifest of a build', () => {
  // @threat H9
  it.each([
    ['https://workspace.example', 'https://workspace.example', 'https'],
    ['https://workspace.example:8443', 'https://workspace.example:8443', 'https'],
    ['http://localhost:8780', 'http://localhost:8780', 'http'],
    ['https://127.workspace.example', 'https://127.workspace.example', 'https'],
  ])('allows requests to %s only', (serviceBaseUrl, origin, scheme) => {
    const manifest = completeManifest(source, {
      version: '1.2.3',
      serviceBaseUrl,
      host: elsewhere,
    });
    expect(manifest['version']).toBe('1.2.3');
    expect(manifest['requiredPermissions']).toEqual({
      network: { domains: [origin] },
      launchProcess: { schemes: [scheme], extensions: [] },
      localFileSystem: 'request',
      clipboard: 'readAndWrite',
    });
  });

  it('contains only the parts for its app', () => {
    expect(withHost(source, elsewhere)['host']).toEqual({ app: 'ID', minVersion: '99.0.0' });
    expect(withHost(source, { ...elsewhere, data: { apiVersion: 2 } })['host']).toEqual({
      app: 'ID',
      minVersion: '99.0.0',
      data: { apiVersion: 2 },
    });
  });

  it('has the commands for apps that export documents only', () => {
    const idsFor = (host: HostApp): unknown[] =>
      (withHost(source, host)['entrypoints'] as { readonly id: string }[]).map(({ id }) => id);
    const all = ['creativeWorkspacePanel', 'uploadDocument', 'uploadAllDocuments'];
    expect(hosts.map(idsFor)).toEqual([all, all, all.slice(0, 1)]);
  });

  it.each(LANGUAGES)('names the command in %s as the panel names its button', (language) => {
    const [, document, all] = source['entrypoints'] as { readonly label: Record<string, string> }[];
    const key = language === 'en' ? 'default' : language.slice(0, 2);
    expect(document?.label[key]).toBe(catalogOf(language).uploadDocument);
    expect(all?.label[key]).toBeDefined();
  });

  it('does not change its source', () => {
    const before = JSON.stringify(source);
    completeManifest(source, { version: '1.2.3', serviceBaseUrl: 'https://a.b', host: elsewhere });
    expect(JSON.stringify(source)).toBe(before);
  });
});

describe('the supported apps', () => {
  it.each(hosts)('$name starts with UXP 8.4 or later, by the documented table', (host) => {
    const row = documented[host.app]?.versions.findLast(
      ([version]) => compareVersions(version, host.minVersion) <= 0,
    );
    expect(row).toBeDefined();
    expect(compareVersions(row?.[1] ?? '0', '8.4')).toBeGreaterThanOrEqual(0);
  });

  it.each(hosts)('$name leaves out no documented version that has it', ({ app, minVersion }) => {
    const first = documented[app]?.versions.find(([, uxp]) => compareVersions(uxp, '8.4') >= 0);
    expect(compareVersions(first?.[0] ?? '0', minVersion)).toBe(0);
  });

  it('is Photoshop, InDesign and Premiere, by the codes of their manifest pages', () => {
    expect(hosts.map(({ app }) => app)).toEqual(['PS', 'ID', 'premierepro']);
    // Photoshop's alone: it also loads the plugin at start-up, and records commands in Actions.
    const data = { apiVersion: 2, loadEvent: 'startup', enableMenuRecording: true };
    expect(hosts.map((host) => host.data)).toEqual([data, undefined, undefined]);
  });
});

describe('the icons', () => {
  const icons = (list: unknown): Icon[] => list as Icon[];
  interface Icon {
    readonly width: number;
    readonly height: number;
    readonly path: string;
    readonly scale: readonly number[];
    readonly theme: readonly string[];
    readonly species: readonly string[];
  }
  const [panel] = source['entrypoints'] as { readonly icons: Icon[] }[];
  const all = [...icons(panel?.icons), ...icons(source['icons'])];

  it('exist in the sizes of the guide', () => {
    const sizes = all.flatMap(({ path, width, height, scale }) =>
      scale.map((factor) => {
        const file = join(ROOT, 'src/static', path.replace('.png', `@${factor}x.png`));
        const png = readFileSync(file);
        // Width and height are at the beginning of a PNG's first chunk.
        expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([
          width * factor,
          height * factor,
        ]);
        return width * factor;
      }),
    );
    expect(new Set(sizes)).toEqual(new Set([23, 46, 24, 48]));
  });

  it('exist once for every theme', () => {
    for (const list of [icons(panel?.icons), icons(source['icons'])]) {
      expect(list.flatMap(({ theme }) => theme).sort()).toEqual([
        'dark',
        'darkest',
        'light',
        'lightest',
        'medium',
      ]);
    }
    // Species chrome: without it hosts may leave a panel's icon in the dock empty.
    expect(icons(panel?.icons).map(({ species }) => species)).toEqual([
      ['generic', 'chrome'],
      ['generic', 'chrome'],
    ]);
    expect(icons(source['icons']).flatMap(({ species }) => species)).toEqual([
      'pluginList',
      'pluginList',
    ]);
  });
});
