import { createHash } from 'node:crypto';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { photoshop, type HostApp } from '../build/hosts.js';
import { completeManifest, manifestText } from '../build/manifest.js';
import { buildBundle } from './build-bundle.js';
import { takeLock } from './build-lock.js';
import { asideOf, isKept, putInPlace } from './kept.js';

const ROOT = join(import.meta.dirname, '..');
/** Everything a build reads. */
export const SOURCES =
  'src build uxp-api scripts/node-version.js manifest.json package.json tsconfig.json webpack.config.js';
/** The file beside a kept build that holds the output of the build. */
const SAID = 'said.txt';
/** Other inputs of the build: library versions, and settings except the address. */
const LIBRARIES = 'package-lock.json';
const SETTINGS = ['OAUTH_CLIENT_ID', 'OAUTH_SCOPE'];
/** The service address in a kept build, which is replaced later: the script has this text nowhere else. */
const PLACEHOLDER = 'https://service.invalid';

/** A build that is kept. Do not change it. */
interface KeptBuild {
  /** The folder that was built. */
  readonly dist: string;
  /** The output of the build, with the table of the bundle's content. */
  readonly said: string;
}

/** How a build that is not kept yet is made. */
interface Making {
  /** Ends the build. */
  readonly signal?: AbortSignal;
  /** Is called before the build. */
  readonly onBuild?: () => void;
}

/**
 * Writes the plugin to `outputDir`, as `npm run build` makes it for the service at `serviceBaseUrl`. The folder is
 * emptied before. The manifest is that of Photoshop, or that of another app as `npm run package` makes it.
 * Unchanged sources are built only once, for `npm start` and all tests; then only the address is replaced.
 *
 * @throws {BuildError} when the build fails or is ended
 */
export async function buildPlugin(
  serviceBaseUrl: string,
  outputDir: string,
  host: HostApp = photoshop,
  making: Making = {},
): Promise<void> {
  const { dist } = await builtOnce(making);
  await rm(outputDir, { recursive: true, force: true });
  await cp(dist, outputDir, { recursive: true });
  const script = await readFile(join(dist, 'main.js'), 'utf8');
  if (!script.includes(PLACEHOLDER)) {
    throw new Error('the script names no service');
  }
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
 * The production build of the sources as they are now. Tests run in several processes: one of them builds, the others
 * wait. What is shipped (`npm run build`, `npm run package`) is never taken from here.
 * @throws {BuildError} when the build fails or is ended
 */
export async function builtOnce({ signal, onBuild }: Making = {}): Promise<KeptBuild> {
  const folder = join(ROOT, '.cache', `plugin-${await hashOfSources()}`);
  const lock = `${folder}.lock`;
  for (;;) {
    if (isKept(folder)) {
      return kept(folder);
    }
    if (!(await takeLock(lock))) {
      await wait(100, undefined, signal === undefined ? {} : { signal });
      continue;
    }
    try {
      // Another process may have finished before this one got the lock.
      if (isKept(folder)) {
        return await kept(folder);
      }
      onBuild?.();
      const unfinished = asideOf(folder, 'plugin-');
      const said = await buildBundle({
        serviceBaseUrl: PLACEHOLDER,
        outputDir: join(unfinished, 'dist'),
        ...(signal === undefined ? {} : { signal }),
      });
      await writeFile(join(unfinished, SAID), said);
      putInPlace(unfinished, folder);
      return await kept(folder);
    } finally {
      await rm(lock, { force: true });
    }
  }
}

async function kept(folder: string): Promise<KeptBuild> {
  return { dist: join(folder, 'dist'), said: await readFile(join(folder, SAID), 'utf8') };
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const add = async (path: string): Promise<void> => {
    hash.update(`${path}\n`);
    hash.update(await readFile(join(ROOT, path)));
  };
  for (const name of SETTINGS) {
    hash.update(`${name}=${process.env[name] ?? ''}\n`);
  }
  for (const source of [...SOURCES.split(' '), LIBRARIES]) {
    const path = join(ROOT, source);
    if (!(await stat(path)).isDirectory()) {
      await add(source);
      continue;
    }
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1));
    for (const file of files.sort()) {
      await add(file);
    }
  }
  return hash.digest('hex').slice(0, 16);
}
