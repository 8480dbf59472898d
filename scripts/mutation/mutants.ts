import { readFile } from 'node:fs/promises';
import type { Mutant } from '@stryker-mutator/api/core';
import type { Logger } from '@stryker-mutator/api/logging';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { wordsIgnorer } from './words-ignorer.js';

const silent = new Proxy({} as Logger, { get: () => () => false });

/** All mistakes that Stryker knows to make in these files (absolute paths), but in texts for developers. */
export async function mutantsOf(files: readonly string[]): Promise<readonly Mutant[]> {
  const sources = await Promise.all(
    files.map(async (name) => ({ name, content: await readFile(name, 'utf8'), mutate: true })),
  );
  const { mutants } = await new Instrumenter(silent).instrument(sources, {
    plugins: null,
    excludedMutations: [],
    ignorers: [wordsIgnorer],
  });
  return mutants.filter(({ status }) => status !== 'Ignored');
}
