/** Folders in `.cache` that are made once from what their names tell a hash of, and kept for later. */
import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

/** Long enough that nothing that runs still reads one. */
const KEPT_MS = 3 * 86_400_000;

/** Says that a folder was used now. */
export function markUsed(folder: string): void {
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
