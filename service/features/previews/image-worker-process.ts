/**
 * Inspects images in a separate process, which `image-worker.ts` starts and kills: a file may be made to break its
 * reader. The process gets one file at a time (`ImageJob`) and answers with what it found (`WorkerMessage`). It also makes
 * logos and watermarks, of pictures in the message. Its
 * arguments are how much processor time it may take for one file, in milliseconds, and how much memory, in bytes.
 * @packageDocumentation
 */
import { writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setPriority, totalmem } from 'node:os';
import type { ByteSource } from './formats/byte-reader.js';
import { inspectImage, restrictSharp, type Sharp } from './inspect-image.js';
import {
  READ_BYTES,
  type ImageJob,
  type LogoJob,
  type Reply,
  type SentMessage,
  type WatermarkJob,
} from './image-info.js';
import { makeLogo } from './make-logo.js';
import { markPreview } from './mark-preview.js';

/** Lower priority than the service: uploads and pages go first. */
const NICENESS = 10;

/** Which part of the memory that there is the process may take. */
const MEMORY_SHARE = 0.5;
const [MAX_PROCESSOR_MS = 0, MAX_MEMORY_BYTES = 0] = process.argv.slice(2).map(Number);
/** How often the process checks its own memory and processor time, in milliseconds. */
const CHECK_INTERVAL_MS = 2;

function send(message: SentMessage): void {
  process.send?.(message);
}

/** Ends the process at once. An orderly end would wait for the other threads. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** The memory limit, in bytes. A container may have less memory than its machine. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  const there = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(MAX_MEMORY_BYTES, there * MEMORY_SHARE);
}

/** Ends the process when it takes too much. Decoding runs in other threads, so timers still run. */
function watchUsage(): NodeJS.Timeout {
  const limit = memoryLimit();
  const before = process.cpuUsage();
  return setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    if (process.memoryUsage.rss() > limit || (user + system) / 1000 > MAX_PROCESSOR_MS) {
      end();
    }
  }, CHECK_INTERVAL_MS);
}

/** If the system runs out of memory, it ends this process and not the service. */
function raiseOomScore(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has it.
  }
}

/** Sends a request to the service and waits until it is done. */
function request(message: SentMessage): Promise<Reply> {
  return new Promise((resolve) => {
    process.once('message', (reply) => {
      resolve(reply as Reply);
    });
    send(message);
  });
}

/** The bytes of the file: from the local one, as far as it reaches, else from the service. */
function sourceOf({ size, isWhole }: ImageJob, local: FileHandle): ByteSource {
  return {
    size,
    read: async (at, length) => {
      const bytes = Buffer.alloc(length);
      let { bytesRead } = await local.read(bytes, 0, length, at);
      while (!isWhole && bytesRead < length) {
        const wanted = Math.min(length - bytesRead, READ_BYTES);
        const { bytes: more = '' } = await request({
          type: 'read',
          at: at + bytesRead,
          length: wanted,
        });
        const copied = Buffer.from(more, 'base64').copy(bytes, bytesRead);
        if (copied === 0) {
          break;
        }
        bytesRead += copied;
      }
      return bytes.subarray(0, bytesRead);
    },
  };
}

async function handleJob(
  library: Sharp,
  job: ImageJob | LogoJob | WatermarkJob,
): Promise<SentMessage> {
  if ('logo' in job) {
    const logo = await makeLogo(library, Buffer.from(job.logo, 'base64')).catch(() => undefined);
    return { type: 'logo', ...(logo !== undefined && { logo }) };
  }
  if ('preview' in job) {
    const preview = Buffer.from(job.preview, 'base64');
    const pictures = await markPreview(library, preview, job.text).catch(() => undefined);
    return { type: 'result', ...(pictures !== undefined && { pictures }) };
  }
  const local = await open(job.file, 'r').catch(() => undefined);
  const pictures =
    local &&
    (await inspectImage(library, job, sourceOf(job, local), async (facts) => {
      await request({ type: 'facts', facts });
    }).catch(() => undefined));
  await local?.close();
  return { type: 'result', ...(pictures !== undefined && { pictures }) };
}

/** Only one job or reply is pending at a time, so one listener is enough. */
function waitForJob(library: Sharp): void {
  process.once('message', (job) => {
    const watch = watchUsage();
    void handleJob(library, job as ImageJob | LogoJob | WatermarkJob).then((message) => {
      clearInterval(watch);
      waitForJob(library);
      send(message);
    });
  });
}

process.on('disconnect', end);
raiseOomScore();
try {
  setPriority(NICENESS);
} catch {
  // If that is not allowed, the process keeps the normal priority.
}
const library = await import('sharp').then(
  (module) => module.default,
  () => undefined,
);
if (library === undefined) {
  send({ type: 'no library' });
} else {
  restrictSharp(library);
  waitForJob(library);
  send({ type: 'ready' });
}
