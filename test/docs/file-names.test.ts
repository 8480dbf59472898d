import { basename, dirname } from 'node:path';
import { expect, it } from '@jest/globals';
import { FILES } from './named-files.js';

/** A file without its extensions, in the folder in which names are compared: a module, a feature of the panel, or what is beside them. */
function nameInModule(path: string): string {
  const depth = path.startsWith('src/features/') ? 3 : 2;
  const folder = dirname(path).split('/').slice(0, depth).join('/');
  return `${folder}/${basename(path).replace(/\..*$/, '')}`;
}

it('no two files of a module differ by a plural only', () => {
  const files = FILES.filter((path) =>
    /^(src|service|packages|preview|bench|scripts)\/.*\.(tsx?|js|css)$/.test(path),
  );
  const names = new Set(files.map(nameInModule));
  expect(names).toContain('src/features/queue/photo-record');
  expect(files.filter((path) => names.has(`${nameInModule(path)}s`))).toEqual([]);
});
