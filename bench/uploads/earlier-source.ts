import { execFileSync } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Writes the plugin's source of a commit into a folder, with the present benchmarks and installed packages. Both
 * versions can then be measured in the same run. Returns the folder.
 */
export async function checkOutSource(commit: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', commit, 'src', 'tsconfig.json'], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await cp(join(ROOT, 'bench'), join(folder, 'bench'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Writes the service of a commit into a folder, with the installed packages. Returns the folder. */
export async function checkOutService(commit: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const archive = execFileSync(
    'git',
    ['archive', commit, 'service', 'scripts', 'package.json', 'tsconfig.json'],
    { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 },
  );
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** A commit's short name, which stays when a branch moves on. */
export function shortNameOf(commit: string): string {
  return execFileSync('git', ['rev-parse', '--short', commit], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
}
