import { readdirSync } from 'node:fs';
import { basename, join, sep } from 'node:path';

const TESTS = join(import.meta.dirname, '..');

const depthOf = (path: string): number => path.split(sep).length;

/**
 * What the files of a name below `test/service/` export as default: those of modules, then those of features, in the order of
 * their paths. A feature adds a file and edits no list.
 */
export function foundByName<T>(name: string): Promise<T[]> {
  const paths = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((path) => basename(path) === name)
    .sort()
    .sort((one, other) => depthOf(one) - depthOf(other));
  return Promise.all(
    paths.map(async (path) => ((await import(join(TESTS, path))) as { default: T }).default),
  );
}
