/**
 * Starts the service as a production install has it: `npm run test:all -- production`.
 *
 * In a fresh clone of what is committed, in a temporary folder: the service is compiled, with the development dependencies
 * of this folder, then `npm ci --omit=dev --omit=optional`. The service must answer and end on SIGTERM with status 0, and
 * `npm run service:admin` must work. Without optional packages no thumbnails are made, which is no error; after
 * `npm ci --omit=dev` they are. This ends with a status other than 0 when any of that does not work, or takes longer than
 * it may.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requestDevice } from '../support/oauth-client.js';

const ROOT = path.join(import.meta.dirname, '../../..');

/** The time limit of each step, in milliseconds; many times the duration on a busy machine. */
const INSTALL_MS = 300_000;
const STEP_MS = 60_000;

/** Needed to develop, and of no use to a service that runs. */
const DEVELOPMENT = ['jest', 'typescript', 'webpack', 'tsx', 'esbuild', 'puppeteer-core'];

/** A picture of one pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Prints the result of inspecting that picture. */
const LOOK = `
  import { ImageWorker } from './dist-service/features/previews/image-worker.js';
  const imageWorker = new ImageWorker();
  const aids = { keepFacts: async () => {}, read: async () => Buffer.alloc(0) };
  const look = await imageWorker.inspect({ file: process.argv[1], size: 100, isWhole: true }, aids);
  imageWorker.end();
  console.log(typeof look === 'string' ? look : 'a thumbnail: ' + (look.pictures !== undefined));
`;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** The environment without what `npm run` adds: the tools of this folder must not help out. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const added =
    /^(npm_(package|lifecycle|command|execpath|node_execpath|config_local_prefix)|INIT_CWD)/;
  const ours = /^(NODE_OPTIONS|NODE_PATH|NODE_ENV|DATABASE_URL|DEMO_ACCOUNT|PLATFORM_CLIENTS|S3_)/;
  const kept = Object.entries(process.env).filter(
    ([name]) => !added.test(name) && !ours.test(name),
  );
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return {
    ...Object.fromEntries(kept),
    PATH: folders.filter((folder) => !folder.includes('node_modules')).join(path.delimiter),
  };
}

/** A program in the clone, in its own process group, so that all of it can be ended. */
function start(folder: string, command: string, args: readonly string[]): ChildProcess {
  return spawn(command, args, {
    cwd: folder,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Waits until a program has ended and closed its output; after `timeLimit` ms it is killed, and this fails. */
async function ended(child: ChildProcess, what: string, timeLimit: number): Promise<Ended> {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return within(
    timeLimit,
    what,
    new Promise<Ended>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, output }));
    }),
  ).finally(() => endGroup(child));
}

async function within<T>(timeLimit: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what} took longer than ${timeLimit / 1000} s`));
    }, timeLimit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function run(
  folder: string,
  timeLimit: number,
  command: string,
  ...args: string[]
): Promise<string> {
  const what = `${command} ${args.join(' ')}`;
  const { code, output } = await ended(start(folder, command, args), what, timeLimit);
  if (code !== 0) throw new Error(`${what} ended with status ${String(code)}:\n${output}`);
  return output;
}

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(`it does not hold that ${what}`);
}

/** Starts the service, asks it something, and sends SIGTERM to the process that was started, to that alone. */
async function startAndStop(
  clone: string,
  command: string,
  args: readonly string[],
): Promise<number | null> {
  const what = `${command} ${args[0] ?? ''}`;
  const service = start(clone, command, args);
  let output = '';
  // Its output is closed when everything that it started has ended, too.
  const gone = new Promise<number | null>((resolve) => service.once('close', resolve));
  const started = new Promise<string>((resolve, reject) => {
    service.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    service.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const address = /^Listening on +(\S+)\n/m.exec(output)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
    service.once('error', reject);
    void gone.then((code) => {
      reject(new Error(`${what} ended with status ${String(code)}:\n${output}`));
    });
  });
  running.add(service);
  const url = await within(STEP_MS, `the start by ${what}`, started);

  const health = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(STEP_MS) });
  check(health.status === 200, `/healthz answers 200, not ${health.status}`);
  const device = await within(STEP_MS, 'a device authorization', requestDevice(url));
  check(typeof device.body['user_code'] === 'string', 'a device gets a code');

  service.kill('SIGTERM');
  return within(STEP_MS, `the end of ${what}`, gone);
}

/** Ended with this process, whatever happens: groups of processes that are not in ours. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) endGroup(child);
});

const began = Date.now();
const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-production-'));
try {
  const clone = path.join(folder, 'clone');
  const data = path.join(folder, 'data');
  await run(folder, STEP_MS, 'git', 'clone', '-q', ROOT, clone);
  const packages = path.join(clone, 'node_modules');
  await symlink(path.join(ROOT, 'node_modules'), packages);
  await run(clone, STEP_MS, 'node', '--import', 'tsx', 'scripts/build-service.ts');
  await rm(packages);
  const install = (...omitted: string[]): Promise<string> =>
    run(clone, INSTALL_MS, 'npm', 'ci', ...omitted, '--prefer-offline', '--no-audit');
  await install('--omit=dev', '--omit=optional');
  const installed = new Set(await readdir(packages));
  const needless = DEVELOPMENT.filter((name) => installed.has(name));
  check(needless.length === 0, `no development tool is installed, as ${needless.join(', ')} is`);

  const options = ['--port', '0', '--data', data, '--quiet'];
  // As a service manager starts it.
  const direct = await startAndStop(clone, 'node', ['dist-service/cli.js', ...options]);
  check(direct === 0, `it ends with 0 on SIGTERM, not ${String(direct)}`);
  const admin = ['run', 'service:admin', '--', '--data', data];
  await run(clone, STEP_MS, 'npm', ...admin, 'add-workspace', 'North Studio');
  const listed = await run(clone, STEP_MS, 'npm', ...admin, 'list');
  check(listed.includes('North Studio: no users'), `the workspace is listed, in:\n${listed}`);
  // As a user would. npm and its shell end at once; their child must follow.
  await startAndStop(clone, 'npm', ['run', 'service', '--', ...options]);
  await run(clone, STEP_MS, 'npm', ...admin, 'list');

  const picture = path.join(folder, 'picture.png');
  await writeFile(picture, PICTURE, 'base64');
  const look = (): Promise<string> =>
    run(clone, STEP_MS, 'node', '--input-type=module', '-e', LOOK, picture);
  const without = await look();
  check(without.includes('no library'), `thumbnails are left out, in:\n${without}`);
  await install('--omit=dev');
  const whole = await look();
  check(whole.includes('a thumbnail: true'), `a thumbnail is made, in:\n${whole}`);
  process.stdout.write(
    `A production install starts and stops (${Math.round((Date.now() - began) / 1000)} s).\n`,
  );
} catch (error) {
  process.stderr.write(
    `\nTHE PRODUCTION INSTALL FAILED: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
