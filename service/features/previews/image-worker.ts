import { execFile, fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { safeParse } from 'valibot';
import {
  WORKER_MESSAGE,
  type InspectionDeps,
  type ImageJob,
  type Logo,
  type LogoJob,
  type Pictures,
  type Reply,
  type WatermarkJob,
  type WorkerMessage,
} from './image-info.js';

/** The limits of an image worker process. */
export interface ImageWorkerLimits {
  /** How much processor time it may take for one picture, in milliseconds. Beyond that it ends itself. */
  readonly processorMs: number;
  /** How much memory it may take in all, in bytes, but at most half of the machine's memory. Beyond that it exits. */
  readonly memoryBytes: number;
  /** How long it may take for one picture, in milliseconds, waiting for the processor included. Then it is killed. */
  readonly jobMs: number;
  /** How long it may take to start, in milliseconds: its libraries are large, and the machine may be busy. */
  readonly startMs: number;
  /** How long an idle process is kept, in milliseconds. */
  readonly idleMs: number;
  /** How many images it inspects before a new process replaces it. */
  readonly maxJobs: number;
}

/**
 * The limits that the service uses. An AVIF of 24 million pixels takes up to 700 MB and 5 seconds, a progressive or
 * interlaced picture of 60 million as much.
 */
export const IMAGE_WORKER_LIMITS: ImageWorkerLimits = {
  processorMs: 15_000,
  memoryBytes: 1.2e9,
  jobMs: 60_000,
  startMs: 30_000,
  idleMs: 10_000,
  maxJobs: 100,
};

/** The limit of the JavaScript heap, in MiB. The process itself watches its whole memory and its processor time. */
const HEAP_MIB = 64;

/** The program of the process: a `.ts` file if this one is, or a `.js` file if this one was compiled. */
const PROGRAM = fileURLToPath(import.meta.url).replace(
  /image-worker(\.[jt]s)$/,
  'image-worker-process$1',
);

/** The working directory of the process, from where `tsx` is found. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The program that starts another one in a separate user namespace. There the process still reads files as before, but
 * neither the environment nor the memory of the service: the kernel allows that only within one namespace.
 */
const UNSHARE = '/usr/bin/unshare';

/** The most bytes that are read for the process of one file. */
const MAX_READ_BYTES = 192 * 1024 * 1024;

/** The minimum cost of a read, in bytes: many small reads are expensive, too. */
const READ_COST_BYTES = 64 * 1024;

/** Of a process that makes a logo or a watermark: it needs nothing from the service. */
const NO_DEPS: InspectionDeps = {
  keepFacts: () => Promise.resolve(),
  read: () => Promise.reject(new Error('there is no file')),
};

type Job = ImageJob | LogoJob | WatermarkJob;

/** The message that ends a job. */
type LastMessage = Extract<WorkerMessage, { readonly type: 'result' | 'logo' }>;

/** The result for a file: its pictures, if they could be made. */
export interface InspectedImage {
  readonly pictures?: Pictures | undefined;
}

/**
 * Inspects images, one at a time, in a separate process: images are read by a large library in C, and the
 * files come from strangers. The process has limits of time and memory, and no access to the service's environment; its
 * answers are checked. A process that broke is replaced by a new one.
 */
export class ImageWorker {
  private child: ChildProcess | undefined;
  private jobs = 0;
  private ends = 0;
  private idle: NodeJS.Timeout | undefined;
  /** Settles when the jobs that came so far are over: the process gets one at a time. */
  private turn: Promise<unknown> = Promise.resolve();
  private canUnshare: Promise<boolean> | undefined;

  /** @param program the path of the program that the process runs: a `.ts` or a `.js` file. */
  constructor(
    private readonly limits = IMAGE_WORKER_LIMITS,
    private readonly program = PROGRAM,
  ) {}

  /**
   * Inspects a file. If that ends the process, a fresh process tries once more: only its end counts, as the one
   * before may have been used up by other files.
   * @returns the result; `broken` when the file took too long or too much memory, or ended the process, twice;
   *   `no library` when this machine has no image library, which does not change while the service runs.
   * @throws {Error} when no process can be started, and the errors of `deps`.
   */
  async inspect(
    job: ImageJob,
    deps: InspectionDeps,
  ): Promise<InspectedImage | 'broken' | 'no library'> {
    return toImage(await this.inTurn(job, deps));
  }

  /**
   * Marks a preview with a text.
   * @returns the marked preview and its thumbnail; see {@link inspect} for the other results.
   */
  async mark(preview: Buffer, text: string): Promise<InspectedImage | 'broken' | 'no library'> {
    return toImage(await this.inTurn({ preview: preview.toString('base64'), text }, NO_DEPS));
  }

  /** Makes a logo of a picture; see {@link inspect} for the other results. */
  async logo(
    bytes: Buffer,
  ): Promise<{ readonly logo?: Logo | undefined } | 'broken' | 'no library'> {
    const message = await this.inTurn({ logo: bytes.toString('base64') }, NO_DEPS);
    if (typeof message === 'string') {
      return message;
    }
    return message.type === 'logo' ? { logo: message.logo } : 'broken';
  }

  /** Ends the process, even while it inspects an image. */
  end(): void {
    this.ends += 1;
    this.endChild();
  }

  private inTurn(job: Job, deps: InspectionDeps): Promise<LastMessage | 'broken' | 'no library'> {
    const result = this.turn.then(async () => {
      const { ends } = this;
      const first = await this.attempt(job, deps);
      return first === 'broken' && this.ends === ends ? this.attempt(job, deps) : first;
    });
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async attempt(
    job: Job,
    deps: InspectionDeps,
  ): Promise<LastMessage | 'broken' | 'no library'> {
    clearTimeout(this.idle);
    if (this.child === undefined) {
      const child = await this.start();
      const first = await nextMessage(child, this.limits.startMs);
      if (first?.type !== 'ready') {
        this.endChild();
        if (first === undefined) {
          throw new Error('the image worker did not start');
        }
        return 'no library';
      }
    }
    const { child } = this;
    if (child === undefined) {
      return 'broken';
    }
    this.jobs += 1;
    try {
      const message = await runJob(child, job, deps, this.limits.jobMs);
      if (message?.type === 'result' || message?.type === 'logo') {
        this.release();
        return message;
      }
    } catch (error) {
      this.endChild();
      throw error;
    }
    this.endChild();
    return 'broken';
  }

  private endChild(): void {
    clearTimeout(this.idle);
    this.child?.kill('SIGKILL');
    this.child = undefined;
    this.jobs = 0;
  }

  private async start(): Promise<ChildProcess> {
    this.canUnshare ??= canUnshare();
    const isApart = await this.canUnshare;
    const loader = this.program.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const options = [...loader, `--max-old-space-size=${HEAP_MIB}`];
    const { processorMs, memoryBytes } = this.limits;
    const child = fork(this.program, [String(processorMs), String(memoryBytes)], {
      cwd: ROOT,
      ...(isApart
        ? { execPath: UNSHARE, execArgv: ['--user', process.execPath, ...options] }
        : { execArgv: options }),
      // tsx keeps its compiled files there.
      env: { TMPDIR: process.env['TMPDIR'], TEMP: process.env['TEMP'] },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.once('exit', () => {
      if (this.child === child) {
        this.endChild();
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

  private release(): void {
    if (this.jobs >= this.limits.maxJobs) {
      this.endChild();
      return;
    }
    this.idle = setTimeout(() => {
      this.endChild();
    }, this.limits.idleMs).unref();
  }
}

function toImage(
  message: LastMessage | 'broken' | 'no library',
): InspectedImage | 'broken' | 'no library' {
  if (typeof message === 'string') {
    return message;
  }
  return message.type === 'result' ? { pictures: message.pictures } : 'broken';
}

/** Whether this system lets a process have a separate user namespace. Some containers do not, and only Linux has any. */
function canUnshare(): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(UNSHARE, ['--user', process.execPath, '--version'], { env: {} }, (error) => {
      resolve(error === null);
    });
  });
}

/**
 * Sends a job to the process and answers its requests.
 * @returns its last message; undefined when it ended, took too long, or requested too much
 */
async function runJob(
  child: ChildProcess,
  job: Job,
  deps: InspectionDeps,
  withinMs: number,
): Promise<WorkerMessage | undefined> {
  const until = Date.now() + withinMs;
  let reply: Job | Reply = job;
  const size = 'size' in job ? job.size : 0;
  let bytesLeft = MAX_READ_BYTES;
  for (;;) {
    child.send(reply, () => undefined);
    const message = await nextMessage(child, until - Date.now());
    if (message?.type === 'facts') {
      await deps.keepFacts(message.facts);
      reply = {};
    } else if (message?.type === 'read' && message.at + message.length <= size) {
      bytesLeft -= Math.max(message.length, READ_COST_BYTES);
      if (bytesLeft < 0) {
        return undefined;
      }
      reply = { bytes: (await deps.read(message.at, message.length)).toString('base64') };
    } else {
      return message;
    }
  }
}

/** The next message of the process; undefined when none comes in time, it is not valid, or the process ends. */
function nextMessage(child: ChildProcess, withinMs: number): Promise<WorkerMessage | undefined> {
  return new Promise((resolve) => {
    const settle = (received: unknown): void => {
      clearTimeout(timer);
      child.off('message', settle).off('exit', nothing).off('error', nothing);
      const parsed = safeParse(WORKER_MESSAGE, received);
      resolve(parsed.success ? parsed.output : undefined);
    };
    const nothing = (): void => {
      settle(undefined);
    };
    const timer = setTimeout(nothing, withinMs);
    child.on('message', settle).on('exit', nothing).on('error', nothing);
  });
}
