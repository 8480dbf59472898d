import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { createFiles } from '../../src/host/uxp/files.js';
import { createFileRetry, dataSubfolder } from '../../src/host/uxp/data-folder.js';
import { hurriedClock, openUxp, type UxpPorts } from './implementations.js';

describe('a folder in the data folder of the plugin', () => {
  let ports: UxpPorts;

  beforeEach(() => {
    ports = openUxp('8.4.0');
  });
  afterEach(async () => {
    await ports.dispose();
  });

  const ask = (): ReturnType<typeof dataSubfolder> =>
    dataSubfolder(
      createFiles(ports.modules, hurriedClock()).fileSystem,
      'ours',
      createFileRetry(hurriedClock()),
    );
  const native = (): string => nodePath.join(ports.dataFolder, 'ours');

  it('is created once, also by two concurrent calls', async () => {
    const both = await Promise.all([ask(), ask()]);
    nodeFs.writeFileSync(nodePath.join(native(), 'kept'), 'x');
    for (const folder of [...both, await ask()])
      expect((await folder.getEntries()).map(({ name }) => name)).toEqual(['kept']);
  });

  it('is never a file, and an existing file stays unchanged', async () => {
    nodeFs.writeFileSync(native(), 'somebody’s');
    await expect(ask()).rejects.toThrow('ours');
    expect(nodeFs.readFileSync(native(), 'utf8')).toBe('somebody’s');
  });
});
