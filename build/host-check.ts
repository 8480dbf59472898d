/**
 * Checks a built plugin against what UXP hosts document (`uxp-api/`): the global names of its scripts, the members
 * whose object is known, the elements and attributes in its pages and those its scripts make, its style sheets, and its
 * manifest. It cannot follow values: what is reached through variables is checked by the simulated host (`test/host/`).
 */
import { readFileSync, readdirSync } from 'node:fs';
import * as nodePath from 'node:path';
import { checkManifest } from './check-manifest.js';
import { checkPage } from './check-page.js';
import { checkScript } from './check-script.js';
import { checkStyleSheet } from './check-style.js';
import type { Problem } from './problem.js';
import { oldestTarget } from './target.js';

export { describe } from './problem.js';
export type { Problem } from './problem.js';

/**
 * Checks a built folder for the oldest host its manifest admits.
 * @param options.distDir the folder with manifest.json
 * @returns every problem found; none means that the bundle uses only what is documented, as far as this can tell
 */
export function checkBundle({ distDir }: { readonly distDir: string }): Problem[] {
  const read = (file: string): string => readFileSync(nodePath.join(distDir, file), 'utf8');
  let manifest: unknown;
  try {
    manifest = JSON.parse(read('manifest.json'));
  } catch {
    return [
      {
        file: 'manifest.json',
        name: 'manifest.json',
        problem: 'cannot be read',
        instead: 'valid JSON',
      },
    ];
  }
  const target = oldestTarget(manifest);
  const problems = checkManifest(distDir, manifest);
  const files = readdirSync(distDir, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.split(nodePath.sep).join('/'),
  );
  for (const file of files.sort()) {
    if (file.endsWith('.js')) {
      problems.push(...checkScript(file, read(file), target));
    }
    if (file.endsWith('.css')) {
      problems.push(...checkStyleSheet(file, read(file), target));
    }
    if (file.endsWith('.html')) {
      problems.push(...checkPage(distDir, file, read(file), target));
    }
  }
  return problems;
}
