import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { takeLock } from '../../scripts/build-lock.js';

let folder: string;
let lock: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lock-'));
  lock = path.join(folder, 'deep', 'lock');
});
afterEach(() => rm(folder, { recursive: true }));

/** A process that is over. */
function deadPid(): number {
  const { pid } = spawnSync(process.execPath, ['--version']);
  return pid;
}

describe('the build lock', () => {
  it('can be acquired once until it is released', async () => {
    expect(await takeLock(lock)).toBe(true);
    expect(await takeLock(lock)).toBe(false);
    expect(await readFile(lock, 'utf8')).toBe(String(process.pid));
    await rm(lock);
    expect(await takeLock(lock)).toBe(true);
  });

  it.each([
    ['of a process that is over', () => String(deadPid()), 0],
    ['of a process that was killed before it wrote its number', () => '', 10],
    ['whose number belongs to another process by now', () => String(process.pid), 3600],
  ])('is replaced at the second attempt when it is one %s', async (_whose, text, ageSeconds) => {
    await takeLock(lock);
    await writeFile(lock, text());
    const at = Date.now() / 1000 - ageSeconds;
    await utimes(lock, at, at);
    expect(await takeLock(lock)).toBe(false);
    expect(await takeLock(lock)).toBe(true);
  });

  it('is kept while its process id is being written', async () => {
    await takeLock(lock);
    await writeFile(lock, '');
    expect(await takeLock(lock)).toBe(false);
    expect(await takeLock(lock)).toBe(false);
  });

  it('reports when no lock can be created', async () => {
    await writeFile(path.join(folder, 'deep'), 'no folder');
    await expect(takeLock(lock)).rejects.toThrow();
  });
});
