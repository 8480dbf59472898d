/**
 * `npm run package`: builds the plugin and writes one installable .ccx per creative app, to ccx/ or `--output`.
 * `-- --check` first checks that everything is there that the marketplace requires (docs/publishing.md), and writes
 * nothing while something is missing; `--development` allows a service on this machine. `-- --id` gives the plugin the
 * id that it has in the distribution portal, or in another channel.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { checkBundle, describe } from '../build/host-check.js';
import { hosts } from '../build/hosts.js';
import { listingProblems } from '../build/listing.js';
import english from '../src/ui/i18n/en.js';
import { packageName, pluginFiles, zipPlugin } from '../build/package.js';
import packageJson from '../package.json' with { type: 'json' };
import { BuildError, buildBundle } from './build-bundle.js';

const ROOT = join(import.meta.dirname, '..');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: 'ccx' },
      check: { type: 'boolean', default: false },
      development: { type: 'boolean', default: false },
      id: { type: 'string' },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  try {
    const distDir = join(folder, 'dist');
    await buildBundle({ outputDir: distDir });
    if (values.check) {
      await checkListing(distDir, values.development);
    }
    await mkdir(values.output, { recursive: true });
    for (const host of hosts) {
      const files = await pluginFiles(distDir, host, values.id);
      await check(join(folder, host.app), files);
      const path = join(values.output, packageName(packageJson.version, host));
      await writeFile(path, zipPlugin(files));
      console.log(`${path}   for ${host.name} ${host.minVersion} and later`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Checks one app's package: the build was only checked for Photoshop, and other apps document other things. */
async function check(distDir: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [path, content] of files) {
    const file = join(distDir, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const problems = checkBundle({ distDir });
  if (problems.length > 0) {
    throw new Error(problems.map(describe).join('\n'));
  }
}

async function checkListing(distDir: string, isForDevelopment: boolean): Promise<void> {
  const problems = listingProblems({
    listingDir: join(ROOT, 'listing'),
    distDir,
    english,
    changelog: await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'),
    isForDevelopment,
  });
  // Loaded only now: it needs a browser, and much of the tests' code.
  const { clippedTexts } = await import('./clipped-texts.js');
  problems.push(...(await clippedTexts()));
  if (problems.length > 0) {
    throw new Error(['Not ready for the marketplace:', ...problems].join('\n- '));
  }
  console.log(
    isForDevelopment
      ? 'Everything else is there; a build for this machine cannot be submitted.'
      : 'Our side is complete. What only the owner can supply: docs/publishing.md.',
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof BuildError) {
    console.error(error.output);
  }
  process.exitCode = 1;
});
