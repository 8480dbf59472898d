import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Another commit of the project, with the packages that it names. */
export interface Checkout {
  readonly folder: string;
  /** Its short name, which stays when a branch moves on. */
  readonly name: string;
  remove(): void;
}

/** Lays a commit into a separate folder and installs its packages. */
export function checkOut(commit: string, folder: string): Checkout {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  git('worktree', 'add', '--quiet', '--detach', folder, commit);
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
    stdio: 'inherit',
  });
  return {
    folder,
    name: git('rev-parse', '--short', commit),
    remove: () => git('worktree', 'remove', '--force', folder),
  };
}
