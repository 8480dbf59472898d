import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUxpHost } from '../../src/host/uxp.js';
import { createHostModules, type HostModules, NO_NETWORK } from '../host/modules/index.js';

describe('a file that the user saves, in UXP', () => {
  let folder: string;
  let modules: HostModules;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'save-file-'));
    modules = createHostModules({ storageDir: join(folder, 'storage'), pluginDir: folder });
  });
  afterEach(() => {
    modules.control.end();
    rmSync(folder, { recursive: true, force: true });
  });

  const save = (content: () => Promise<string>): Promise<boolean> =>
    createUxpHost(modules, NO_NETWORK).saveFile('receipt-Küste.jws', content);

  it('is written where the user has chosen', async () => {
    const path = join(folder, 'receipt.jws');
    modules.control.pickers.answer([path]);
    expect(await save(() => Promise.resolve('a.b.c'))).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('a.b.c');
  });

  it('is not requested when the user cancels', async () => {
    const content = jest.fn(() => Promise.resolve('a.b.c'));
    modules.control.pickers.answer('cancel');
    expect(await save(content)).toBe(false);
    expect(content).not.toHaveBeenCalled();
  });

  it('fails with CW-811 where nothing can be written', async () => {
    modules.control.pickers.answer([join(folder, 'no such folder', 'receipt.jws')]);
    await expect(save(() => Promise.resolve('a.b.c'))).rejects.toMatchObject({ code: 'CW-811' });
  });
});
