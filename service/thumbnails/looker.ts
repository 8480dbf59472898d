import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { is } from 'valibot';
import { SAID, type Look, type LookOrder, type Said } from './look.js';

/** The limits of a process that looks at pictures. */
export interface LookerLimits {
  /** How much processor time it may take for one picture, in milliseconds. Beyond that it ends itself. */
  readonly processorMs: number;
  /** How long it may take for one picture, in milliseconds, waiting for the processor included. Then it is killed. */
  readonly lookMs: number;
  /** How long it may take to start, in milliseconds: its libraries are large, and the machine may be busy. */
  readonly startMs: number;
  /** How long it is kept while there is nothing to look at, in milliseconds. */
  readonly idleMs: number;
  /** How many pictures it looks at before another process takes its place. */
  readonly looks: number;
}

/** The limits that the service uses. */
export const LOOKER_LIMITS: LookerLimits = {
  processorMs: 5000,
  lookMs: 45_000,
  startMs: 30_000,
  idleMs: 10_000,
  looks: 100,
};

/** The limit of the JavaScript heap, in MiB. The process itself watches its whole memory and its processor time. */
const HEAP_MIB = 64;

/** The program of the process: a `.ts` file if this one is, or a `.js` file if this one was compiled. */
const PROGRAM = fileURLToPath(import.meta.url).replace(/looker(\.[jt]s)$/, 'looker-process$1');

/** The working directory of the process, from where `tsx` is found. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Has pictures looked at, one at a time, by a process of its own: pictures are read by a large library in C, and the
 * files come from strangers. The process has limits of time and memory, and none of our secrets in its environment; its
 * answers are checked. A process that broke is replaced by a new one.
 */
export class Looker {
  private child: ChildProcess | undefined;
  private looks = 0;
  private idle: NodeJS.Timeout | undefined;

  /** @param program the path of the program that the process runs: a `.ts` or a `.js` file. */
  constructor(
    private readonly limits = LOOKER_LIMITS,
    private readonly program = PROGRAM,
  ) {}

  /**
   * @returns what was found; `broken` when the file took too long or too much memory, or ended the process;
   *   `no library` when this machine has no image library, which does not change while the service runs.
   * @throws {Error} when no process can be started.
   */
  async look(order: LookOrder): Promise<Look | 'broken' | 'no library'> {
    clearTimeout(this.idle);
    if (this.child === undefined) {
      const child = this.start();
      const first = await nextWord(child, this.limits.startMs);
      if (first?.said !== 'ready') {
        this.end();
        if (first === undefined) {
          throw new Error('the process that looks at pictures did not start');
        }
        return 'no library';
      }
    }
    const { child } = this;
    if (child === undefined) {
      return 'broken';
    }
    child.send(order, () => undefined);
    const word = await nextWord(child, this.limits.lookMs);
    this.looks += 1;
    if (word?.said !== 'looked') {
      this.end();
      return 'broken';
    }
    this.rest();
    return word.look;
  }

  /** Ends the process, even while it looks at a picture. */
  end(): void {
    clearTimeout(this.idle);
    this.child?.kill('SIGKILL');
    this.child = undefined;
    this.looks = 0;
  }

  private start(): ChildProcess {
    const loader = this.program.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const child = fork(this.program, [String(this.limits.processorMs)], {
      cwd: ROOT,
      execArgv: [...loader, `--max-old-space-size=${HEAP_MIB}`],
      // tsx keeps its compiled files there.
      env: { TMPDIR: process.env['TMPDIR'], TEMP: process.env['TEMP'] },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('exit', () => {
      if (this.child === child) {
        this.end();
      }
    });
    child.on('error', () => {
      child.kill('SIGKILL');
    });
    // The child must not keep this process running.
    child.unref();
    child.channel?.unref();
    this.child = child;
    return child;
  }

  private rest(): void {
    if (this.looks >= this.limits.looks) {
      this.end();
      return;
    }
    this.idle = setTimeout(() => {
      this.end();
    }, this.limits.idleMs).unref();
  }
}

/** The next message of the process; undefined when none comes in time, it is not valid, or the process ends. */
function nextWord(child: ChildProcess, withinMs: number): Promise<Said | undefined> {
  return new Promise((resolve) => {
    const settle = (said: unknown): void => {
      clearTimeout(timer);
      child.off('message', settle).off('exit', nothing).off('error', nothing);
      resolve(is(SAID, said) ? said : undefined);
    };
    const nothing = (): void => {
      settle(undefined);
    };
    const timer = setTimeout(nothing, withinMs);
    child.on('message', settle).on('exit', nothing).on('error', nothing);
  });
}
