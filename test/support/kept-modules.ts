import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, buildSync, type Plugin } from 'esbuild';
// Without endings: Jest compiles what an environment imports, and does not map endings there.
import { asideOf, isKept, putInPlace } from '../../scripts/kept';

const KIND = 'modules-';
/** The module that {@link keptModules} returns. */
const ALL = 'all.js';

/** A library that tests have in common with the service, as in jest.config.js. */
const LIBRARY = 'node_modules/oidc-provider/lib/index.js';

/** Modules that cannot be bundled, with WebAssembly or native code, and the library that tests have in common in another format. */
const LEFT_OUTSIDE = [
  ...['@electric-sql/pglite', '@hyzyla/pdfium', '@imagemagick/magick-wasm', '@node-rs/*'],
  ...['esbuild', 'fs-native-extensions', 'libheif-js', 'pg', 'sharp'],
];

let place: Promise<string> | undefined;

/**
 * The path of one module with all modules of the service, its packages and their libraries, for a process that loads it once
 * for all of its test files (worker-cache.ts): to load 1,600 separate ones takes longer than most tests. Each runs when it
 * is first imported. Git-ignored, and made again when a source or a library has changed.
 *
 * Its `modules` has a function for each source, by its path, that returns what it exports.
 *
 * @param root the project's folder
 */
export async function keptModules(root: string): Promise<string> {
  place ??= findOrCompile(root);
  return join(await place, ALL);
}

async function findOrCompile(root: string): Promise<string> {
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
  await build({
    absWorkingDir: root,
    stdin: { contents: entryOf(files.filter(isModule)), resolveDir: root },
    outfile: join(aside, ALL),
    bundle: true,
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
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [ownPaths(root, folder)],
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

/** Imports all modules, in functions: the bundler then runs each when it is first imported. */
function entryOf(sources: readonly string[]): string {
  const imports = [...sources, LIBRARY].map((name) => {
    return `${JSON.stringify(name)}: () => import(${JSON.stringify(`./${name}`)}),`;
  });
  return `export const modules = {${imports.join('\n')}};`;
}

/** Gives each module of the project the path of its file, so that it finds the files beside it. */
function ownPaths(root: string, folder: string): Plugin {
  return {
    name: 'own-paths',
    setup: (bundler) => {
      bundler.onLoad({ filter: /[\\/](service|packages)[\\/].*\.ts$/ }, ({ path }) => {
        const own = pathToFileURL(join(folder, relative(root, path).replace(/\.ts$/, '.js'))).href;
        const code = readFileSync(path, 'utf8');
        return { contents: code.replaceAll('import.meta.url', JSON.stringify(own)), loader: 'ts' };
      });
    },
  };
}
