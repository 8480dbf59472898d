import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { warningsAboutInstalled } from '../../../service/app/installed-files.js';

const DEPLOY = path.join(import.meta.dirname, '../../../deploy');

describe('the installed files of a deployment', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-installed-'));
    await write('deploy/unit', '# /etc/unit; the unit\n# Configuration 3\n[Unit]\n');
    await write('deploy/script', '#!/bin/sh\n# /sbin/script: does it\n# Configuration 2\n');
    await write('deploy/settings', '# /etc/settings: no number, as people change them\n');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const write = async (name: string, text: string): Promise<void> => {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const older = (place: string, name: string): string =>
    `${place} is older than this version of the service: install deploy/${name} again ("A new version" in docs/deployment.md).`;

  it.each<[string, Readonly<Record<string, string>>, string[]]>([
    ['that are not there', {}, []],
    [
      'of this version',
      { 'etc/unit': '# Configuration 3\n', 'sbin/script': '# Configuration 2\n' },
      [],
    ],
    ['of a later version', { 'etc/unit': '# Configuration 10\n' }, []],
    ['of a version before', { 'etc/unit': '# Configuration 2\n' }, [older('/etc/unit', 'unit')]],
    [
      'from before there were numbers',
      { 'etc/unit': '[Unit]\n', 'sbin/script': '#!/bin/sh\n', 'etc/settings': 'A=1\n' },
      [older('/sbin/script', 'script'), older('/etc/unit', 'unit')],
    ],
  ])('%s give the right warnings', async (_title, installed, warnings) => {
    const root = await mkdtemp(path.join(folder, 'root-'));
    for (const [place, text] of Object.entries(installed)) {
      await write(path.join(path.basename(root), place), text);
    }
    expect(await warningsAboutInstalled(path.join(folder, 'deploy'), root)).toEqual(warnings);
  });

  it('are not compared where the folder deploy/ is missing', async () => {
    expect(await warningsAboutInstalled(path.join(folder, 'none'), folder)).toEqual([]);
  });

  it('exist below deploy/ in this version', async () => {
    const root = await mkdtemp(path.join(folder, 'root-'));
    await write(
      path.join(path.basename(root), 'etc/systemd/system/creative-workspace.service'),
      '',
    );
    expect(await warningsAboutInstalled(DEPLOY, root)).toEqual([
      older('/etc/systemd/system/creative-workspace.service', 'creative-workspace.service'),
    ]);
  });
});
