import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

import { execArgvOf, measuredProcess, type MeasuredProcess } from '../../bench/measured-process.js';
import { startRelease } from '../../bench/release.js';
import { report } from '../../bench/report.js';

const ROOT = join(import.meta.dirname, '../..');
/** What starts a service in another way than a deployment: in this process, with other options, or compiled otherwise. */
const OTHER_STARTS =
  /^(service\/(start|cli|app\/.*)\.ts|test\/(support\/compiled|service\/support\/(running-service|service-process)))/;
/** Their plugin has no service, or one that throws bytes away. */
const WITHOUT_SERVICE = ['memory', 'start-up'];

const PARTS = [
  ...readFileSync(join(ROOT, 'bench/run.ts'), 'utf8').matchAll(/import\('\.\/([\w-]+)\.js'\)/g),
].map(([, name = '']) => name);

let child: ChildProcess | undefined;
beforeEach(() => {
  jest.spyOn(console, 'log').mockReturnValue();
});
afterEach(() => {
  jest.restoreAllMocks();
  child?.kill('SIGKILL');
});

function resultOf(processes: readonly MeasuredProcess[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-results-'));
  const rest = { tables: [], measurements: [], notes: [] };
  report({ part: 'trial', processes, ...rest }, new Date(), folder);
  return readFileSync(join(folder, 'trial.md'), 'utf8');
}

async function running(options: readonly string[], nodeOptions: string): Promise<MeasuredProcess> {
  const code = 'process.send(process.execArgv); setInterval(() => undefined, 1000)';
  child = spawn(process.execPath, [...options, '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: nodeOptions },
  });
  await once(child, 'message');
  return measuredProcess('service', child.pid ?? 0);
}

const deployed: MeasuredProcess = {
  name: 'service',
  commandLine: ['/usr/bin/node', 'dist-service/cli.js', '--port', '0', '--no-opt'],
  nodeOptions: '',
};

describe('what the bench measures', () => {
  it('has parts', () => {
    expect(PARTS.length).toBeGreaterThan(5);
    expect(PARTS.filter((part) => !existsSync(join(ROOT, 'bench', `${part}.ts`)))).toEqual([]);
  });

  it.each(PARTS)('starts no service but the release in %s', async (part) => {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: [`bench/${part}.ts`],
      bundle: true,
      write: false,
      metafile: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    const sources = Object.keys(metafile.inputs);
    expect(sources.filter((source) => OTHER_STARTS.test(source))).toEqual([]);
    expect(sources).toContain('bench/report.ts');
    expect(sources.includes('bench/release.ts')).toBe(!WITHOUT_SERVICE.includes(part));
  });

  it('starts the release without options of Node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-release-'));
    const program =
      "console.log('Listening on http://localhost:1234\\nData folder'); setInterval(() => undefined, 1000);";
    writeFileSync(join(folder, 'cli.js'), program);
    const service = await startRelease({ folder, program: ['cli.js'] }, { dataDir: 'data' });
    await service.stop();

    expect(service.measured.commandLine).toEqual([
      ...[process.execPath, 'cli.js', '--quiet', '--port', '0', '--data', 'data'],
    ]);
    expect(service.port).toBe(1234);
  });

  it('prints the command line and execArgv of each process', () => {
    const text = resultOf([deployed]);
    expect(text).toContain('`/usr/bin/node dist-service/cli.js --port 0 --no-opt`, execArgv []');
  });

  it.each([
    { options: ['--no-opt'] },
    { options: ['--liftoff-only'] },
    { options: ['--jitless'] },
    { options: ['--single-threaded-gc'] },
    { options: ['--import', 'tsx', '--no_opt'] },
    { options: ['--max-lazy=1'] },
    { options: [], nodeOptions: '--jitless' },
  ])('writes no result of a process with %j', ({ options, nodeOptions = '' }) => {
    const commandLine = ['/usr/bin/node', ...options, 'dist-service/cli.js'];
    expect(() => resultOf([deployed, { ...deployed, commandLine, nodeOptions }])).toThrow(
      `no result: service was started with ${[...options, nodeOptions].filter((one) => /^--(?!import)/.test(one)).join(' ')}`,
    );
  });

  it('writes no result without processes', () => {
    expect(() => resultOf([])).toThrow('names no measured process');
  });

  it('reads the options of a running process', async () => {
    const found = await running(['--expose-gc', '--no-opt'], '--max-old-space-size=500');
    expect(execArgvOf(found).slice(0, 2)).toEqual(['--expose-gc', '--no-opt']);
    expect(found.nodeOptions).toBe('--max-old-space-size=500');
  });

  it('keeps results out of git', () => {
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).toContain('/bench/results/');
  });
});
