import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const JEST = join(import.meta.dirname, '../../scripts/jest.js');

/** A test that fails the first time, and notes how it was run. */
const BY_CHANCE = `
  const { appendFileSync, existsSync } = require('node:fs');
  const marker = __filename + '.txt';
  const wasRun = existsSync(marker);
  appendFileSync(marker, JSON.stringify([process.env.TEST_SEED, jest.getSeed()]) + '\\n');
  test('fails the first time', () => expect(wasRun).toBe(true));
`;
const GOOD = `test('passes', () => {});`;
const BROKEN = `test('always fails', () => expect(1).toBe(2));`;
/** A file that does not even load the first time. */
const UNLOADABLE = `${BY_CHANCE} if (!wasRun) throw new Error('not yet');`;

describe('a run of Jest that repeats the test files that failed', () => {
  let folder: string;
  let list: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'repeated-files-'));
    list = join(folder, 'flaky.txt');
    await writeFile(list, '');
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Runs a small project. @returns the exit status, and the files that passed when they were repeated. */
  async function run(
    files: Readonly<Record<string, string>>,
    variables: Readonly<Record<string, string>> = { TEST_FLAKY_FILES: list },
  ): Promise<{ status: number | null; flaky: string[] }> {
    const project = { 'jest.config.js': `module.exports = { transform: {} };`, ...files };
    for (const [name, text] of Object.entries(project)) await writeFile(join(folder, name), text);
    const child = spawn(process.execPath, [JEST, '--maxWorkers=1'], {
      cwd: folder,
      env: { ...process.env, TEST_FLAKY_FILES: undefined, ...variables },
      stdio: 'ignore',
    });
    const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    return { status, flaky: readFileSync(list, 'utf8').split('\n').filter(Boolean).sort() };
  }

  const runsOf = (name: string): string[] => {
    const marker = join(folder, `${name}.txt`);
    return existsSync(marker) ? readFileSync(marker, 'utf8').trim().split('\n') : [];
  };

  it('passes and names a file that passes the second time, in the same order and with the same random data', async () => {
    const outcome = await run({
      'chance.test.js': BY_CHANCE,
      'unloadable.test.js': UNLOADABLE,
      'good.test.js': GOOD,
    });
    expect(outcome).toEqual({ status: 0, flaky: ['chance.test.js', 'unloadable.test.js'] });
    const [first, second, ...more] = runsOf('chance.test.js');
    expect(second).toBe(first);
    expect(more).toEqual([]);
  });

  it('fails for a file that fails twice', async () => {
    const outcome = await run({ 'chance.test.js': BY_CHANCE, 'broken.test.js': BROKEN });
    expect(outcome).toEqual({ status: 1, flaky: ['chance.test.js'] });
  });

  it('fails when more than three files pass the second time, in all runs together', async () => {
    await writeFile(list, 'one.test.js\ntwo.test.js\n');
    const chance = { 'chance.test.js': BY_CHANCE, 'other.test.js': BY_CHANCE };
    const { status, flaky } = await run(chance);
    expect([status, flaky.length]).toEqual([1, 4]);
  });

  it.each([
    ['ends before its tests', `process.exit(3);`],
    ['is killed', `process.kill(process.pid, 'SIGKILL');`],
  ])('fails when Jest itself %s', async (_how, statement) => {
    const outcome = await run({
      'jest.config.js': `module.exports = { transform: {}, globalSetup: './setup.js' };`,
      'setup.js': `module.exports = () => { ${statement} };`,
      'chance.test.js': BY_CHANCE,
    });
    expect(outcome).toEqual({ status: expect.any(Number), flaky: [] });
    expect(outcome.status).not.toBe(0);
    expect(runsOf('chance.test.js')).toEqual([]);
  });

  it('repeats nothing outside CI', async () => {
    expect(await run({ 'chance.test.js': BY_CHANCE }, {})).toEqual({ status: 1, flaky: [] });
    expect(runsOf('chance.test.js')).toHaveLength(1);
  });
});
