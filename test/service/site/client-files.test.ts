import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ClientFiles } from '../../../service/site/client-files.js';

describe('ClientFiles', () => {
  let folder: string;
  const open = (): ClientFiles => new ClientFiles(pathToFileURL(`${folder}/`));
  const versionOf = (address: string): string => address.split('?v=')[1] ?? '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'client-'));
    await writeFile(path.join(folder, 'gallery.js'), 'one');
    await writeFile(path.join(folder, 'viewer-ABCDEF12.js'), 'two');
    await writeFile(path.join(folder, 'licenses.txt'), 'three');
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('finds a built script at its address, for ever', async () => {
    const files = open();
    const address = files.address('gallery', 'js');
    expect(address).toMatch(/^\/client\/gallery\.js\?v=[\da-f]{12}$/);
    expect(await files.find('gallery.js', versionOf(address))).toEqual({
      type: 'text/javascript; charset=utf-8',
      body: Buffer.from('one'),
      isImmutable: true,
    });
  });

  it.each([
    ['gallery.js', '', false],
    ['gallery.js', '000000000000', false],
    ['viewer-ABCDEF12.js', '', true],
    ['licenses.txt', '', false],
  ])('finds %s with version "%s", immutable: %s', async (name, version, isImmutable) => {
    expect(await open().find(name, version)).toMatchObject({ isImmutable });
  });

  it.each(['', 'folder', 'other.js', '../gallery.js', '__proto__'])(
    'returns undefined for "%s"',
    async (name) => {
      expect(await open().find(name, '')).toBeUndefined();
    },
  );

  it('has another address after a change', async () => {
    const before = open().address('gallery', 'js');
    await writeFile(path.join(folder, 'gallery.js'), 'other');
    expect(open().address('gallery', 'js')).not.toBe(before);
  });

  it('bundles the sources in development', async () => {
    const files = new ClientFiles();
    for (const name of [
      'gallery.js',
      'share.js',
      'page.js',
      'gallery.css',
      'share.css',
      'page.css',
    ]) {
      expect(await files.find(name, '')).toBeDefined();
    }
    expect(await files.find('gallery.ts', '')).toBeUndefined();
  });
});
