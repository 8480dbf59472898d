import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');

/** A part of the project in a separate folder: named files are copied, node_modules is linked. */
export class ProjectCopy {
  private constructor(readonly folder: string) {}

  /** @param names files and folders of the project, with spaces in between */
  static async make(folder: string, names: string): Promise<ProjectCopy> {
    await mkdir(folder, { recursive: true });
    for (const name of names.split(' '))
      await cp(join(ROOT, name), join(folder, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return new ProjectCopy(folder);
  }

  /**
   * Runs Node there.
   * @throws Error with `stdout` and `stderr` when it fails
   */
  run(
    command: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<{ stdout: string; stderr: string }> {
    return promisify(execFile)(process.execPath, command, {
      cwd: this.folder,
      env: { ...process.env, ...environment },
    });
  }
}

/** The files of a folder by their paths in it, in order. */
export async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(
      paths
        .sort()
        .map(
          async (path) =>
            [relative(folder, path).replaceAll(sep, '/'), await readFile(path)] as const,
        ),
    ),
  );
}
