import { rmSync } from 'node:fs';
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';
import { CHOSEN, withSleeping } from './mutants.js';
import { runTests, type KnownTest, type Outcome } from './test-runs.js';
import { GO_ON } from './watch.js';

/** A mistake, and what became of it. */
export interface Tried {
  readonly mutant: Mutant;
  readonly status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage';
  /** The first test that noticed; empty if none did. */
  readonly noticedBy: string;
}

/** How {@link tryOneByOne} works. */
export interface OneByOneOptions {
  /** The folder of the project. */
  readonly root: string;
  /** A test file may take three times as long as without a mistake, plus this many seconds. */
  readonly patience: number;
  /** How many seconds the tests of one mistake may take in all, without it. The likeliest ones run, at least one. */
  readonly within: number;
  /** How many mistakes are tried at a time. */
  readonly concurrency: number;
  readonly onTried: (tried: Tried) => void;
  /** Is called for a test file that fails without any mistake; it is left out. */
  readonly onUnsound: (test: string) => void;
}

/** What is not copied for the tests. */
const NOT_COPIED = ['.git', '.cache', 'node_modules', 'dist', 'packages', 'data', 'coverage'];

/**
 * Puts all mistakes into a copy of the project, none of them active, and runs the tests that import the changed files.
 * This first run shows which test file reaches which mistake; it does not see what a test does in other processes. Then
 * one mistake at a time is made active, and the tests that reach it are run until one fails: first the test file with
 * the name of the changed file, then those with similar names, then the quickest ones. Tests that do not end, or fail
 * because time was short, are run once more with more time, since a busy machine may be the cause. MUTATION_TESTS names
 * the tests (stryker.jest.config.js).
 */
export async function tryOneByOne(
  mutants: readonly Mutant[],
  options: OneByOneOptions,
): Promise<readonly Tried[]> {
  const copy = path.join(options.root, '.cache', `one-by-one-${process.pid}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      rmSync(copy, { recursive: true, force: true });
      process.exit(1);
    });
  }
  await copyTo(copy, options.root);
  try {
    const { files, ids } = await withSleeping(mutants);
    const names = files.map(({ name }) => path.relative(options.root, name));
    for (const { name, content } of files) {
      await writeFile(path.join(copy, path.relative(options.root, name)), content);
    }
    const sound = await soundTests(copy, names, options);
    const waiting = [...mutants];
    const all: Tried[] = [];
    const tryWaiting = async (): Promise<void> => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const id = ids.get(mutant) ?? '';
        const reaching = sound.filter(({ reached }) => reached.has(id));
        const tests = likeliest(reaching, mutant.fileName, options.within);
        const tried = { mutant, ...(await tryMistake(copy, id, tests, options.patience)) };
        options.onTried(tried);
        all.push(tried);
      }
    };
    await Promise.all(Array.from({ length: options.concurrency }, tryWaiting));
    return all;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function copyTo(copy: string, root: string): Promise<void> {
  await mkdir(copy, { recursive: true });
  const names = (await readdir(root)).filter((name) => !NOT_COPIED.includes(name));
  await Promise.all(
    names.map((name) => cp(path.join(root, name), path.join(copy, name), { recursive: true })),
  );
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
}

/** The test files that import these files and do not fail without a mistake. */
async function soundTests(
  copy: string,
  files: readonly string[],
  { concurrency, onUnsound }: OneByOneOptions,
): Promise<readonly KnownTest[]> {
  const outcomes = await Promise.all(
    Array.from({ length: concurrency }, (_, at) =>
      runTests({
        copy,
        which: [`--shard=${at + 1}/${concurrency}`, '--findRelatedTests', ...files],
        variables: { [GO_ON]: '1' },
        limitOf: () => Infinity,
      }),
    ),
  );
  const tests = outcomes.flatMap((outcome) => outcome.tests);
  for (const { name, isSound } of tests) {
    if (!isSound) {
      onUnsound(name);
    }
  }
  return tests.filter(({ isSound }) => isSound);
}

async function tryMistake(
  copy: string,
  id: string,
  tests: readonly KnownTest[],
  patience: number,
): Promise<Pick<Tried, 'status' | 'noticedBy'>> {
  for (let rest = tests; rest.length > 0;) {
    const outcome = await runWith(copy, id, rest, patience);
    if (outcome.kind === 'passed') {
      return { status: 'Survived', noticedBy: '' };
    }
    const at = rest.findIndex(({ name }) => name === outcome.test);
    const again =
      outcome.kind === 'failed' || at < 0
        ? outcome
        : await runWith(copy, id, rest.slice(at, at + 1), 3 * patience);
    if (again.kind !== 'passed') {
      return { status: again.kind === 'failed' ? 'Killed' : 'Timeout', noticedBy: again.by };
    }
    rest = rest.slice(at + 1);
  }
  return { status: tests.length === 0 ? 'NoCoverage' : 'Survived', noticedBy: '' };
}

/** Runs these test files with a mistake, in this order, until one fails. */
function runWith(
  copy: string,
  id: string,
  tests: readonly KnownTest[],
  patience: number,
): Promise<Outcome> {
  const names = tests.map(({ name }) => name);
  const secondsOf = new Map(tests.map(({ name, seconds }) => [name, seconds]));
  return runTests({
    copy,
    which: ['--runTestsByPath', ...names],
    variables: { [CHOSEN]: id, MUTATION_ORDER: JSON.stringify(names) },
    // '' is the time before the first test file, when none of the changed code runs.
    limitOf: (test) => (test === '' ? 10 * patience : 3 * (secondsOf.get(test) ?? 0) + patience),
  });
}

/** The tests to run, in order: first those that are most likely to notice a mistake in this source file. */
function likeliest(
  tests: readonly KnownTest[],
  code: string,
  within: number,
): readonly KnownTest[] {
  const likeness = ({ name }: KnownTest): number => likenessOf(name, code);
  const order = [...tests].sort(
    (one, other) => likeness(other) - likeness(one) || one.seconds - other.seconds,
  );
  let seconds = 0;
  return order.filter((test, at) => {
    seconds += test.seconds;
    return at === 0 || seconds <= within;
  });
}

/** How many words the names of a test file and a source file share; Infinity if the test is named after the source. */
function likenessOf(test: string, code: string): number {
  if (test.endsWith(`/${path.basename(code, '.ts')}.test.ts`)) {
    return Infinity;
  }
  const known = wordsOf(code);
  return wordsOf(test).filter((word) => known.includes(word)).length;
}

/** The words in the names of a file and of its folder. */
function wordsOf(file: string): readonly string[] {
  const [folder = '', name = ''] = file
    .replace(/(\.test)?\.ts$/, '')
    .split('/')
    .slice(-2);
  return `${folder}-${name}`.split('-').map((word) => word.replace(/s$/, ''));
}
