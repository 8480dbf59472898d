/**
 * `npm run service` and `npm run service:admin`: runs a program of the service, `cli` or `admin`, in this process.
 *
 * Where the development dependencies are installed it runs the sources, by tsx. An installation without them
 * (`npm prune --omit=dev`) runs what `npm run build` compiled to `dist-service/`.
 */
import './node-version.js';
import { existsSync } from 'node:fs';

const [program] = process.argv.splice(2, 1);
const source = new URL(`../service/${program}.ts`, import.meta.url);
const compiled = new URL(`../dist-service/${program}.js`, import.meta.url);

const tsx = await import('tsx/esm/api').catch(() => undefined);
if (tsx !== undefined) {
  tsx.register();
  await import(source.href);
} else if (existsSync(compiled)) {
  await import(compiled.href);
} else {
  process.stderr.write(
    'The service is not compiled: npm ci && npm run build && npm prune --omit=dev\n',
  );
  process.exitCode = 1;
}
