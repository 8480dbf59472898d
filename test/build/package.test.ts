import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { hosts } from '../../build/hosts.js';
import { packageName, pluginFiles, zipPlugin } from '../../build/package.js';
import packageJson from '../../package.json' with { type: 'json' };
import { openPlugin } from '../host/host.js';

const ROOT = join(import.meta.dirname, '..', '..');

/** What a host needs of the plugin, and nothing else. */
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
  'main.js',
  'manifest.json',
  'panel.css',
  'words/de.json',
  'words/en.json',
  'words/es.json',
  'words/fr.json',
  'words/ja.json',
  'words/pt-BR.json',
];

describe('npm run package', () => {
  let folder: string;
  let output: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'package-test-'));
    output = join(folder, 'packages');
    await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', 'scripts/package.ts', '--output', output, '--id', 'portal-issued'],
      { cwd: ROOT, env: { ...process.env, SERVICE_BASE_URL: 'https://workspace.example' } },
    );
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('writes one package per creative app', async () => {
    expect(await readdir(output)).toEqual(
      hosts.map(({ app }) => `creative-workspace-${packageJson.version}-${app}.ccx`).sort(),
    );
  });

  it.each(hosts)('holds exactly what $name needs, and opens there', async (host) => {
    const zip = await readFile(join(output, packageName(packageJson.version, host)));
    const files = unzipSync(zip);
    expect(Object.keys(files)).toEqual(FILES);
    expect(JSON.parse(Buffer.from(files['manifest.json'] ?? []).toString())).toMatchObject({
      id: 'portal-issued',
      version: packageJson.version,
      host: { app: host.app, minVersion: host.minVersion },
      requiredPermissions: { network: { domains: ['https://workspace.example'] } },
    });

    const installed = join(folder, host.app);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(installed, path)), { recursive: true });
      await writeFile(join(installed, path), content);
    }
    const plugin = await openPlugin({
      dist: installed,
      storageDir: join(folder, `${host.app}-storage`),
      host: { app: host.app, version: host.minVersion },
    });
    try {
      await plugin.waitFor('Connect once.');
      expect(plugin.uncaught).toEqual([]);
    } finally {
      plugin.kill();
    }
  });
});

describe('a package', () => {
  const files = new Map(
    ['b.txt', 'a/c.txt', 'a/b.txt'].map((name) => [name, Buffer.from(name.repeat(20))]),
  );

  it('depends on the files alone: not on their order, and it names no time and no machine', () => {
    const zip = zipPlugin(files);
    expect(Buffer.from(zipPlugin(new Map([...files].reverse()))).equals(zip)).toBe(true);
    const entries = centralDirectory(zip);
    expect(entries.map(({ name }) => name)).toEqual(['a/b.txt', 'a/c.txt', 'b.txt']);
    for (const entry of entries) {
      // 1980-01-01 00:00 in the form zips have; no extra field, no attributes.
      expect(entry).toMatchObject({ date: (1 << 5) | 1, time: 0, extra: 0, attributes: 0 });
    }
  });

  it('says which folder lacks a manifest', async () => {
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
      attributes: bytes.readUInt32LE(at + 38),
    });
    at += 46 + nameLength + extra + bytes.readUInt16LE(at + 32);
  }
  return entries;
}
