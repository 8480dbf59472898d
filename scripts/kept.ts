/** Folders in `.cache` that are made once and kept for later. The name of each has a hash of what it was made from. */
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

/** How long an unused folder is kept, in milliseconds: long enough that no running process still reads it. */
const KEPT_MS = 3 * 86_400_000;

/** Whether the folder is there. If it is, it is marked as used. */
export function isKept(folder: string): boolean {
  if (!existsSync(folder)) {
    return false;
  }
  markUsed(folder);
  return true;
}

/**
 * The path at which to make a folder that is not kept yet: another one, so that no other process sees half of it. Also
 * removes folders of the same kind that were not used for days.
 *
 * @param kind how the names of all folders of this kind begin
 */
export function asideOf(folder: string, kind: string): string {
  mkdirSync(dirname(folder), { recursive: true });
  dropUnused(dirname(folder), kind);
  return `${folder}.${process.pid}`;
}

/** Moves a finished folder to its place, unless another process was faster. */
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

/** Marks a folder as used now. */
function markUsed(folder: string): void {
  utimesSync(folder, new Date(), new Date());
}

/** Removes the folders and unfinished parts whose names begin like this and that were not used for days. */
function dropUnused(cache: string, beginning: string): void {
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
