/**
 * Inspects images in a separate process, which `image-worker.ts` starts and kills: a file may be made to break its
 * reader. The process gets one file at a time (`ImageJob`) and answers with what it found (`WorkerMessage`). It also makes
 * pages of documents, and logos, watermarks and pictures for mails, of pictures in the message. Its
 * arguments are how much processor time it may take for one file, in milliseconds, and how much memory, in bytes.
 * @packageDocumentation
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { SentLocation } from './file-location.js';
import { PDF_TYPE } from './documents/document-type.js';
import { DOCUMENT_LIMITS, inspectDocument, renderPages } from './documents/inspect-document.js';
import { findLocation } from './find-location.js';
import type { ByteSource } from '../../../packages/image-metadata/index.js';
import { inspectImage, restrictSharp, type Sharp } from './inspect-image.js';
import {
  READ_BYTES,
  type ImageInfo,
  type ImageJob,
  type Reply,
  type SentMessage,
  type SentPictures,
} from './image-info.js';
import type { Job } from './image-process.js';
import { inspectVideo } from './video/inspect-video.js';
import { makeLogo } from './make-logo.js';
import { makeMailPicture } from './make-mail-picture.js';
import { makeWebPicture } from './make-web-picture.js';
import { isVideoType } from './media-info.js';
import { markPreview } from './mark-preview.js';
import { Watchdog } from './watchdog.js';

/** Lower priority than the service: uploads and pages go first. Not the lowest, so that a busy machine starves no file. */
const NICENESS = 10;

const [processorMs = 0, memoryBytes = 0] = process.argv.slice(2).map(Number);

function send(message: SentMessage): void {
  process.send?.(message);
}

/** Ends the process at once. An orderly end would wait for the other threads. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** If the system runs out of memory, it ends this process and not the service. */
function raiseOomScore(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has it.
  }
}

/** On Linux a priority is that of one thread. Those that read the modules run already, and later decode the pictures. */
function threads(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
}

/** Threads that are started later inherit it. */
function lowerPriority(): void {
  for (const thread of threads()) {
    try {
      setPriority(thread, NICENESS);
    } catch {
      // It has ended, or that is not allowed: then it keeps the normal priority.
    }
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
    read: async (at, end) => {
      const length = end - at;
      // Only what was read is returned.
      const bytes = Buffer.allocUnsafe(length);
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
  library: Sharp | undefined,
  job: Job,
  watchdog: Watchdog,
): Promise<SentMessage> {
  if ('pages' in job) {
    watchdog.restrict(DOCUMENT_LIMITS);
    await (library &&
      renderPages(library, job, async (page, pictures) => {
        await request({ type: 'page', page, ...(pictures !== undefined && { pictures }) });
      }).catch(() => undefined));
    return { type: 'result' };
  }
  if ('logo' in job) {
    const logo =
      library && (await makeLogo(library, Buffer.from(job.logo, 'base64')).catch(() => undefined));
    return { type: 'logo', ...(logo !== undefined && { logo }) };
  }
  if ('thumbnail' in job) {
    const jpeg =
      library &&
      (await makeMailPicture(library, Buffer.from(job.thumbnail, 'base64')).catch(() => undefined));
    return { type: 'mail', ...(jpeg !== undefined && { jpeg }) };
  }
  if ('web' in job) {
    const jpeg =
      library &&
      (await makeWebPicture(library, Buffer.from(job.web, 'base64')).catch(() => undefined));
    return { type: 'web', ...(jpeg !== undefined && { jpeg }) };
  }
  const pictures =
    'preview' in job
      ? library &&
        (await markPreview(library, Buffer.from(job.preview, 'base64'), job.text).catch(
          () => undefined,
        ))
      : await inspect(library, job, watchdog);
  return { type: 'result', ...(pictures !== undefined && { pictures }) };
}

/** Searches the location of a file, and makes its pictures. */
async function inspect(
  library: Sharp | undefined,
  job: ImageJob,
  watchdog: Watchdog,
): Promise<SentPictures | undefined> {
  const local = await open(job.file, 'r').catch(() => undefined);
  try {
    const source = local && sourceOf(job, local);
    const location = await locationIn(job, source);
    if (location !== undefined) {
      await request({ type: 'location', location });
    }
    if (source === undefined || library === undefined || !job.makesPictures) {
      return undefined;
    }
    const hasLocation = job.findsLocation
      ? location?.kind === 'searched' && location.hasLocation
      : job.hasLocation;
    const saveFacts = async (facts: ImageInfo): Promise<void> => {
      await request({ type: 'facts', facts });
    };
    if (job.mediaType === PDF_TYPE) {
      watchdog.restrict(DOCUMENT_LIMITS);
      return await inspectDocument(library, job, { saveFacts }).catch(() => undefined);
    }
    const inspectFile = isVideoType(job.mediaType) ? inspectVideo : inspectImage;
    return await inspectFile(library, job, source, { hasLocation, saveFacts }).catch(
      () => undefined,
    );
  } finally {
    await local?.close();
  }
}

async function locationIn(
  { findsLocation, isWhole }: ImageJob,
  source: ByteSource | undefined,
): Promise<SentLocation | undefined> {
  if (!findsLocation) {
    return undefined;
  }
  const failed: SentLocation = { kind: 'unsearchable', reason: 'the file cannot be read' };
  return source === undefined ? failed : findLocation(source, isWhole).catch(() => failed);
}

/** Only one job or reply is pending at a time, so one listener is enough. */
function waitForJob(library: Sharp | undefined, watchdog: Watchdog): void {
  process.once('message', (job) => {
    watchdog.begin();
    void handleJob(library, job as Job, watchdog).then((message) => {
      watchdog.end();
      waitForJob(library, watchdog);
      send(message);
    });
  });
}

process.on('disconnect', end);
raiseOomScore();
lowerPriority();
const library = await import('sharp').then(
  (module) => module.default,
  () => undefined,
);
if (library !== undefined) {
  restrictSharp(library);
}
waitForJob(library, await Watchdog.start({ processorMs, memoryBytes }));
send({ type: 'ready', makesPictures: library !== undefined });
