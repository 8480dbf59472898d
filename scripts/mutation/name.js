import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/**
 * Names a mutant the same before a run and in it: Stryker numbers them anew each time.
 * @param {import('@stryker-mutator/api/core').Mutant} mutant
 * @returns {string}
 */
export function nameOf({ fileName, location: { start, end }, mutatorName, replacement }) {
  const file = path.relative(ROOT, path.resolve(ROOT, fileName)).replaceAll(path.sep, '/');
  return [file, start.line, start.column, end.line, end.column, mutatorName, replacement].join(':');
}
