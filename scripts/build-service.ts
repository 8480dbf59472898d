/**
 * Part of `npm run build`: compiles `service/` to `dist-service/`, file by file, so that a server runs it without tsx:
 * `node dist-service/cli.js`. Types are checked by `npm run check`.
 *
 * `dist-service/` is beside `service/`, so that relative paths to `deploy/` and `package.json` are the same in both.
 */
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { clientBuildOptions } from '../service/platform/html/bundle-client.js';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'service');
const OUTPUT = join(ROOT, 'dist-service');

const CLIENT = join(SOURCES, 'client');

const isTypeScript = (path: string): boolean => path.endsWith('.ts');

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
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  logLevel: 'warning',
});
await build({
  ...clientBuildOptions(pathToFileURL(`${CLIENT}/`)),
  outdir: join(OUTPUT, 'client'),
  logLevel: 'warning',
});
