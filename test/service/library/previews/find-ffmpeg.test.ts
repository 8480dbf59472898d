import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findFfmpeg } from '../../../../service/library/previews/video/find-ffmpeg.js';

describe('the ffmpeg that an operator has installed', () => {
  let root: string;
  const at = (folder: string): string => path.join(root, folder);
  const pathOf = (...folders: readonly string[]): string => folders.join(path.delimiter);

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'creative-workspace-ffmpeg-'));
    for (const [folder, mode] of [
      ['usr', 0o755],
      ['local', 0o755],
      ['data', 0o644],
    ] as const) {
      await mkdir(at(folder));
      await writeFile(path.join(at(folder), 'ffmpeg'), '#!/bin/sh\n');
      await chmod(path.join(at(folder), 'ffmpeg'), mode);
    }
    await mkdir(at('empty'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  it.each<[string, readonly string[], string | undefined]>([
    ['the first folder that has it', ['empty', 'local', 'usr'], 'local/ffmpeg'],
    ['no folder', ['empty'], undefined],
    ['a folder that does not exist', ['none', 'usr'], 'usr/ffmpeg'],
  ])('is found in %s of PATH', (_what, folders, found) => {
    expect(findFfmpeg(pathOf(...folders.map(at)))).toBe(found && at(found));
  });

  it('is a program, in an absolute folder', () => {
    // Root may read everything, but run only what is a program.
    expect(findFfmpeg(pathOf(at('data'), at('usr')))).toBe(at('usr/ffmpeg'));
    expect(findFfmpeg(pathOf('', '.', path.relative(process.cwd(), at('usr'))))).toBeUndefined();
  });
});
