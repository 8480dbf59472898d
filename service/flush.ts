import { closeSync, fsyncSync, openSync } from 'node:fs';
import { chmod, open, readdir, rename, writeFile } from 'node:fs/promises';
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

/**
 * Writes a file that is there whole or as it was, also after a loss of power. Which of both is decided when its folder is
 * flushed.
 */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.new`;
  await writeFile(draft, text, { mode });
  await chmod(draft, mode); // it may have been left by an earlier attempt
  await flushFile(draft);
  await rename(draft, file);
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

/** As {@link flushFolder}, at once. One that is no longer there needs nothing. */
export function flushFolderNow(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = systemErrorCode(error);
    if (code !== 'ENOENT' && !CANNOT_FLUSH.has(code)) {
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
