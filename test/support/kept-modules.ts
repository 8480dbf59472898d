import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';
// Without endings: Jest compiles what an environment imports, and does not map endings there.
import { asideOf, isKept, putInPlace } from '../../scripts/kept';

const KIND = 'modules-';

let place: string | undefined;

/**
 * The folder with the sources of the service and its packages, each compiled to a separate module, for a process that loads them once for all of
 * its test files (worker-cache.ts). Git-ignored, and made again when a source or a library has changed.
 *
 * @param root the project's folder
 */
export function keptModules(root: string): string {
  place ??= findOrCompile(root);
  return place;
}

function findOrCompile(root: string): string {
  const files = ['service', 'packages']
    .flatMap((tree) =>
      readdirSync(join(root, tree), { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      ),
    )
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    // It marks the folder as ES modules.
    .concat('package.json');
  const hash = createHash('sha256');
  for (const file of [...files, 'package-lock.json', 'test/support/kept-modules.ts'].sort())
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  const folder = join(root, '.cache', `${KIND}${hash.digest('hex').slice(0, 16)}`);
  if (isKept(folder)) return folder;
  const aside = asideOf(folder, KIND);
  // The service bundles the scripts of its pages itself.
  const isModule = (name: string): boolean =>
    name.endsWith('.ts') && !name.startsWith(join('service', 'client'));
  for (const file of files.filter((name) => !isModule(name))) {
    mkdirSync(dirname(join(aside, file)), { recursive: true });
    cpSync(join(root, file), join(aside, file));
  }
  buildSync({
    absWorkingDir: root,
    entryPoints: files.filter(isModule),
    outdir: aside,
    outbase: root,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    // Node has had them for longer than that target.
    supported: { 'import-attributes': true },
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    sourcemap: 'inline',
    sourcesContent: false,
  });
  // Browsers cannot load libraries by their names.
  const client = join('service', 'client');
  rmSync(join(aside, client), { recursive: true });
  buildSync({
    // As in bundle-client.ts, which this cannot import: it is what is compiled here.
    absWorkingDir: join(root, client),
    entryPoints: ['gallery', 'page', 'receipt', 'share'].flatMap((name) => [
      `./${name}.ts`,
      `./${name}.css`,
    ]),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    tsconfigRaw: {},
    outdir: join(aside, client),
  });
  putInPlace(aside, folder);
  return folder;
}
