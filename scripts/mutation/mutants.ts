import { readFile } from 'node:fs/promises';
import type { Mutant } from '@stryker-mutator/api/core';
import type { Logger } from '@stryker-mutator/api/logging';
import { Instrumenter, type InstrumentResult } from '@stryker-mutator/instrumenter';
import { nameOf } from './name.js';
import { wordsIgnorer } from './words-ignorer.js';

const silent = new Proxy({} as Logger, { get: () => () => false });

/** All mistakes that Stryker can make in these files (absolute paths), except in texts for developers. */
export async function mutantsOf(files: readonly string[]): Promise<readonly Mutant[]> {
  const { mutants } = await instrument(files, () => true);
  return mutants.filter(({ status }) => status !== 'Ignored');
}

/** Code that contains mistakes, of which none is active until one is chosen. */
export interface SleepingMistakes {
  /** The changed files, by their absolute path. */
  readonly files: readonly { readonly name: string; readonly content: string }[];
  /** For each mistake, the value of the variable {@link CHOSEN} that makes a process commit it. */
  readonly ids: ReadonlyMap<Mutant, string>;
}

/** The environment variable that chooses a mistake. */
export const CHOSEN = '__STRYKER_ACTIVE_MUTANT__';

/** The code of all files that these mistakes are in, with all of the mistakes in it, none of them active. */
export async function withSleeping(mutants: readonly Mutant[]): Promise<SleepingMistakes> {
  const names = [...new Set(mutants.map(({ fileName }) => fileName))];
  const result = await instrument(names, (name) =>
    mutants.filter(({ fileName }) => fileName === name).map(({ location }) => location),
  );
  const found = new Map(result.mutants.map((mutant) => [nameOf(mutant), mutant.id]));
  const ids = new Map(mutants.map((mutant) => [mutant, found.get(nameOf(mutant)) ?? '']));
  return { files: result.files, ids };
}

/** @param where  the places in a file where mistakes are made, or everywhere */
async function instrument(
  files: readonly string[],
  where: (name: string) => Mutant['location'][] | true,
): Promise<InstrumentResult> {
  const sources = await Promise.all(
    files.map(async (name) => ({
      name,
      content: await readFile(name, 'utf8'),
      mutate: where(name),
    })),
  );
  return new Instrumenter(silent).instrument(sources, {
    plugins: null,
    excludedMutations: [],
    ignorers: [wordsIgnorer],
  });
}
