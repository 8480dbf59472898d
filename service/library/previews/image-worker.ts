import { availableParallelism, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ImageJob, InspectionDeps, Logo, PagesJob, Pictures } from './image-info.js';
import {
  ImageProcess,
  type ImageProcessLimits,
  type Job,
  type LastMessage,
} from './image-process.js';
import { Turns } from './turns.js';

/** The limits of the image worker processes. */
export interface ImageWorkerLimits extends ImageProcessLimits {
  /** How many processes run at the same time: at least two. One workspace uses all but one of them. */
  readonly processes: number;
  /** How long a workspace stays behind the others after one of its files broke a process, in milliseconds. */
  readonly penaltyMs: number;
}

/** An AVIF of 24 million pixels takes up to 700 MB and 5 seconds, a progressive or interlaced picture of 60 million as much. */
const NEEDED_MEMORY_BYTES = 800e6;
const MAX_MEMORY_BYTES = 1.2e9;

/** Which part of the memory that there is all processes may take together. */
const MEMORY_SHARE = 0.75;

/** The fewest processes. */
const MIN_PROCESSES = 2;

/**
 * How many processes run, and how much memory each may take. One workspace keeps all processors busy, and one more process
 * is left for the others.
 * @param memory what this machine or its container has, in bytes
 */
export function processesFor(
  processors: number,
  memory: number,
): Pick<ImageWorkerLimits, 'processes' | 'memoryBytes'> {
  const share = memory * MEMORY_SHARE;
  const fitting = Math.floor(share / NEEDED_MEMORY_BYTES);
  const processes = Math.max(MIN_PROCESSES, Math.min(processors + 1, fitting));
  return { processes, memoryBytes: Math.min(MAX_MEMORY_BYTES, share / processes) };
}

/** A container may have less memory than its machine. */
function memoryHere(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** The limits that the service uses. */
export const IMAGE_WORKER_LIMITS: ImageWorkerLimits = {
  ...processesFor(availableParallelism(), memoryHere()),
  processorMs: 15_000,
  jobMs: 60_000,
  startMs: 30_000,
  idleMs: 10_000,
  workMs: 30_000,
  penaltyMs: 60_000,
};

/** How much work of one workspace may wait, and how much of all. */
const MAX_OF_WORKSPACE = 500;
const MAX_WAITING = 10_000;

/** The program of the process: a `.ts` file if this one is, or a `.js` file if this one was compiled. */
const PROGRAM = fileURLToPath(import.meta.url).replace(
  /image-worker(\.[jt]s)$/,
  'image-worker-process$1',
);

/** Of a process that makes a logo or a watermark: it needs nothing from the service. */
const NO_DEPS: InspectionDeps = {
  saveLocation: () => Promise.reject(new Error('there is no file')),
  saveFacts: () => Promise.reject(new Error('there is no file')),
  read: () => Promise.reject(new Error('there is no file')),
};

/** The result for a file: its pictures, if they could be made. */
export interface InspectedImage {
  readonly pictures?: Pictures | undefined;
}

/**
 * Why a job has no result: `broken` when the file took too long or too much memory, or ended the process; `no library` when
 * this machine has no image library, which does not change while the service runs.
 */
export type NoResult = 'broken' | 'no library';

/** Inspects a file, during a turn; see {@link ImageWorker.inTurn}. */
export type Inspect = (
  job: ImageJob,
  deps: InspectionDeps,
  /** Whether a process does it that no other file has used up. */
  isFresh?: boolean,
) => Promise<InspectedImage | NoResult>;

/**
 * Reads the bytes of strangers in separate processes. Workspaces take turns. A file that breaks a process costs its own
 * workspace later turns.
 */
export class ImageWorker {
  private readonly processes: readonly ImageProcess[];
  private readonly free: ImageProcess[];
  private readonly turns: Turns;
  private ends = 0;

  /** @param program the path of the program that the processes run: a `.ts` or a `.js` file. */
  constructor(limits = IMAGE_WORKER_LIMITS, program = PROGRAM) {
    this.processes = Array.from(
      { length: limits.processes },
      () => new ImageProcess(limits, program),
    );
    this.free = [...this.processes];
    this.turns = new Turns({
      atOnce: limits.processes,
      waitingOfKey: MAX_OF_WORKSPACE,
      waitingInAll: MAX_WAITING,
      penaltyMs: limits.penaltyMs,
    });
  }

  /**
   * Does work of a workspace that inspects files, when its turn has come.
   * @returns its result; 'full', at once, when too much waits.
   * @throws {Error} when no process can be started, and the errors of `work`.
   */
  inTurn<T>(workspaceId: string, work: (inspect: Inspect) => Promise<T>): Promise<T | 'full'> {
    return this.turns.run(workspaceId, 'background', () =>
      work(async (job, deps, isFresh) => {
        const message = await this.run(workspaceId, job, deps, isFresh);
        if (typeof message === 'string') {
          return message;
        }
        return message.type === 'result' ? { pictures: message.pictures } : 'broken';
      }),
    );
  }

  /**
   * Marks a preview with a text. If that ends the process, a fresh one tries once more, in another turn.
   * @returns the marked preview and its thumbnail; 'full' when too much waits.
   */
  async mark(
    workspaceId: string,
    preview: Buffer,
    text: string,
  ): Promise<InspectedImage | NoResult | 'full'> {
    const message = await this.runUrgent(workspaceId, {
      preview: preview.toString('base64'),
      text,
    });
    if (typeof message === 'string') {
      return message;
    }
    return message.type === 'result' ? { pictures: message.pictures } : 'broken';
  }

  /** Makes a logo of a picture; see {@link ImageWorker.mark}. */
  async logo(
    workspaceId: string,
    bytes: Buffer,
  ): Promise<{ readonly logo?: Logo | undefined } | NoResult | 'full'> {
    const message = await this.runUrgent(workspaceId, { logo: bytes.toString('base64') });
    if (typeof message === 'string') {
      return message;
    }
    return message.type === 'logo' ? { logo: message.logo } : 'broken';
  }

  /** Makes a JPEG of a thumbnail for a mail. @returns undefined where that is not possible now */
  async mailPicture(workspaceId: string, thumbnail: Buffer): Promise<Buffer | undefined> {
    const message = await this.runUrgent(workspaceId, {
      thumbnail: thumbnail.toString('base64'),
    });
    return typeof message === 'object' && message.type === 'mail' ? message.jpeg : undefined;
  }

  /** Makes a JPEG of a preview, in the same size. @returns undefined where that is not possible now */
  async webPicture(workspaceId: string, preview: Buffer): Promise<Buffer | undefined> {
    const message = await this.runUrgent(workspaceId, { web: preview.toString('base64') });
    return typeof message === 'object' && message.type === 'web' ? message.jpeg : undefined;
  }

  /**
   * Makes the pictures of pages of a document, in this order. Some of the later ones may be left out.
   * @param savePage stores a page; without pictures where it cannot be drawn
   * @returns why there is no more; undefined otherwise
   */
  async pages(
    workspaceId: string,
    job: PagesJob,
    savePage: NonNullable<InspectionDeps['savePage']>,
  ): Promise<NoResult | 'full' | undefined> {
    const message = await this.runUrgent(workspaceId, job, { ...NO_DEPS, savePage });
    return typeof message === 'string' ? message : undefined;
  }

  /** Ends the processes, even while they inspect files. */
  end(): void {
    this.ends += 1;
    for (const one of this.processes) {
      one.end();
    }
  }

  private async runUrgent(
    workspaceId: string,
    job: Exclude<Job, ImageJob>,
    deps = NO_DEPS,
  ): Promise<LastMessage | NoResult | 'full'> {
    const { ends } = this;
    const once = (isFresh: boolean): Promise<LastMessage | NoResult | 'full'> =>
      this.turns.run(workspaceId, 'urgent', () => this.run(workspaceId, job, deps, isFresh));
    const first = await once(false);
    return first === 'broken' && this.ends === ends ? once(true) : first;
  }

  /** Runs a job during a turn: then a process is free. */
  private async run(
    workspaceId: string,
    job: Job,
    deps: InspectionDeps,
    isFresh = false,
  ): Promise<LastMessage | NoResult> {
    const one = this.free.pop();
    if (one === undefined) {
      throw new Error('no image worker process is free');
    }
    const { ends } = this;
    try {
      if (isFresh) {
        one.end();
      }
      const result = await one.run(job, deps);
      if (result === 'broken' && this.ends === ends) {
        this.turns.penalize(workspaceId);
      }
      return result;
    } finally {
      this.free.push(one);
    }
  }
}
