import { spawn } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Mutant } from '@stryker-mutator/api/core';

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
  /** How much longer than without a mistake the tests may take. Milliseconds. */
  readonly patienceMs: number;
  readonly onTried: (tried: Tried) => void;
}

/** What is no part of a copy that tests run in. */
const NOT_COPIED = ['.git', '.cache', 'node_modules', 'dist', 'packages', 'data', 'coverage'];
const JSON_FILE = 'tests.json';

/** What is read of what `jest --json` writes. */
interface JestResult {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

interface Outcome {
  /** The first test that failed; null when none has. */
  readonly failure: string | null;
  /** How many tests there were. */
  readonly count: number;
  /** The files of tests, the quickest first. */
  readonly quickest: readonly string[];
}

/**
 * Puts mistakes into a copy of the project, one at a time, and runs the tests that import the changed file until one
 * fails: first the file of tests that bears its name, then the quickest ones. Which tests there are stands in MUTATION_TESTS
 * (stryker.jest.config.js).
 * @throws {Error} when a test fails without any mistake
 */
export async function tryOneByOne(
  mutants: readonly Mutant[],
  options: OneByOneOptions,
): Promise<readonly Tried[]> {
  const copy = await copyOf(options.root);
  try {
    const begun = performance.now();
    const files = [
      ...new Set(mutants.map(({ fileName }) => path.relative(options.root, fileName))),
    ];
    const sound = await runTests(copy, files, [], Infinity);
    if (sound?.failure !== null) {
      throw new Error(`A test fails without any mistake: ${sound?.failure ?? ''}`);
    }
    const limitMs = 2 * (performance.now() - begun) + options.patienceMs;
    const { quickest } = sound;
    const all: Tried[] = [];
    for (const mutant of mutants) {
      const tried = await tryMutant(copy, mutant, { ...options, quickest, limitMs });
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

async function tryMutant(
  copy: string,
  mutant: Mutant,
  {
    root,
    quickest,
    limitMs,
  }: OneByOneOptions & { readonly quickest: readonly string[]; readonly limitMs: number },
): Promise<Tried> {
  const name = path.relative(root, mutant.fileName);
  const source = await readFile(mutant.fileName, 'utf8');
  const namesake = `/${path.basename(name, '.ts')}.test.ts`;
  const nearest = quickest.filter((test) => test.endsWith(namesake));
  await writeFile(path.join(copy, name), withMistake(source, mutant));
  try {
    const outcome = await runTests(copy, [name], [...nearest, ...quickest], limitMs);
    if (!outcome) {
      return { mutant, status: 'Timeout', noticedBy: '' };
    }
    if (outcome.failure !== null) {
      return { mutant, status: 'Killed', noticedBy: outcome.failure };
    }
    return { mutant, status: outcome.count > 0 ? 'Survived' : 'NoCoverage', noticedBy: '' };
  } finally {
    await writeFile(path.join(copy, name), source);
  }
}

/** Lines and columns of a mutant count from 0. */
function withMistake(source: string, { location, mutatorName, replacement }: Mutant): string {
  const lines = source.split('\n');
  const at = ({ line, column }: { readonly line: number; readonly column: number }): number =>
    lines.slice(0, line).join('\n').length + (line > 0 ? 1 : 0) + column;
  // Without brackets, `??` beside `&&` is no JavaScript.
  const change = mutatorName === 'LogicalOperator' ? `(${replacement})` : replacement;
  return source.slice(0, at(location.start)) + change + source.slice(at(location.end));
}

/** Runs the tests that import these files; undefined when they do not end in time. */
async function runTests(
  copy: string,
  files: readonly string[],
  order: readonly string[],
  limitMs: number,
): Promise<Outcome | undefined> {
  await rm(path.join(copy, JSON_FILE), { force: true });
  const jest = spawn(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'],
      ...['--config', 'stryker.jest.config.js', '--runInBand', '--bail', '--passWithNoTests'],
      ...['--testSequencer', './scripts/mutation/quickest-first.js'],
      ...['--json', '--outputFile', JSON_FILE, '--findRelatedTests', ...files],
    ],
    {
      cwd: copy,
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own, so that what tests have started ends with it.
      detached: true,
      env: { ...process.env, MUTATION_ORDER: JSON.stringify(order) },
    },
  );
  let told = '';
  jest.stderr.on('data', (part: Buffer) => {
    told += part.toString();
  });
  const end = (): void => {
    process.kill(-(jest.pid ?? 0), 'SIGKILL');
  };
  const timer = limitMs === Infinity ? undefined : setTimeout(end, limitMs);
  const exitCode = await new Promise((resolve) => jest.once('close', resolve));
  clearTimeout(timer);
  if (exitCode === null) {
    return undefined;
  }
  if (exitCode !== 0) {
    // Jest that stops at a failure writes no file.
    const test = /^FAIL (?:\S*\/)?(\S+)/m.exec(told)?.[1] ?? '';
    const name = /^ +● (?!Console)(.*)/m.exec(told)?.[1] ?? '';
    return { failure: `${test} ${name}`, count: 0, quickest: [] };
  }
  const { numTotalTests, testResults } = JSON.parse(
    await readFile(path.join(copy, JSON_FILE), 'utf8'),
  ) as JestResult;
  const quickest = [...testResults]
    .sort((a, b) => a.endTime - a.startTime - (b.endTime - b.startTime))
    .map(({ name }) => path.relative(copy, name));
  return { failure: null, count: numTotalTests, quickest };
}
