/**
 * Starts the service as a production install has it: `npm run test:production`.
 *
 * In a fresh clone of what is committed, in a temporary folder: `npm ci --omit=dev`, then
 * `npm run service:admin` and `npm run service`, which must answer and end with status 0 on SIGTERM. It ends with a
 * status other than 0 when any of that does not work, or takes longer than it may.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requestDevice } from '../client.js';

const ROOT = path.join(import.meta.dirname, '../../..');

/** How long each step may take, in milliseconds; many times what it takes on a busy machine. */
const INSTALL_MS = 300_000;
const STEP_MS = 60_000;

/** Needed to develop, and of no use to a service that runs. */
const DEVELOPMENT = ['jest', 'typescript', 'webpack', 'eslint', 'puppeteer-core'];

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

/** A program in the clone, in a process group of its own, so that nothing of it can stay behind. */
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

async function startAndStop(clone: string, data: string): Promise<void> {
  const service = start(clone, 'npm', ['run', 'service', '--', '--port', '0', '--data', data]);
  const gone = ended(service, 'the life of the service', 2 * STEP_MS);
  const started = new Promise<string>((resolve) => {
    let printed = '';
    service.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const address = /^Listening on +(\S+)\n/m.exec(printed)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
  });
  const early = gone.then(({ code, output }) => {
    throw new Error(`npm run service ended with status ${String(code)}:\n${output}`);
  });
  // Only one of the two is waited for at a time.
  early.catch(() => undefined);
  const url = await within(STEP_MS, 'the start of the service', Promise.race([started, early]));

  const health = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(STEP_MS) });
  check(health.status === 200, `/healthz answers 200, not ${health.status}`);
  const device = await within(STEP_MS, 'a device authorization', requestDevice(url));
  check(typeof device.body['user_code'] === 'string', 'a device gets a code');

  // To npm alone, as a service manager does that knows only the process it started.
  service.kill('SIGTERM');
  const { code, output } = await gone;
  check(code === 0, `the service ends with 0 on SIGTERM, not ${String(code)}:\n${output}`);
}

const began = Date.now();
const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-production-'));
try {
  const clone = path.join(folder, 'clone');
  const data = path.join(folder, 'data');
  await run(folder, STEP_MS, 'git', 'clone', '-q', ROOT, clone);
  await run(clone, INSTALL_MS, 'npm', 'ci', '--omit=dev', '--prefer-offline', '--no-audit');
  const installed = new Set(await readdir(path.join(clone, 'node_modules')));
  const { dependencies } = JSON.parse(await readFile(path.join(clone, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  check('tsx' in dependencies, 'what runs the service is a dependency');
  const needless = DEVELOPMENT.filter((name) => installed.has(name));
  check(needless.length === 0, `no development tool is installed, as ${needless.join(', ')} is`);

  const admin = ['run', 'service:admin', '--', '--data', data];
  await run(clone, STEP_MS, 'npm', ...admin, 'add-workspace', 'North Studio');
  const listed = await run(clone, STEP_MS, 'npm', ...admin, 'list');
  check(listed.includes('North Studio: nobody'), `the workspace is listed, in:\n${listed}`);
  await startAndStop(clone, data);
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
