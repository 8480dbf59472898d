import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mutant } from '@stryker-mutator/api/core';
import { CHOSEN, withSleeping } from './mutants.js';
import { GO_ON, type Told } from './watch.js';

/** A mistake, and what became of it. */
export interface Tried {
  readonly mutant: Mutant;
  readonly status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage';
  /** The first test that noticed. */
  readonly noticedBy: string;
}

export interface OneByOneOptions {
  /** The folder of the project. */
  readonly root: string;
  /** How much longer than three times what it takes without a mistake a file of tests may take. Seconds. */
  readonly patience: number;
  readonly onTried: (tried: Tried) => void;
  /** A file of tests that fails without any mistake is left out. */
  readonly onUnsound: (test: string) => void;
}

/** What is no part of a copy that tests run in. */
const NOT_COPIED = ['.git', '.cache', 'node_modules', 'dist', 'packages', 'data', 'coverage'];

/** What a file of tests does without a mistake. */
interface KnownTest {
  /** Its path below the folder of the project. */
  readonly name: string;
  readonly seconds: number;
  /** The mistakes whose code it comes to, by their ids. */
  readonly reached: ReadonlySet<string>;
  /** Whether none of it failed. */
  readonly isSound: boolean;
}

interface Outcome {
  readonly kind: 'passed' | 'failed' | 'endless';
  /** The first test that failed. */
  readonly by: string;
  /** The files of tests that came to their end. */
  readonly tests: readonly KnownTest[];
}

/**
 * Puts mistakes into a copy of the project, all asleep, and runs the tests that import the changed files: so it is known
 * which file of tests comes to which mistake. Then wakes one mistake at a time, and runs the tests that come to it until
 * one fails: first the file of tests that bears its name, then those whose names are like it, then the quickest ones. What a test does in other processes is
 * not seen by the first of these. Which tests there are stands in MUTATION_TESTS (stryker.jest.config.js).
 */
export async function tryOneByOne(
  mutants: readonly Mutant[],
  options: OneByOneOptions,
): Promise<readonly Tried[]> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(1));
  }
  const copy = await copyOf(options.root);
  try {
    const { files, ids } = await withSleeping(mutants);
    const names = files.map(({ name }) => path.relative(options.root, name));
    for (const { name, content } of files) {
      await writeFile(path.join(copy, path.relative(options.root, name)), content);
    }
    const sound = await soundTests(copy, names, options.onUnsound);
    const all: Tried[] = [];
    for (const mutant of mutants) {
      const id = ids.get(mutant) ?? '';
      const tests = sound.filter(({ reached }) => reached.has(id));
      const tried = { mutant, ...(await tryMistake(copy, mutant, id, tests, options.patience)) };
      options.onTried(tried);
      all.push(tried);
    }
    return all;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function copyOf(root: string): Promise<string> {
  const copy = path.join(root, '.cache', `one-by-one-${process.pid}`);
  await mkdir(copy, { recursive: true });
  const names = (await readdir(root)).filter((name) => !NOT_COPIED.includes(name));
  await Promise.all(
    names.map((name) => cp(path.join(root, name), path.join(copy, name), { recursive: true })),
  );
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** The tests that import these files and do not fail without a mistake. */
async function soundTests(
  copy: string,
  files: readonly string[],
  onUnsound: (test: string) => void,
): Promise<readonly KnownTest[]> {
  const variables = { [GO_ON]: '1' };
  const outcome = await run(copy, ['--findRelatedTests', ...files], variables, () => Infinity);
  for (const { name, isSound } of outcome.tests) {
    if (!isSound) {
      onUnsound(name);
    }
  }
  return outcome.tests.filter(({ isSound }) => isSound);
}

async function tryMistake(
  copy: string,
  { fileName }: Mutant,
  id: string,
  tests: readonly KnownTest[],
  patience: number,
): Promise<Pick<Tried, 'status' | 'noticedBy'>> {
  if (tests.length === 0) {
    return { status: 'NoCoverage', noticedBy: '' };
  }
  const likeness = ({ name }: KnownTest): number => likenessOf(name, fileName);
  const order = [...tests].sort(
    (one, other) => likeness(other) - likeness(one) || one.seconds - other.seconds,
  );
  const names = order.map(({ name }) => name);
  const outcome = await run(
    copy,
    ['--runTestsByPath', ...names],
    { [CHOSEN]: id, MUTATION_ORDER: JSON.stringify(names) },
    (test) => 3 * (tests.find(({ name }) => name === test)?.seconds ?? 0) + patience,
  );
  if (outcome.kind === 'failed') {
    return { status: 'Killed', noticedBy: outcome.by };
  }
  return { status: outcome.kind === 'endless' ? 'Timeout' : 'Survived', noticedBy: '' };
}

/** How many words the name of a file of tests shares with that of a file of code; most when it is its very name. */
function likenessOf(test: string, code: string): number {
  if (test.endsWith(`/${path.basename(code, '.ts')}.test.ts`)) {
    return Infinity;
  }
  const known = wordsOf(code);
  return wordsOf(test).filter((word) => known.includes(word)).length;
}

/** The words of a file's name, and of the folder's in which it lies. */
function wordsOf(file: string): readonly string[] {
  const [folder = '', name = ''] = file
    .replace(/(\.test)?\.ts$/, '')
    .split('/')
    .slice(-2);
  return `${folder}-${name}`.split('-').map((word) => word.replace(/s$/, ''));
}

/** Runs tests until one fails. `limitOf` tells how many seconds a file of tests may take; '' is what is before the first. */
async function run(
  copy: string,
  which: readonly string[],
  variables: Readonly<Record<string, string>>,
  limitOf: (test: string) => number,
): Promise<Outcome> {
  const toldIn = path.join(copy, 'told.jsonl');
  await rm(toldIn, { force: true });
  const environment = process.env['MUTATION_ENVIRONMENT'] ?? 'node';
  const jest = spawn(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'],
      ...['--config', 'stryker.jest.config.js', '--runInBand', '--passWithNoTests'],
      ...(GO_ON in variables ? [] : ['--bail']),
      ...['--env', path.join(copy, `scripts/mutation/${environment}-environment.ts`)],
      ...['--testSequencer', './scripts/mutation/quickest-first.js'],
      ...which,
    ],
    {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own, so that what tests have started ends with it.
      detached: true,
      env: { ...process.env, ...variables, MUTATION_TOLD: toldIn },
    },
  );
  let words = '';
  jest.stderr.on('data', (part: Buffer) => {
    words += part.toString();
  });
  const told = (): readonly Told[] => readTold(toldIn);
  const exitCode = await endOf(jest, () => relative(copy, lastBegun(told())), limitOf);
  const tests = testsIn(copy, told());
  if (exitCode === 0 || exitCode === undefined) {
    return { kind: exitCode === 0 ? 'passed' : 'endless', by: '', tests };
  }
  const failed = told().find((each) => each.kind === 'failed');
  const test = relative(copy, failed?.test ?? lastBegun(told()));
  // A file that cannot be loaded has no test that fails.
  const name = failed?.name ?? /^ +● (?!Console)(.*)/m.exec(words)?.[1] ?? words.slice(-500);
  return { kind: 'failed', by: `${test} ${name}`, tests };
}

function testsIn(copy: string, told: readonly Told[]): readonly KnownTest[] {
  return told.flatMap((each) =>
    each.kind === 'ended'
      ? [
          {
            name: relative(copy, each.test),
            seconds: each.seconds,
            reached: new Set(each.reached),
            isSound: !told.some(({ kind, test }) => kind === 'failed' && test === each.test),
          },
        ]
      : [],
  );
}

function relative(copy: string, test: string): string {
  return test === '' ? '' : path.relative(copy, test).replaceAll(path.sep, '/');
}

function readTold(file: string): readonly Told[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line) as Told);
}

function lastBegun(told: readonly Told[]): string {
  return told.findLast(({ kind }) => kind === 'begun')?.test ?? '';
}

/**
 * Waits until the tests are over; those that take too long are ended.
 * @returns the exit code; undefined when they were ended
 */
async function endOf(
  jest: ChildProcess,
  currentTest: () => string,
  limitOf: (test: string) => number,
): Promise<number | null | undefined> {
  const over = new Promise<number | null>((resolve) => {
    jest.once('exit', resolve);
  });
  const endToo = (): void => endGroup(jest);
  process.once('exit', endToo);
  const isRunning = (): boolean => jest.exitCode === null && jest.signalCode === null;
  let isEndless = false;
  let test = '';
  // Seconds counted one by one: while the whole machine stands still, so do they.
  for (let seconds = 0; isRunning(); seconds += 1) {
    await Promise.race([over, sleep(1000)]);
    const now = currentTest();
    if (now !== test) {
      test = now;
      seconds = 0;
    }
    if (isRunning() && seconds > limitOf(test)) {
      isEndless = true;
      endGroup(jest);
    }
  }
  endGroup(jest);
  process.off('exit', endToo);
  return isEndless ? undefined : over;
}

/** Ends the process and all that it has started. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? 0), 'SIGKILL');
  } catch {
    // All of them are over.
  }
}
