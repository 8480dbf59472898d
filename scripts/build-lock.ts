import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Longer than a build takes. A number of a process that was killed may belong to another one by now. */
const MAX_BUILD_MS = 10 * 60_000;

/** Longer than a process takes to write its number into the lock that it has made, unless it was killed in between. */
const MAX_EMPTY_MS = 5_000;

/**
 * Tries to take a lock, which is a file with the number of the process that holds it. A lock that nobody holds any more
 * is removed, for the next try.
 * @param lock the path of the file; its holder removes it
 * @returns whether the lock is taken by this process now
 * @throws the error of the file system when no file can be made there
 */
export async function takeLock(lock: string): Promise<boolean> {
  await mkdir(dirname(lock), { recursive: true });
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
    if (!(await isHeld(lock))) {
      await rm(lock, { force: true });
    }
    return false;
  }
}

async function isHeld(lock: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)]);
    const ageMs = Date.now() - mtimeMs;
    return text === '' ? ageMs < MAX_EMPTY_MS : ageMs < MAX_BUILD_MS && isAlive(Number(text));
  } catch {
    // It was released in between.
    return true;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
