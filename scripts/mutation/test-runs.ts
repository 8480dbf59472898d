import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GO_ON, type Told } from './watch.js';

/** What is known of a test file after it ran. */
export interface KnownTest {
  /** Its path, relative to the project's folder. */
  readonly name: string;
  readonly seconds: number;
  /** The ids of the mistakes whose code it reached. */
  readonly reached: ReadonlySet<string>;
  /** Whether it has any tests, and none of them failed. */
  readonly isSound: boolean;
}

/** How a run of tests ended. */
export interface Outcome {
  /** `late`: a test failed with a message that time was short. `endless`: the tests took too long and were ended. */
  readonly kind: 'passed' | 'failed' | 'late' | 'endless';
  /** The test file that failed first, or did not end. */
  readonly test: string;
  /** The first test that failed. */
  readonly by: string;
  /** The test files that ended. */
  readonly tests: readonly KnownTest[];
}

/** Which tests to run, and how. */
export interface TestRun {
  /** The copy of the project that the tests are in. */
  readonly copy: string;
  /** The arguments for Jest that choose the tests. */
  readonly which: readonly string[];
  /** Environment variables for the tests. */
  readonly variables: Readonly<Record<string, string>>;
  /** How many seconds a test file may take; '' stands for the time before the first one. */
  readonly limitOf: (test: string) => number;
}

/** Messages of tests that had too little time, perhaps because the machine was busy. */
const LATE = /exceeded timeout|within \d+ ms|did not .* in time|timed? ?out|ETIMEDOUT/i;

/** Counts the runs, so that runs at the same time do not write into the same file. */
let runs = 0;

/** Runs tests until one fails; with the variable {@link GO_ON}, runs all of them. */
export async function runTests({ copy, which, variables, limitOf }: TestRun): Promise<Outcome> {
  runs += 1;
  const toldIn = path.join(copy, `told-${runs}.jsonl`);
  const jest = startJest(copy, which, { ...variables, MUTATION_TOLD: toldIn });
  let words = '';
  jest.stderr?.on('data', (part: Buffer) => {
    words += part.toString();
  });
  const told = (): readonly Told[] => readTold(toldIn);
  const exitCode = await endOf(jest, () => relative(copy, lastBegun(told())), limitOf);
  const tests = testsIn(copy, told());
  const failed = told().find((each) => each.kind === 'failed');
  const test = relative(copy, failed?.test ?? lastBegun(told()));
  if (exitCode === 0 || exitCode === undefined) {
    return { kind: exitCode === 0 ? 'passed' : 'endless', test, by: '', tests };
  }
  // If a test file cannot be loaded, no test fails, and Jest's output tells the reason.
  const name = failed?.name ?? /^ +● (?!Console)(.*)/m.exec(words)?.[1] ?? words.slice(-500);
  const kind = LATE.test(failed?.why ?? '') ? 'late' : 'failed';
  return { kind, test, by: `${test} ${name}`, tests };
}

function startJest(
  copy: string,
  which: readonly string[],
  variables: Readonly<Record<string, string>>,
): ChildProcess {
  const environment = process.env['MUTATION_ENVIRONMENT'] ?? 'node';
  return spawn(
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
      // Its own process group, so that processes that tests have started end with it.
      detached: true,
      env: { ...process.env, ...variables },
    },
  );
}

function testsIn(copy: string, told: readonly Told[]): readonly KnownTest[] {
  return told.flatMap((each) =>
    each.kind === 'ended'
      ? [
          {
            name: relative(copy, each.test),
            seconds: each.seconds,
            reached: new Set(each.reached),
            isSound:
              each.tests > 0 &&
              !told.some(({ kind, test }) => kind === 'failed' && test === each.test),
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
 * Waits until the tests are over, and ends them if they take too long.
 * @returns the exit code; null when something else ended them; undefined when this did
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
  // Seconds are counted one by one, so that they stand still while the whole machine does.
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

/** Ends the process and all processes that it has started. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-(pid ?? 0), 'SIGKILL');
  } catch {
    // All of them have ended already.
  }
}
