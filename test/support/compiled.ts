import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';
import { clientBuildOptions } from '../../service/kernel/html/bundle-client.js';
import { asideOf, isKept, putInPlace } from '../../scripts/kept.js';

const ROOT = join(import.meta.dirname, '..', '..');
const CACHE = join(ROOT, '.cache');
/** All imports of the programs, and the files that they read. */
const FOLDERS = ['service', 'packages', 'uxp-api', 'test/host', 'test/crash'];
const PROGRAMS = [
  'service/cli.ts',
  'service/admin.ts',
  'service/kernel/database/pglite.ts',
  'service/kernel/tls/tls.ts',
  'service/library/previews/image-worker-process.ts',
  'test/crash/plugin-process.ts',
  'test/crash/power-loss/recorder.ts',
  'test/service/attacks/lock-taker.ts',
  'test/service/support/image-process-without-ffmpeg.ts',
] as const;
/** Modules that cannot be bundled (WebAssembly, native modules) or that read their own files. */
const LEFT_OUTSIDE = [
  ...['@electric-sql/pglite', '@node-rs/*', 'fs-native-extensions', 'sharp'],
  ...['jsdom', 'pg-native'],
];

/**
 * Options of Node for a short-lived program with its own database: its WebAssembly and its JavaScript run as
 * they are compiled first, and garbage is collected by one thread. To optimise takes more of the processor than all else that
 * such a program does.
 */
export const FOR_A_MOMENT: readonly string[] = [
  '--liftoff-only',
  '--no-opt',
  '--single-threaded-gc',
];

let place: string | undefined;

/**
 * The path of a program of the project, compiled and bundled with its libraries, for tests that start it in a process of its
 * own: `node --import tsx` takes three times as long to load its 1600 modules. Git-ignored, and made again when a source or
 * a library has changed.
 *
 * @param program its source
 */
export function compiled(program: (typeof PROGRAMS)[number]): string {
  place ??= findOrCompile();
  return join(place, program.replace(/\.ts$/, '.js'));
}

function findOrCompile(): string {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1)),
  );
  // The first marks the folder as ES modules.
  files.push('package.json', 'scripts/node-version.js');
  files.push(...PROGRAMS.filter((name) => name.startsWith('test/service/')));
  // The simulated Photoshop saves pictures.
  files.push('test/support/located-pictures.ts', 'test/support/pictures.ts');
  const hash = createHash('sha256');
  for (const file of [...files, 'package-lock.json', 'test/support/compiled.ts'].sort())
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  const folder = join(CACHE, `compiled-${hash.digest('hex').slice(0, 16)}`);
  if (isKept(folder)) return folder;
  const aside = asideOf(folder, 'compiled-');
  const sources = join(aside, 'sources');
  for (const file of files) lay(file, { aside, sources, folder });
  bundle(sources, aside);
  const client = join('service', 'client');
  rmSync(join(aside, client), { recursive: true });
  buildSync({
    ...clientBuildOptions(pathToFileURL(`${join(ROOT, client)}/`)),
    outdir: join(aside, client),
  });
  rmSync(sources, { recursive: true });
  putInPlace(aside, folder);
  return folder;
}

/** Lays a file where it is bundled from and, unless it is a script, where the programs read it. */
function lay(file: string, to: { aside: string; sources: string; folder: string }): void {
  const source = join(to.sources, file);
  mkdirSync(dirname(source), { recursive: true });
  if (!file.endsWith('.ts')) {
    cpSync(join(ROOT, file), source);
    mkdirSync(dirname(join(to.aside, file)), { recursive: true });
    cpSync(join(ROOT, file), join(to.aside, file));
    return;
  }
  // Each module sees the path of its source file.
  const there = pathToFileURL(join(to.folder, file.replace(/\.ts$/, '.js'))).href;
  const code = readFileSync(join(ROOT, file), 'utf8');
  writeFileSync(source, code.replaceAll('import.meta.url', JSON.stringify(there)));
}

function bundle(sources: string, to: string): void {
  buildSync({
    absWorkingDir: sources,
    entryPoints: [...PROGRAMS],
    outdir: to,
    outbase: sources,
    bundle: true,
    // Shared and lazily loaded modules stay in separate files.
    splitting: true,
    chunkNames: 'parts/[hash]',
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    // Node has had them for longer than that target.
    supported: { 'import-attributes': true },
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    // Libraries compare class names, so the names must stay unique.
    keepNames: true,
    external: LEFT_OUTSIDE,
    banner: {
      // For libraries that are no ES modules.
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'error',
  });
}
