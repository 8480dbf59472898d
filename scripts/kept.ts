/** Folders in `.cache` that are made once from what their names tell a hash of, and kept for later. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Long enough that nothing that runs still reads one. */
const KEPT_MS = 3 * 86_400_000;

/** Whether the folder is there; it is marked as used then. */
export function isKept(folder: string): boolean {
  if (!existsSync(folder)) {
    return false;
  }
  markUsed(folder);
  return true;
}

/**
 * Where to make a folder that is not kept yet: aside, so that no other process sees half of it. Those of the same kind that
 * nobody has used for days go.
 *
 * @param kind how the names of all of its kind begin
 */
export function asideOf(folder: string, kind: string): string {
  mkdirSync(dirname(folder), { recursive: true });
  dropUnused(dirname(folder), kind);
  return `${folder}.${process.pid}`;
}

/** Puts what was made aside in its place, unless another process was faster. */
export function putInPlace(aside: string, folder: string): void {
  try {
    renameSync(aside, folder);
  } catch (error) {
    if (!existsSync(folder)) {
      throw error;
    }
    rmSync(aside, { recursive: true });
  }
}

/** Says that a folder was used now. */
function markUsed(folder: string): void {
  utimesSync(folder, new Date(), new Date());
}

/** Removes the folders (and what was left unfinished) whose names begin so and that nobody has used for days. */
export function dropUnused(cache: string, beginning: string): void {
  const before = Date.now() - KEPT_MS;
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (!name.startsWith(beginning)) {
      continue;
    }
    // Another process may remove it at the same time.
    const used = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (used !== undefined && used < before) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}
