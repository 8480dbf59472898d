import { readFile, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { zipSync } from 'fflate';
import type { Zippable } from 'fflate';
import type { HostApp } from './hosts.js';
import { manifestText, withHost } from './manifest.js';

/** The earliest time a zip can hold, in local time as zips have it: the same bytes on every day and in every zone. */
const NO_TIME = new Date(1980, 0, 1);

/** The origin of the entries, and a regular file with mode 0644, as Adobe's own packager writes them (APPNOTE 4.4.2.2). */
const UNIX_FILE = { os: 3, attrs: (0o100644 << 16) >>> 0 };

/** The file name of a package, such as `creative-workspace-1.2.3-PS.ccx`. */
export function packageName(version: string, { app }: HostApp): string {
  return `creative-workspace-${version}-${app}.ccx`;
}

/**
 * The files of an installed plugin, by their path with `/` between folders: those of a built folder, with the manifest
 * for one app.
 *
 * @param distDir a folder that `npm run build` wrote
 * @param id the plugin's id at the place where it is distributed; by default the manifest's own
 * @throws {Error} when there is no manifest.json
 */
export async function pluginFiles(
  distDir: string,
  host: HostApp,
  id?: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const entries = await readdir(distDir, { recursive: true, withFileTypes: true });
  const files = new Map<string, Uint8Array>();
  for (const entry of entries.filter((found) => found.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(join(distDir, sep).length).split(sep).join('/');
    files.set(path, await readFile(file));
  }
  const manifest = files.get('manifest.json');
  if (manifest === undefined) {
    throw new Error(`There is no manifest.json in ${distDir}.`);
  }
  const source = JSON.parse(Buffer.from(manifest).toString('utf8')) as Record<string, unknown>;
  const complete = withHost(id === undefined ? source : { ...source, id }, host);
  return files.set('manifest.json', Buffer.from(manifestText(complete)));
}

/** The bytes of a .ccx: a zip that depends only on the files, not on the day or the machine. */
export function zipPlugin(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const entries: Zippable = Object.fromEntries(sorted);
  return zipSync(entries, { level: 9, mtime: NO_TIME, ...UNIX_FILE });
}
