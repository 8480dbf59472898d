import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '..', '..');
const CACHE = join(ROOT, '.cache');
/** Everything that the programs import, and what they read from beside themselves. */
const FOLDERS = ['service', 'host-surface', 'test/host', 'test/crash'];

let place: string | undefined;

/**
 * The path of a program of the project, compiled, for tests that start it in a process of its own: `node --import tsx` would
 * compile it at each start, which takes longer than all else that most of them do. Git-ignored, and made anew when a source
 * has changed.
 *
 * @param program its source, such as `service/cli.ts`
 */
export function compiled(program: string): string {
  place ??= findOrCompile();
  return join(place, program.replace(/\.ts$/, '.js'));
}

function findOrCompile(): string {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1)),
  );
  // The first says that all of it is ES modules.
  files.push('package.json', 'test/service/attacks/lock-taker.ts');
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  const name = `compiled-${hash.digest('hex').slice(0, 16)}`;
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  // Made aside and renamed: another process never sees half of it.
  const aside = `${folder}.${process.pid}`;
  for (const file of files) compile(file, join(aside, file));
  try {
    renameSync(aside, folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
    rmSync(aside, { recursive: true });
  }
  return folder;
}

function compile(file: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  if (!file.endsWith('.ts')) {
    cpSync(join(ROOT, file), to);
    return;
  }
  const { code } = transformSync(readFileSync(join(ROOT, file), 'utf8'), {
    loader: 'ts',
    target: 'es2022',
    // Node has had them for longer than that target.
    supported: { 'import-attributes': true },
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  writeFileSync(to.replace(/\.ts$/, '.js'), code);
}
