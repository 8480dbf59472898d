import { closeSync, fsyncSync, openSync } from 'node:fs';
import { chmod, open, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from './errors.js';

/** How many files are flushed at the same time, at most. */
const AT_ONCE = 16;

/** The errors of systems that cannot open or flush a folder: Windows, and a few file systems. */
const CANNOT_FLUSH: ReadonlySet<string> = new Set(['EPERM', 'EISDIR', 'EINVAL', 'EACCES']);

/** Flushes everything in a folder and below, the folder itself, and its name in the folder above. */
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
 * Replaces a file as a whole: after a loss of power, the file has either its old or its new content. The new content is
 * certain only once the caller has flushed the folder.
 * @param mode the permissions of the file.
 */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.new`;
  await writeFile(draft, text, { mode });
  await chmod(draft, mode); // an earlier attempt may have left a draft with other permissions
  await flushFile(draft);
  await rename(draft, file);
}

/** Flushes the names of the files in a folder, but not their content. Does nothing where systems cannot do that. */
export async function flushFolder(folder: string): Promise<void> {
  try {
    await flushFile(folder, 'r');
  } catch (error) {
    if (!CANNOT_FLUSH.has(systemErrorCode(error))) {
      throw error;
    }
  }
}

/** Like {@link flushFolder}, but synchronous, and a folder that no longer exists is no error. */
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
