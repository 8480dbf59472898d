import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUxpHost } from '../../src/host/uxp.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../host/modules/index.js';

describe('a file of the package, in UXP', () => {
  let folder: string;
  let modules: HostModules;
  const read = (path: string): Promise<string | null> =>
    createUxpHost(modules, NO_NETWORK).readOwnFile(path);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'own-files-'));
    modules = createHostModules({ storageDir: join(folder, 'storage'), pluginDir: folder });
    writeFileSync(join(folder, 'words.json'), '{"größer":"日本"}');
  });
  afterEach(() => {
    modules.control.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is read by a host without synchronous functions', async () => {
    expect(() => modules.fs.readFileSync('plugin:/words.json')).toThrow('Unimplemented method');
    expect(await read('words.json')).toBe('{"größer":"日本"}');
  });

  it('is null when the host cannot read it asynchronously either', async () => {
    modules.control.unimplemented.add('readFile');
    expect(await read('words.json')).toBeNull();
  });

  it('is null when it does not exist', async () => {
    expect(await read('nothing.json')).toBeNull();
  });
});
