import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from './errors.js';

/** How many files are flushed at the same time. */
const AT_ONCE = 16;

/** How systems answer that cannot flush a folder, or open one: Windows, and a few file systems. */
const CANNOT_FLUSH: ReadonlySet<string> = new Set(['EPERM', 'EISDIR', 'EINVAL', 'EACCES']);

/** Flushes everything below a folder, the folder and its entry in the one above. */
export async function flushTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const all = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => ({ place: path.join(entry.parentPath, entry.name), isFile: entry.isFile() }));
  const flushNext = async (): Promise<void> => {
    for (let next = all.pop(); next !== undefined; next = all.pop()) {
      await (next.isFile ? flushFile(next.place) : flushFolder(next.place));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, flushNext));
  await flushFolder(folder);
  await flushFolder(path.dirname(folder));
}

/** Puts on the disk which files a folder has; what is in them is another thing. */
export async function flushFolder(folder: string): Promise<void> {
  try {
    await flushFile(folder, 'r');
  } catch (error) {
    if (!CANNOT_FLUSH.has(systemErrorCode(error))) {
      throw error;
    }
  }
}

async function flushFile(place: string, flags = 'r+'): Promise<void> {
  const file = await open(place, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
