import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { hosts, type HostApp } from '../../build/hosts.js';
import { packageName, pluginFiles, zipPlugin } from '../../build/package.js';
import packageJson from '../../package.json' with { type: 'json' };
import { buildPlugin, SOURCES } from '../../scripts/kept-build.js';
import { openPlugin } from '../host/host.js';
import { IS_LONG } from '../support/long-runs.js';
import { filesOf, ProjectCopy } from './project-copy.js';

const ROOT = join(import.meta.dirname, '..', '..');

/** Exactly the files that a host needs. */
const FILES = [
  'icons/panel-dark@1x.png',
  'icons/panel-dark@2x.png',
  'icons/panel-light@1x.png',
  'icons/panel-light@2x.png',
  'icons/plugin-list-dark@1x.png',
  'icons/plugin-list-dark@2x.png',
  'icons/plugin-list-light@1x.png',
  'icons/plugin-list-light@2x.png',
  'index.html',
  'licenses.txt',
  'locales/de.json',
  'locales/es.json',
  'locales/fr.json',
  'locales/ja.json',
  'locales/pt-BR.json',
  'main.js',
  'manifest.json',
  'panel.css',
  'shell.js',
];

const SERVICE = 'https://workspace.example';

/** In place of the plugin's script, which takes most of a build: it is built and compared as a whole in long runs. */
const SMALL_SCRIPT = "console.log('a small script');\n";

describe('npm run package in another folder', () => {
  let folder: string;
  let output: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-test-'));
    output = join(folder, 'packages');
    const copy = await ProjectCopy.make(join(folder, 'a copy', 'deeper'), `${SOURCES} scripts`);
    if (!IS_LONG) await writeFile(join(copy.folder, 'src/main.ts'), SMALL_SCRIPT);
    await copy.run(
      ['--import', 'tsx', 'scripts/package.ts', '--output', output, '--id', 'portal-issued'],
      { SERVICE_BASE_URL: SERVICE },
    );
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** The files of a build here, by their paths. */
  const builtHere = async (host: HostApp): Promise<Map<string, Buffer>> => {
    const here = join(folder, `here-${host.app}`);
    await buildPlugin(SERVICE, here, host);
    return filesOf(here);
  };
  const unpacked = async (host: HostApp): Promise<Record<string, Uint8Array>> =>
    unzipSync(await readFile(join(output, packageName(packageJson.version, host))));

  it('writes one package per creative app', async () => {
    expect(await readdir(output)).toEqual(
      hosts.map(({ app }) => `creative-workspace-${packageJson.version}-${app}.ccx`).sort(),
    );
  });

  it.each(hosts)('has the same content as a build here for $name, except the id', async (host) => {
    const built = await builtHere(host);
    const packed = await unpacked(host);
    expect(Object.keys(packed)).toEqual([...built.keys()]);
    for (const [path, bytes] of built) {
      const own = Buffer.from(packed[path] ?? []);
      if (path === 'main.js' && !IS_LONG) expect(String(own)).toContain('a small script');
      else if (path === 'licenses.txt' && !IS_LONG)
        expect(String(own)).toMatch(/^webpack .*: MIT$/m);
      else if (path !== 'manifest.json') expect([path, own.equals(bytes)]).toEqual([path, true]);
      else
        expect(JSON.parse(String(own))).toEqual({
          ...(JSON.parse(String(bytes)) as object),
          id: 'portal-issued',
        });
    }
  });

  it('contains no local path and no source map', async () => {
    for (const host of hosts) {
      const files = [...Object.entries(await unpacked(host)), ...(await builtHere(host))];
      for (const [path, bytes] of files) {
        for (const trace of [folder, ROOT, tmpdir(), 'sourceMappingURL', 'node_modules', '.ts"']) {
          expect([path, trace, Buffer.from(bytes).includes(trace)]).toEqual([path, trace, false]);
        }
      }
    }
  });

  it.each(hosts)('contains exactly the files of $name and opens there', async (host) => {
    const files = await unpacked(host);
    expect(Object.keys(files)).toEqual(FILES);
    expect(JSON.parse(Buffer.from(files['manifest.json'] ?? []).toString())).toMatchObject({
      id: 'portal-issued',
      version: packageJson.version,
      host: { app: host.app, minVersion: host.minVersion },
      requiredPermissions: { network: { domains: [SERVICE] } },
    });

    const installed = join(folder, host.app);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(installed, path)), { recursive: true });
      await writeFile(join(installed, path), content);
    }
    if (!IS_LONG)
      await writeFile(join(installed, 'main.js'), (await builtHere(host)).get('main.js') ?? '');
    const starts: [lacking: 'readFile'[], text: string][] = [[[], 'Einmal verbinden.']];
    // A build may lack documented functions: the panel comes nevertheless, in English. No app differs in that.
    if (host.app === 'PS') starts.push([['readFile'], 'Connect once.']);
    for (const [lacking, text] of starts) {
      const plugin = await openPlugin({
        dist: installed,
        storageDir: join(folder, `${host.app}-storage`),
        host: { app: host.app, version: host.minVersion, uiLocale: 'de_DE' },
        prepare: ({ unimplemented }) => {
          for (const name of lacking) unimplemented.add(name);
        },
      });
      try {
        await plugin.waitFor(text);
        expect(plugin.uncaught).toEqual([]);
      } finally {
        plugin.kill();
      }
    }
  });
});

describe('a package', () => {
  const files = new Map(
    ['b.txt', 'a/c.txt', 'a/b.txt'].map((name) => [name, Buffer.from(name.repeat(20))]),
  );

  it('is reproducible: independent of file order, time and machine', () => {
    const zip = zipPlugin(files);
    expect(Buffer.from(zipPlugin(new Map([...files].reverse()))).equals(zip)).toBe(true);
    const entries = centralDirectory(zip);
    expect(entries.map(({ name }) => name)).toEqual(['a/b.txt', 'a/c.txt', 'b.txt']);
    for (const entry of entries) {
      // 1980-01-01 00:00 in the form zips have; no extra field.
      expect(entry).toMatchObject({ date: (1 << 5) | 1, time: 0, extra: 0 });
      // From Unix, a regular file with mode 0644.
      expect([entry.origin, (entry.attributes >>> 16).toString(8)]).toEqual([3, '100644']);
    }
  });

  it('names the folder without a manifest', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'package-empty-'));
    const [host] = hosts;
    if (host === undefined) throw new Error('no host');
    await expect(pluginFiles(empty, host)).rejects.toThrow(`no manifest.json in ${empty}`);
    await rm(empty, { recursive: true });
  });
});

interface ZipEntry {
  readonly name: string;
  readonly date: number;
  readonly time: number;
  readonly extra: number;
  readonly origin: number;
  readonly attributes: number;
}

/** The entries of a zip's central directory (APPNOTE 4.3.12), in the order in which they stand. */
function centralDirectory(zip: Uint8Array): ZipEntry[] {
  const bytes = Buffer.from(zip);
  const entries: ZipEntry[] = [];
  let at = bytes.indexOf('PK\x01\x02', 0, 'latin1');
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const nameLength = bytes.readUInt16LE(at + 28);
    const extra = bytes.readUInt16LE(at + 30);
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
      time: bytes.readUInt16LE(at + 12),
      date: bytes.readUInt16LE(at + 14),
      extra,
      // The upper byte of "version made by" (4.4.2).
      origin: bytes.readUInt8(at + 5),
      attributes: bytes.readUInt32LE(at + 38),
    });
    at += 46 + nameLength + extra + bytes.readUInt16LE(at + 32);
  }
  return entries;
}
