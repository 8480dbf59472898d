import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { photoshop, type HostApp } from '../../build/hosts.js';
import { completeManifest, manifestText } from '../../build/manifest.js';
import { buildBundle } from '../../scripts/build-bundle.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** Everything a build reads. */
export const SOURCES =
  'src build host-surface manifest.json package.json tsconfig.base.json tsconfig.src.json webpack.config.js';
/** The address that the shared build is for: it stands nowhere else in the script. */
export const PLACEHOLDER = 'https://service.invalid';
/**
 * The plugin as `npm run build` makes it, for the service at `serviceBaseUrl`, in `outputDir`; with the manifest of
 * Photoshop, or of another app as `npm run package` makes it.
 * Sources that have not changed are built once for all tests and runs; only the address is put in.
 *
 * @throws BuildError when the build fails
 */
export async function buildPlugin(
  serviceBaseUrl: string,
  outputDir: string,
  host: HostApp = photoshop,
): Promise<void> {
  const built = await builtOnce();
  await cp(built, outputDir, { recursive: true });
  const script = await readFile(join(built, 'main.js'), 'utf8');
  if (!script.includes(PLACEHOLDER)) throw new Error('the script names no service');
  await writeFile(join(outputDir, 'main.js'), script.replaceAll(PLACEHOLDER, serviceBaseUrl));
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const manifest = JSON.parse(await readFile(join(ROOT, 'manifest.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  await writeFile(
    join(outputDir, 'manifest.json'),
    manifestText(completeManifest(manifest, { version, serviceBaseUrl, host })),
  );
}

/**
 * The folder of the production build of the sources as they are now, for the service at PLACEHOLDER; to be read only.
 * Tests run in several processes: one of them builds.
 */
export async function builtOnce(): Promise<string> {
  const folder = join(ROOT, '.cache', `plugin-${await hashOfSources()}`);
  const lock = `${folder}.lock`;
  for (;;) {
    if (await exists(folder)) return folder;
    if (await taken(lock)) {
      await wait(100);
      continue;
    }
    try {
      // Another may have finished between the look and the lock.
      if (await exists(folder)) return folder;
      const unfinished = `${folder}.unfinished`;
      await rm(unfinished, { recursive: true, force: true });
      await buildBundle({ serviceBaseUrl: PLACEHOLDER, outputDir: unfinished });
      await rename(unfinished, folder);
      return folder;
    } finally {
      await rm(lock, { force: true });
    }
  }
}

/** Whether somebody else holds the lock; when not, it is ours from now on. A lock of a process that was killed is removed. */
async function taken(lock: string): Promise<boolean> {
  await mkdir(dirname(lock), { recursive: true });
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return false;
  } catch {
    const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(lock, { force: true });
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

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const add = async (path: string): Promise<void> => {
    hash.update(`${path}\n`);
    hash.update(await readFile(join(ROOT, path)));
  };
  for (const source of SOURCES.split(' ')) {
    const path = join(ROOT, source);
    if (!(await stat(path)).isDirectory()) {
      await add(source);
      continue;
    }
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1));
    for (const file of files.sort()) await add(file);
  }
  return hash.digest('hex').slice(0, 16);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
