import { execFile, fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { safeParse } from 'valibot';
import { isWithin } from './file-location.js';
import {
  WORKER_MESSAGE,
  type ImageJob,
  type InspectionDeps,
  type LogoJob,
  type MailPictureJob,
  type PagesJob,
  type Reply,
  type WatermarkJob,
  type WebPictureJob,
  type WorkerMessage,
} from './image-info.js';
import type { JobLimits } from './watchdog.js';

/** The limits of an image worker process. Beyond those of {@link JobLimits} it ends itself. */
export interface ImageProcessLimits extends JobLimits {
  /** How long it may take for one file, in milliseconds, waiting for the processor included. Then it is killed. */
  readonly jobMs: number;
  /** How long it may take to start, in milliseconds: its libraries are large, and the machine may be busy. */
  readonly startMs: number;
  /** How long an idle process is kept, in milliseconds. */
  readonly idleMs: number;
  /** How long its jobs may take in all before a new process replaces it, in milliseconds: a start costs as much as many small files. */
  readonly workMs: number;
}

/** The limit of the JavaScript heap, in MiB. Its watchdog watches the memory of the whole process. */
const HEAP_MIB = 64;

/** The working directory of the process, from where `tsx` is found. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The program that starts another one in a separate user namespace. There the process still reads files as before, but
 * neither the environment nor the memory of the service: the kernel allows that only within one namespace.
 */
const UNSHARE = '/usr/bin/unshare';

/** The most bytes that are read for the process of one file: for its location, then for its preview. */
const MAX_READ_BYTES = 512 * 1024 * 1024;

/** The minimum cost of a read, in bytes: many small reads are expensive, too. */
const READ_COST_BYTES = 64 * 1024;

export type Job = ImageJob | LogoJob | MailPictureJob | PagesJob | WatermarkJob | WebPictureJob;

/** The message that ends a job. */
export type LastMessage = Extract<
  WorkerMessage,
  { readonly type: 'result' | 'logo' | 'mail' | 'web' }
>;

let unshares: Promise<boolean> | undefined;

/**
 * A separate process that reads the bytes of strangers, one file at a time. It has limits of time and memory, and no access
 * to the service's environment. A hostile file may control it, so its messages are checked. A process that broke is
 * replaced by a new one.
 */
export class ImageProcess {
  private child: ChildProcess | undefined;
  private makesPictures = false;
  /** How long its jobs took so far, in milliseconds. */
  private worked = 0;
  private idle: NodeJS.Timeout | undefined;

  /** @param program the path of the program that the process runs: a `.ts` or a `.js` file. */
  constructor(
    private readonly limits: ImageProcessLimits,
    private readonly program: string,
  ) {}

  /**
   * Runs a job.
   * @returns its last message; `broken` when the job took too long or too much memory, or ended the process; `no library`
   *   when this machine has no image library. Then only the location of a file is searched.
   * @throws {Error} when the process cannot be started, and the errors of `deps`.
   */
  async run(job: Job, deps: InspectionDeps): Promise<LastMessage | 'broken' | 'no library'> {
    clearTimeout(this.idle);
    const child = this.child ?? (await this.start());
    const began = performance.now();
    try {
      const message = await runJob(child, job, deps, this.limits.jobMs);
      this.worked += performance.now() - began;
      if (message !== undefined && child === this.child) {
        this.release();
        return this.makesPictures ? message : 'no library';
      }
    } catch (error) {
      this.end();
      throw error;
    }
    this.end();
    return 'broken';
  }

  /** Ends the process, even in the middle of a job. */
  end(): void {
    clearTimeout(this.idle);
    this.child?.kill('SIGKILL');
    this.child = undefined;
    this.worked = 0;
  }

  private async start(): Promise<ChildProcess> {
    unshares ??= canUnshare();
    const isApart = await unshares;
    const loader = this.program.endsWith('.ts') ? ['--import', 'tsx'] : [];
    const options = [...loader, `--max-old-space-size=${HEAP_MIB}`];
    const { processorMs, memoryBytes, startMs } = this.limits;
    const child = fork(this.program, [String(processorMs), String(memoryBytes)], {
      cwd: ROOT,
      ...(isApart
        ? { execPath: UNSHARE, execArgv: ['--user', process.execPath, ...options] }
        : { execArgv: options }),
      // tsx keeps its compiled files there. ffmpeg is found by the path.
      env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], TEMP: process.env['TEMP'] },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child = child;
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
    const first = await nextMessage(child, startMs);
    if (first?.type !== 'ready') {
      this.end();
      throw new Error('the image worker did not start');
    }
    this.makesPictures = first.makesPictures;
    return child;
  }

  private release(): void {
    if (this.worked >= this.limits.workMs) {
      this.end();
      return;
    }
    this.idle = setTimeout(() => {
      this.end();
    }, this.limits.idleMs).unref();
  }
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
 * Sends a job to the process and answers its requests: at most one location, then at most one set of facts, reads, and each
 * of the wanted pages once.
 * @returns its last message; undefined when it ended, took too long, requested too much, or left out what the job is about
 */
async function runJob(
  child: ChildProcess,
  job: Job,
  deps: InspectionDeps,
  withinMs: number,
): Promise<LastMessage | undefined> {
  const until = Date.now() + withinMs;
  const file = 'isWhole' in job ? job : { size: 0, findsLocation: false };
  const pages = new Set('pages' in job ? job.pages : []);
  let reply: Job | Reply = job;
  let bytesLeft = MAX_READ_BYTES;
  let needsLocation = file.findsLocation;
  let mayHaveFacts = 'isWhole' in job;
  for (;;) {
    child.send(reply, () => undefined);
    const message = await nextMessage(child, until - Date.now());
    switch (message?.type) {
      case 'location':
        if (!needsLocation || !isWithin(message.location, file.size)) {
          return undefined;
        }
        needsLocation = false;
        await deps.saveLocation(message.location);
        reply = {};
        break;
      case 'facts':
        if (needsLocation || !mayHaveFacts) {
          return undefined;
        }
        mayHaveFacts = false;
        await deps.saveFacts(message.facts);
        reply = {};
        break;
      case 'read':
        bytesLeft -= Math.max(message.length, READ_COST_BYTES);
        if (message.at + message.length > file.size || bytesLeft < 0) {
          return undefined;
        }
        reply = { bytes: (await deps.read(message.at, message.length)).toString('base64') };
        break;
      case 'page':
        if (!pages.delete(message.page)) {
          return undefined;
        }
        await deps.savePage?.(message.page, message.pictures);
        reply = {};
        break;
      case 'result':
      case 'logo':
      case 'mail':
      case 'web':
        return needsLocation ? undefined : message;
      case 'ready':
      case undefined:
        return undefined;
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
