/** Runs programs for long tests of the service: each has a time limit, and ends with this process. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';

/** Groups of processes that are not in ours. They end with this process, whatever happens. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) endGroup(child);
});

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

/** A program in a folder, in its own process group, so that all of it can be ended. */
export function start(folder: string, command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, {
    cwd: folder,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  return child;
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

/** Waits for work, and fails after `timeLimit` ms. */
export async function within<T>(timeLimit: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${what} took longer than ${timeLimit / 1000} s`));
    }, timeLimit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Runs a program to its end. @returns its output. @throws {Error} if it fails or takes longer than `timeLimit` ms. */
export async function run(
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

/** @throws {Error} if the condition does not hold */
export function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(`it does not hold that ${what}`);
}
