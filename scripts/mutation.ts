import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Mutant, MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { seededRandom, testSeed } from '../test/support/seeded-random.js';
import { mutantsOf } from './mutation/mutants.js';
import { nameOf } from './mutation/name.js';
import { tryOneByOne } from './mutation/one-by-one.js';

/**
 * Mutation testing: puts small mistakes (mutants) into the code, one at a time, and tells which of them no test
 * notices.
 *
 *     npm run mutation -- [PATHS] [--sample N] [--seed S] [--tests PATTERN] [--concurrency N] [--patience S]
 *                         [--one-by-one [--within S]]
 *
 * PATHS are files or folders of src/ and service/; without any, the files that differ from the branch `main` (on
 * `main`: from the commit before).
 * `--sample` tries only so many mistakes of each path, chosen at random. The seed is printed. With more than one
 * `--seed`, so many are tried for each seed.
 * `--tests` names the test files to run instead of those of the same folder.
 * `--concurrency` is how many mistakes are tried at a time; two by default.
 * `--patience` is how many seconds longer than without a mistake the tests may take; 15 by default, which is too few on
 * a busy machine. A mistake after which the tests do not end counts as noticed.
 * `--one-by-one` does not use Stryker's runner: each mistake is made in a copy of the project, and its tests are run
 * until one fails (mutation/one-by-one.ts). With `--within`, only the most likely tests are run: those that take so
 * many seconds in all without a mistake.
 */
const ROOT = path.join(import.meta.dirname, '..');
const REPORT = 'coverage/mutation';

/** The code whose tests are not in a folder of the same name, and its tests. */
const TESTS: readonly (readonly [string, readonly string[]])[] = [
  [
    'src/host',
    ['test/host-ports/**/*.test.ts', 'test/host/**/*.test.ts', 'test/uploads/*document.test.ts'],
  ],
  ['service', ['test/service/**/*.test.ts']],
];
/** The files in which no mistakes are made: words, styles, declarations. */
const LEFT_OUT = /\.d\.ts$|\/words\/|\/pages\/style\.ts$|\/strings\/catalogue\.ts$/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', multiple: true },
    tests: { type: 'string', multiple: true },
    concurrency: { type: 'string', default: '2' },
    patience: { type: 'string', default: '15' },
    within: { type: 'string' },
    'one-by-one': { type: 'boolean', default: false },
  },
});

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
}

/** The files that the working tree has changed or added. */
function changedFiles(): string[] {
  const isMain = git('rev-parse', '--abbrev-ref', 'HEAD').trim() === 'main';
  const since = isMain ? 'HEAD~1' : git('merge-base', 'main', 'HEAD').trim();
  const changed = git('diff', '--name-only', '--diff-filter=d', since);
  const added = git('ls-files', '--others', '--exclude-standard');
  return `${changed}${added}`.split('\n').filter((name) => name !== '');
}

/** The files of a path in which mistakes are made. */
function filesOf(given: string): string[] {
  const found = path.relative(ROOT, path.resolve(given)).replaceAll(path.sep, '/');
  const absolute = path.join(ROOT, found);
  if (!existsSync(absolute)) {
    throw new Error(`There is no ${found}.`);
  }
  const files = statSync(absolute).isDirectory()
    ? readdirSync(absolute, { recursive: true, encoding: 'utf8' }).map(
        (name) => `${found}/${name.replaceAll(path.sep, '/')}`,
      )
    : [found];
  return files.filter((name) => /^(src|service)\/.*\.ts$/.test(name) && !LEFT_OUT.test(name));
}

function testsOf(file: string): readonly string[] {
  const known = TESTS.find(([folder]) => file.startsWith(`${folder}/`));
  if (known) {
    return known[1];
  }
  for (let folder = path.dirname(file); folder.includes('/'); folder = path.dirname(folder)) {
    const tests = folder.replace(/^src\//, 'test/');
    if (existsSync(path.join(ROOT, tests))) {
      return [`${tests}/**/*.test.ts`];
    }
  }
  return [];
}

/** Chooses `count` of them at random, each equally likely. */
function sampleOf<T>(all: readonly T[], count: number, random: () => number): T[] {
  const rest = [...all];
  const taken: T[] = [];
  while (taken.length < count && rest.length > 0) {
    taken.push(...rest.splice(Math.floor(random() * rest.length), 1));
  }
  return taken;
}

const paths =
  positionals.length > 0
    ? positionals
    : changedFiles().filter((name) => filesOf(path.join(ROOT, name)).length > 0);
const files = [...new Set(paths.flatMap(filesOf))].sort();
if (files.length === 0) {
  console.log('Nothing in src/ or service/ was changed, or named.');
  process.exit(0);
}

const tests = values.tests ?? [...new Set(files.flatMap(testsOf))];
const seeds = values.seed?.map(Number) ?? [testSeed()];
const count = values.sample === undefined ? Infinity : Number(values.sample);
const sample: Mutant[] = [];
const isSampled = count !== Infinity;
if (isSampled) {
  // A sample for each path, even if an earlier path already covers it.
  for (const given of paths) {
    const all = await mutantsOf(filesOf(given).map((name) => path.join(ROOT, name)));
    for (const seed of seeds) {
      // A new generator for each path, so that the sample of one path can be drawn again without the others.
      const taken = sampleOf(all, count, seededRandom(seed));
      sample.push(...taken.filter((mutant) => !sample.includes(mutant)));
      console.log(`${given}: ${taken.length} of ${all.length} mutants (seed ${seed})`);
    }
  }
}
const mutated = isSampled
  ? files.filter((name) => sample.some(({ fileName }) => fileName === path.join(ROOT, name)))
  : files;

// Read by stryker.jest.config.js, in Stryker's processes.
process.env['MUTATION_TESTS'] = JSON.stringify(tests);
process.env['MUTATION_ENVIRONMENT'] = files.every((name) => name.startsWith('src/panel/'))
  ? 'jsdom'
  : 'node';
// Short forms of the long random tests, because they run once for each mutant.
process.env['SESSION_HISTORIES'] ??= '20';
process.env['TEST_TIMES'] ??= '0.3';
process.env['TEST_SEED'] ??= String(seeds[0]);

/** Typed `object`, because only Stryker's own code can use the type of its log levels. */
const quiet: object = { logLevel: 'warn' };

/** What became of a mistake. `fileName` is relative to the project's folder; lines count from 1. */
type Result = Pick<
  MutantResult,
  'fileName' | 'location' | 'mutatorName' | 'replacement' | 'status'
>;

function relativeTo(root: string, fileName: string): string {
  return path.relative(root, path.resolve(root, fileName)).replaceAll(path.sep, '/');
}

async function throughStryker(): Promise<readonly Result[]> {
  const options: PartialStrykerOptions = {
    packageManager: 'npm',
    testRunner: 'jest',
    testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
    coverageAnalysis: 'perTest',
    jest: { configFile: 'stryker.jest.config.js', enableFindRelatedTests: true },
    plugins: [
      '@stryker-mutator/jest-runner',
      path.join(import.meta.dirname, 'mutation/sample-checker.js'),
      path.join(import.meta.dirname, 'mutation/words-ignorer.js'),
    ],
    ignorers: ['words'],
    ...(isSampled ? { checkers: ['sample'], sample: sample.map((mutant) => nameOf(mutant)) } : {}),
    mutate: mutated,
    disableTypeChecks: false,
    ignorePatterns: [
      '/dist',
      '/packages',
      '/data',
      '/coverage',
      '/bench/results',
      '/docs/images',
      '/listing',
    ],
    tempDirName: '.cache/mutation',
    cleanTempDir: 'always',
    concurrency: Number(values.concurrency),
    timeoutMS: Number(values.patience) * 1000,
    dryRunTimeoutMinutes: 30,
    reporters: ['html', 'json', 'progress-append-only'],
    htmlReporter: { fileName: `${REPORT}/index.html` },
    jsonReporter: { fileName: `${REPORT}/mutants.json` },
    // Otherwise Stryker warns about `sample`, which is our own option.
    warnings: false,
    ...quiet,
    allowConsoleColors: false,
  };
  const results = await new Stryker(options).runMutationTest();
  return results.map((result) => ({ ...result, fileName: relativeTo(ROOT, result.fileName) }));
}

async function oneByOne(): Promise<readonly Result[]> {
  const mutants = isSampled ? sample : await mutantsOf(files.map((name) => path.join(ROOT, name)));
  const tried = await tryOneByOne(mutants, {
    root: ROOT,
    patience: Number(values.patience),
    within: values.within === undefined ? Infinity : Number(values.within),
    concurrency: Number(values.concurrency),
    onUnsound: (test) => {
      console.log(`Left out, since it fails without any mistake: ${test}`);
    },
    onTried: ({ mutant, status, noticedBy }) => {
      const { fileName, location, mutatorName, replacement } = mutant;
      const place = `${relativeTo(ROOT, fileName)}:${location.start.line + 1}:${location.start.column}`;
      const change = replacement.replace(/\s+/g, ' ').slice(0, 60);
      console.log(`${status.padEnd(10)} ${place} ${mutatorName} (${change}) ${noticedBy}`);
    },
  });
  return tried.map(({ mutant, status }) => {
    const { start, end } = mutant.location;
    return {
      ...mutant,
      status,
      fileName: relativeTo(ROOT, mutant.fileName),
      location: {
        start: { ...start, line: start.line + 1 },
        end: { ...end, line: end.line + 1 },
      },
    };
  });
}

const startedAt = performance.now();
const results = await (values['one-by-one'] ? oneByOne() : throughStryker());
const seconds = Math.round((performance.now() - startedAt) / 1000);

/** The mistakes that were tried: without those that the sample left out and those that do not compile. */
const tried = results.filter(({ status }) =>
  ['Killed', 'Timeout', 'RuntimeError', 'Survived', 'NoCoverage'].includes(status),
);
const isSurvivor = ({ status }: Result): boolean =>
  status === 'Survived' || status === 'NoCoverage';

for (const { fileName, location, mutatorName, replacement = '', status } of tried.filter(
  isSurvivor,
)) {
  const { start } = location;
  const source = (
    readFileSync(path.join(ROOT, fileName), 'utf8').split('\n')[start.line - 1] ?? ''
  ).trim();
  console.log(
    `\n${fileName}:${start.line}:${start.column} ${mutatorName}${status === 'NoCoverage' ? ' (no test comes here)' : ''}`,
  );
  console.log(`  ${source}\n  → ${replacement.split('\n').slice(0, 3).join(' ')}`);
}

console.log(
  '\n| folder | mutants | noticed | (by no end) | survived | score |\n| --- | --- | --- | --- | --- | --- |',
);
const folders = [...new Set(tried.map(({ fileName }) => path.dirname(fileName)))].sort();
for (const folder of [...folders, 'all']) {
  const mutants = tried.filter(
    ({ fileName }) => folder === 'all' || path.dirname(fileName) === folder,
  );
  const survived = mutants.filter(isSurvivor).length;
  const noticed = mutants.length - survived;
  const endless = mutants.filter(({ status }) => status === 'Timeout').length;
  const score =
    mutants.length === 0 ? '' : `${Math.round((1000 * noticed) / mutants.length) / 10} %`;
  console.log(
    `| ${folder} | ${mutants.length} | ${noticed} | ${endless} | ${survived} | ${score} |`,
  );
}
const where = values['one-by-one'] ? '' : `; the report is ${REPORT}/index.html`;
console.log(`\n${seconds} s, seed ${seeds.join(', ')}${where}.`);
