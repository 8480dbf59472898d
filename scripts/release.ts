/**
 * `npm run release -- VERSION` writes everything that a release consists of to `release/` (docs/releasing.md). The same
 * commit gives the same bytes, in any folder and on any day. SERVICE_BASE_URL, OAUTH_CLIENT_ID and OAUTH_SCOPE are
 * those of `npm run package`.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tarGzip, type ArchivedFile } from '../build/archive.js';
import { licenseProblem, licensesText, readLibrary } from '../build/licenses.js';
import { lightroomFiles } from '../build/lightroom.js';
import { zipPlugin } from '../build/package.js';
import {
  changelogSection,
  checksums,
  productionLibraries,
  productionLock,
  productionManifest,
  releaseProblem,
  reproducibleSbom,
  type Lock,
} from '../build/release.js';
import { readSettings } from '../build/settings.js';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT = join(ROOT, 'release');

/** The committed files of the service's archive. Compiled files and production packages are added. */
const SERVICE_FILES = [
  ...['CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy', 'compose.yaml', 'Dockerfile'],
  ...['.dockerignore', '.npmrc', 'scripts/node-version.js', 'scripts/run-service.js'],
];

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [version] = positionals;
  if (version === undefined || positionals.length > 1) {
    throw new Error('Usage: npm run release -- VERSION');
  }
  const manifest = (await readJson('package.json')) as Record<string, string>;
  const changelog = await readText('CHANGELOG.md');
  const problem = releaseProblem({
    version,
    packageVersion: manifest['version'] ?? '',
    status: git('status', '--porcelain'),
    changelog,
  });
  if (problem !== undefined) {
    throw new Error(problem);
  }

  await rm(OUTPUT, { recursive: true, force: true });
  await mkdir(OUTPUT);
  run('scripts/package.ts', '--output', OUTPUT);
  run('scripts/build-service.ts');

  const lock = (await readJson('package-lock.json')) as Lock;
  const libraries = productionLibraries(lock, (folder) => readLibrary(join(ROOT, folder)));
  const problems = libraries.flatMap((library) => licenseProblem(library, false) ?? []);
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
  const installed = {
    'package.json': json(productionManifest(manifest)),
    'package-lock.json': json(productionLock(lock)),
  };
  const licenses = licensesText(libraries);
  const service = `creative-workspace-service-${version}`;
  const files = new Map<string, ArchivedFile>(
    Object.entries({ ...installed, 'licenses.txt': licenses }).map(([path, text]) => [
      path,
      { content: Buffer.from(text), isExecutable: false },
    ]),
  );
  const committed = git('ls-files', '-z', ...SERVICE_FILES).split('\0');
  for (const path of [
    ...committed.filter((name) => name !== ''),
    ...(await filesIn('dist-service')),
  ]) {
    files.set(path, await archived(path));
  }
  const time = new Date(Number(git('log', '-1', '--format=%ct')) * 1000);
  await writeFile(join(OUTPUT, `${service}.tar.gz`), await tarGzip(service, files, time));
  await writeFile(join(OUTPUT, `${service}.cdx.json`), json(await sbomOf(installed, service)));
  await writeFile(join(OUTPUT, `${service}-licenses.txt`), licenses);

  const { serviceBaseUrl, clientId, scope } = readSettings(process.env);
  await writeFile(
    join(OUTPUT, `creative-workspace-lightroom-${version}.zip`),
    zipPlugin(await lightroomFiles(ROOT, version, serviceBaseUrl)),
  );
  await writeFile(
    join(OUTPUT, 'release-notes.md'),
    `${changelogSection(changelog, version) ?? ''}

### Built with

The packages connect to ${serviceBaseUrl}, as client \`${clientId}\`, with the scope \`${scope}\`.
`,
  );
  const written = (await readdir(OUTPUT)).map(
    async (name) => [name, await readFile(join(OUTPUT, name))] as const,
  );
  const sums = checksums(new Map(await Promise.all(written)));
  await writeFile(join(OUTPUT, 'SHA256SUMS'), sums);
  console.log(
    `release/ contains, of commit ${git('rev-parse', '--short', 'HEAD').trim()}:\n${sums}`,
  );
}

/** The software bill of materials of the installation, which npm makes from package.json and the lock. */
async function sbomOf(
  installed: Readonly<Record<string, string>>,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  const folder = await mkdtemp(join(tmpdir(), 'release-'));
  try {
    for (const [path, text] of Object.entries(installed)) {
      await writeFile(join(folder, path), text);
    }
    const options = ['--sbom-format', 'cyclonedx', '--package-lock-only'];
    const output = execFileSync('npm', ['sbom', ...options], { cwd: folder, encoding: 'utf8' });
    return reproducibleSbom(JSON.parse(output) as Record<string, unknown>, name);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function archived(path: string): Promise<ArchivedFile> {
  const file = join(ROOT, path);
  const { mode } = await stat(file);
  return { content: await readFile(file), isExecutable: (mode & 0o100) !== 0 };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1));
}

function readText(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readText(path));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

function run(script: string, ...args: string[]): void {
  const command = ['--import', 'tsx', join(ROOT, script), ...args];
  execFileSync(process.execPath, command, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
