/**
 * `npm run jest -- ARGUMENTS`: Jest with the flags of Node.js that the tests need.
 *
 * With TEST_FLAKY_FILES, which .ci/run sets, the test files that failed are repeated once, with the same order and random
 * data. The names of those that pass then are added to the file of that name. More than three of them are a failure.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Quick to start, since most processes of tests end soon. */
const FLAGS = [
  '--experimental-vm-modules',
  '--no-warnings=ExperimentalWarning',
  '--liftoff-only',
  '--wasm-lazy-validation',
  '--single-threaded-gc',
];
const JEST = fileURLToPath(import.meta.resolve('jest/bin/jest'));
const REPORTER = join(import.meta.dirname, 'failed-files.js');
const MAX_FLAKY = 3;

/**
 * Runs Jest to its end.
 * @returns its exit status; 1 if a signal ended it.
 */
function runJest(args, variables = {}) {
  const child = spawn(process.execPath, [...FLAGS, JEST, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...variables },
  });
  const pass = (signal) => child.kill(signal);
  process.on('SIGTERM', pass).on('SIGINT', pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (status) => {
      process.off('SIGTERM', pass).off('SIGINT', pass);
      resolve(status ?? 1);
    });
  });
}

/** Runs Jest, and once more for the files that failed. */
async function runAndRepeat(args, flakyFile) {
  const folder = mkdtempSync(join(tmpdir(), 'failed-files-'));
  try {
    const variables = {
      TEST_SEED: process.env.TEST_SEED ?? String(randomInt(1, 2 ** 32)),
    };
    const run = async (name, more) => {
      const list = join(folder, name);
      const status = await runJest(['--reporters=default', `--reporters=${REPORTER}`, ...more], {
        ...variables,
        TEST_FAILED_FILES: list,
      });
      // Jest writes the list at its end. Without it, Jest itself has failed.
      const failed = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
      return { status, failed };
    };
    const seed = args.some((one) => one.startsWith('--seed='))
      ? []
      : [`--seed=${randomInt(2 ** 31)}`];
    const first = await run('first.json', [...seed, ...args]);
    if (first.status === 0 || first.failed.length === 0) {
      return first.status;
    }
    console.log(
      `\nRepeated once, with TEST_SEED=${variables.TEST_SEED}: ${first.failed.length} files\n`,
    );
    const options = [...seed, ...args].filter((one) => /^--\w+=/.test(one));
    const second = await run('second.json', [...options, '--runTestsByPath', ...first.failed]);
    if (second.status !== 0 && second.failed.length === 0) {
      return second.status;
    }
    const flaky = first.failed.filter((file) => !second.failed.includes(file));
    appendFileSync(flakyFile, flaky.map((file) => `${relative('.', file)}\n`).join(''));
    const all = new Set(readFileSync(flakyFile, 'utf8').trim().split('\n'));
    return second.status === 0 && all.size <= MAX_FLAKY ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const args = process.argv.slice(2);
const flakyFile = process.env.TEST_FLAKY_FILES;
process.exitCode =
  flakyFile === undefined ? await runJest(args) : await runAndRepeat(args, flakyFile);
