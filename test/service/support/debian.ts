import { spawnSync } from 'node:child_process';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

const CACHE = path.join(import.meta.dirname, '../../.cache');

/** Debian's own Python, the only one that finds the modules of Debian's packages. */
export const DEBIAN_PYTHON = '/usr/bin/python3';

/** Installs packages of Debian, which requires root; returns whether it succeeded. */
export function installDebian(...packages: string[]): boolean {
  if (process.getuid?.() !== 0) return false;
  const wanted = ['install', '-y', '--no-install-recommends', ...packages];
  return apt(wanted) || (apt(['update']) && apt(wanted));
}

/** Debian's Python with an independent client for it, so that clients from outside of JavaScript take part. */
export function debianPython(module: string, ...packages: string[]): string | undefined {
  const has = (): boolean =>
    spawnSync(DEBIAN_PYTHON, ['-c', `import ${module}`], { stdio: 'ignore' }).status === 0;
  if (has() || (installDebian(...packages) && has())) return DEBIAN_PYTHON;
  process.stderr.write(
    `\n!! NOT TESTED with ${module} of Python: install ${packages.join(' and ')} to do so.\n\n`,
  );
  return undefined;
}

/**
 * Unpacks packages of Debian, and those that they need and this machine has not, into a folder that is kept for the
 * next runs. Nothing is installed, and anybody may do it.
 * @returns the folder, which is the root of what they hold; undefined where they cannot be had.
 */
export async function unpackDebian(
  name: string,
  packages: readonly string[],
): Promise<string | undefined> {
  const place = path.join(CACHE, name);
  if (await exists(place)) return place;
  const aside = path.join(CACHE, `${name}.${process.pid}`);
  try {
    const fetched = path.join(aside, 'fetched');
    await mkdir(path.join(fetched, 'partial'), { recursive: true });
    await mkdir(path.join(aside, 'lists/partial'), { recursive: true });
    const root = path.join(aside, 'root');
    if (!fetch(packages, fetched, path.join(aside, 'lists'))) return undefined;
    for (const file of await readdir(fetched)) {
      const archive = path.join(fetched, file);
      if (!file.endsWith('.deb')) continue;
      if (spawnSync('dpkg', ['-x', archive, root], { stdio: 'ignore' }).status !== 0)
        return undefined;
    }
    await rename(root, place).catch(async (error: unknown) => {
      // Another run was faster.
      if (!(await exists(place))) throw error;
    });
    return place;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Downloads missing packages. An outdated package list is read again, into our own folder. */
function fetch(packages: readonly string[], folder: string, lists: string): boolean {
  const options = ['-o', 'Debug::NoLocking=1', '-o', `Dir::Cache::archives=${folder}`];
  const download = ['install', '-y', '--no-install-recommends', '--download-only', ...packages];
  const own = [...options, '-o', `Dir::State::lists=${lists}`, '-o', 'Dir::Cache::pkgcache='];
  return apt([...options, ...download]) || (apt([...own, 'update']) && apt([...own, ...download]));
}

function apt(args: readonly string[]): boolean {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-q', ...args], { stdio: 'ignore', env: environment }).status === 0;
}

function exists(place: string): Promise<boolean> {
  return access(place).then(
    () => true,
    () => false,
  );
}
