/**
 * Run by `npm test`: builds the plugin into dist/, as `npm run build` does, and keeps the build for the tests, which would
 * make the same once more; and compiles what tests start or load of the service, which each worker would do for itself.
 */
import { join } from 'node:path';
import { BuildError } from '../../scripts/build-bundle.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { compiled } from './compiled.js';
import { keptModules } from './kept-modules.js';

const ROOT = join(import.meta.dirname, '..', '..');
const DIST = join(ROOT, 'dist');

try {
  compiled('service/cli.ts');
  keptModules(ROOT);
  await buildPlugin(process.env['SERVICE_BASE_URL'] ?? 'http://localhost:8780', DIST);
} catch (error) {
  console.error(error instanceof BuildError ? error.output : error);
  process.exitCode = 1;
}
