import { execFileSync } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Lays out the plugin's source as it was at a commit, with the benchmarks as they are now and the packages
 * installed here, so that both can be measured in the same run. Gives the folder.
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

/** Lays out the service as it was at a commit, with the packages installed here. Gives the folder. */
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
