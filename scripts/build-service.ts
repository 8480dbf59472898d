/**
 * Part of `npm run build`: compiles `service/` and `packages/` to `dist-service/`, file by file, so that a server runs it without tsx:
 * `node dist-service/cli.js`. Types are checked by `npm run check`.
 *
 * `dist-service/` is beside `service/`, so that relative paths to `deploy/` and `package.json` are the same in both.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { librariesOf, licenseProblem, licensesText } from '../build/licenses.js';
import { clientBuildOptions } from '../service/kernel/html/bundle-client.js';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'service');
const OUTPUT = join(ROOT, 'dist-service');

const PACKAGES = join(ROOT, 'packages');
const CLIENT = join(SOURCES, 'client');

const isTypeScript = (path: string): boolean => path.endsWith('.ts');

const COMPILATION = {
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  logLevel: 'warning',
} as const;

rmSync(OUTPUT, { recursive: true, force: true });
// Migrations and other data.
cpSync(SOURCES, OUTPUT, {
  recursive: true,
  filter: (path) => !isTypeScript(path) && path !== CLIENT,
});
await build({
  entryPoints: readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(isTypeScript)
    .map((path) => join(SOURCES, path))
    .filter((path) => dirname(path) !== CLIENT),
  outdir: OUTPUT,
  outbase: SOURCES,
  ...COMPILATION,
});
await build({
  entryPoints: readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' })
    .filter(isTypeScript)
    .map((path) => join(PACKAGES, path)),
  outdir: join(OUTPUT, 'packages'),
  outbase: PACKAGES,
  ...COMPILATION,
});
movePackages();
const { metafile } = await build({
  ...clientBuildOptions(pathToFileURL(`${CLIENT}/`)),
  outdir: join(OUTPUT, 'client'),
  // The hashes in file names are of paths, too: those below this folder, wherever node_modules may really be.
  preserveSymlinks: true,
  banner: { js: '/* Licences of libraries: licenses.txt in this folder. */' },
  metafile: true,
  logLevel: 'warning',
});
const libraries = librariesOf(Object.keys(metafile.inputs).map((path) => resolve(CLIENT, path)));
for (const library of libraries) {
  const problem = licenseProblem(library, true);
  if (problem !== undefined) {
    throw new Error(problem);
  }
}
writeFileSync(join(OUTPUT, 'client', 'licenses.txt'), licensesText(libraries));

/** The packages are beside `service/` in the sources, but inside `dist-service/`, so paths to them are shorter there. */
function movePackages(): void {
  for (const path of readdirSync(OUTPUT, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.js') && !path.startsWith('packages')) {
      const file = join(OUTPUT, path);
      const text = readFileSync(file, 'utf8');
      const moved = text.replace(/(["'])\.\.\/((?:\.\.\/){0,16}packages\/)/g, '$1./$2');
      if (moved !== text) {
        writeFileSync(file, moved);
      }
    }
  }
}
