/** `npm run package`: builds the plugin and writes one installable .ccx per creative app, to packages/ or `--output`. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

import { checkBundle, describe } from '../build/host-check.js';
import { hosts } from '../build/hosts.js';
import { packageName, pluginFiles, zipPlugin } from '../build/package.js';
import packageJson from '../package.json' with { type: 'json' };
import { BuildError, buildBundle } from './build-bundle.js';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { output: { type: 'string', default: 'packages' } } });
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  try {
    const distDir = join(folder, 'dist');
    await buildBundle({ outputDir: distDir });
    await mkdir(values.output, { recursive: true });
    for (const host of hosts) {
      const files = await pluginFiles(distDir, host);
      await check(join(folder, host.app), files);
      const path = join(values.output, packageName(packageJson.version, host));
      await writeFile(path, zipPlugin(files));
      console.log(`${path}   for ${host.name} ${host.minVersion} and later`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The build was checked for the app of dist/; each other app documents something else. */
async function check(distDir: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [path, content] of files) {
    const file = join(distDir, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const problems = checkBundle({ distDir });
  if (problems.length > 0) throw new Error(problems.map(describe).join('\n'));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  if (error instanceof BuildError) console.error(error.output);
  process.exitCode = 1;
});
