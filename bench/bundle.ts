import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Bundles one script for a browser or a host, with the settings of `npm run build` in production mode.
 * @param entry path below the project
 * @param root the project, or another version of it with its packages
 */
export async function bundle(
  entry: string,
  root = join(import.meta.dirname, '..'),
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bundle-'));
  try {
    const program = join(import.meta.dirname, 'bundle-process.js');
    await promisify(execFile)(process.execPath, [program, entry, folder], { cwd: root });
    return await readFile(join(folder, 'page.js'), 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
