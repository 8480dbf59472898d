import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { is } from 'valibot';
import { SAID, type Look, type LookOrder, type Said } from './look.js';

/** What a process that looks at pictures may take. */
export interface LookerLimits {
  /** How much of the processor it may take for one, in milliseconds; it ends itself then. */
  readonly processorMs: number;
  /** How long it may look at one, in milliseconds; it is killed then. Others may have the processor meanwhile. */
  readonly lookMs: number;
  /** How long it may take to start, in milliseconds: its libraries are large, and the machine may be busy. */
  readonly startMs: number;
  /** How long it is kept while there is nothing to look at, in milliseconds. */
  readonly idleMs: number;
  /** How many pictures it looks at before another one takes its place. */
  readonly looks: number;
}

export const LOOKER_LIMITS: LookerLimits = {
  processorMs: 5000,
  lookMs: 45_000,
  startMs: 30_000,
  idleMs: 10_000,
  looks: 100,
};

/** Of the heap of JavaScript, in MiB. All memory, and the time of the processor, is watched by the process itself. */
const HEAP_MIB = 64;

/** Of the same kind as this file, which may have been compiled. */
const PROGRAM = fileURLToPath(import.meta.url).replace(/looker(\.[jt]s)$/, 'looker-process$1');

/** `tsx` is found from here. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Has pictures looked at, one at a time, by a process of its own: what reads pictures is a large library in C, and the
 * files come from strangers. The process has a bound in time and in memory, none of our secrets in its environment,
 * and what it says is checked. One that broke is followed by another.
 */
export class Looker {
  private child: ChildProcess | undefined;
  private looks = 0;
  private idle: NodeJS.Timeout | undefined;

  /** @param program its source, or that compiled */
  constructor(
    private readonly limits = LOOKER_LIMITS,
    private readonly program = PROGRAM,
  ) {}

  /**
   * @returns what was found; `broken` when the file took too long or too much, or ended the process; `no library` when
   * this machine has none, which stays so.
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

  /** Ends the process, also in the middle of a look. */
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
      // Where tsx keeps what it has compiled.
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
    // It must not keep this process from ending.
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

/** What the process says next; undefined when it says nothing in time, says nonsense, or ends. */
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
