import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { WorkQueue } from '../../platform/rate-limit/work-queue.js';
import { mediaTypeOf } from './media-type.js';
import type { UploadStorage } from '../uploads/index.js';
import type { InspectionDeps } from './image-info.js';
import type { InspectedImage, ImageWorker } from './image-worker.js';
import type { ThumbnailTable, PendingPhoto } from './thumbnail-table.js';

/** The media types that are inspected. */
const IMAGE_TYPES = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/jxl',
  'image/x-canon-cr2',
  'image/x-canon-cr3',
  'image/x-phaseone-iiq',
  'image/x-fuji-raf',
  'image/x-olympus-orf',
  'image/x-panasonic-rw2',
  'image/vnd.adobe.photoshop',
]);

/**
 * How many photos of one workspace may wait, and how many of all. {@link ThumbnailWorker.catchUp} finds the others later. A
 * workspace of which none waits is always let in.
 */
const MAX_OF_WORKSPACE = 500;
const MAX_WAITING = 10_000;

/** How long one photo may take in all, fetching and two attempts included, before another process may try, in milliseconds. */
const LEASE_MS = 300_000;

/** How long fetching a file from the storage may take, in milliseconds, and how large a whole file may be, in bytes. */
const FETCH_MS = 60_000;
const MAX_FETCHED_BYTES = 64 * 1024 * 1024;
/** Layered TIFF files are large, and are decoded as a whole. */
const MAX_FETCHED_TIFF_BYTES = 256 * 1024 * 1024;

/** How much of a larger file is fetched at once; the rest is read where it is needed. In bytes. */
const FETCHED_HEAD_BYTES = 256 * 1024;

/** How long to wait before a photo that could not be tried is tried again, in milliseconds. */
const AWAY_MS = 60_000;

export interface ThumbnailsDeps {
  readonly table: ThumbnailTable;
  readonly store: Pick<UploadStorage, 'readRange' | 'localFile' | 'writePreview'>;
  readonly imageWorker: Pick<ImageWorker, 'inspect' | 'end'>;
  readonly now: () => Date;
  readonly reportError: (error: unknown) => void;
}

/**
 * Inspects photos in the background, one at a time, for a thumbnail, a preview, their size in pixels, and when they
 * were taken. Workspaces take turns. No request waits for it. Photos that waited when a service ended are found again, by
 * this or another one.
 */
export class ThumbnailWorker {
  /** The media types of the waiting photos, by id; undefined where the type is not known yet. */
  private readonly types = new Map<string, string | undefined>();
  private readonly queue = new WorkQueue({
    atOnce: 1,
    perKey: MAX_OF_WORKSPACE,
    waitingInAll: MAX_WAITING,
  });
  private readonly stopped = new AbortController();
  /** The work on the waiting photos. */
  private readonly working = new Set<Promise<void>>();
  private hasLibrary = true;
  /** The workspace up to which {@link catchUp} has come. */
  private caughtUpTo = '';

  constructor(private readonly deps: ThumbnailsDeps) {}

  /**
   * Queues a photo, unless it was inspected already or is queued.
   * @param type the media type by its first bytes, if they have been read already
   */
  enqueue({ id, workspaceId }: PendingPhoto, type?: string): void {
    if (!this.isActive) {
      return;
    }
    const isWaiting = this.types.has(id);
    this.types.set(id, type ?? this.types.get(id));
    if (!isWaiting) {
      const task = this.processQueued(id, workspaceId).finally(() => this.working.delete(task));
      this.working.add(task);
    }
  }

  /** Makes the preview of a photo again that the storage has lost. */
  async remake(photo: PendingPhoto): Promise<void> {
    await this.deps.table.forgetPreview(photo.id);
    this.enqueue(photo);
  }

  /** Whether thumbnails are made. That needs an image library. */
  get areMade(): boolean {
    return this.hasLibrary;
  }

  /**
   * Queues some photos that were not inspected yet: because they were sent before there were thumbnails, or just
   * before a service ended, or because too many were waiting. Where there are none, some that failed with an earlier
   * version are next.
   */
  async catchUp(): Promise<void> {
    if (!this.isActive) {
      return;
    }
    const { table, now } = this.deps;
    let pending = await table.pending(now(), this.caughtUpTo);
    if (pending.length === 0 && this.caughtUpTo !== '') {
      pending = await table.pending(now(), '');
    }
    pending.forEach((photo) => {
      this.enqueue(photo);
    });
    if (pending.length === 0) {
      await table.retryFailed();
    }
    this.caughtUpTo = pending.at(-1)?.workspaceId ?? '';
  }

  /** Stops, even in the middle of a photo; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.stopped.abort();
    this.deps.imageWorker.end();
    await this.settled();
  }

  /** Resolves when no photo waits any more. */
  async settled(): Promise<void> {
    while (this.working.size > 0) {
      await Promise.all(this.working);
    }
  }

  private get isActive(): boolean {
    return this.hasLibrary && !this.stopped.signal.aborted;
  }

  private async processQueued(id: string, workspaceId: string): Promise<void> {
    await this.queue
      .run(workspaceId, async () => {
        if (!this.stopped.signal.aborted) {
          await this.process(id, this.types.get(id));
        }
      })
      .catch(this.deps.reportError);
    // Only now: a request for this photo during its inspection must not queue it again.
    this.types.delete(id);
  }

  private async process(id: string, type: string | undefined): Promise<void> {
    const { table, now } = this.deps;
    if (type !== undefined && !IMAGE_TYPES.has(type)) {
      await table.keepFailure(id);
      return;
    }
    const time = now();
    const size = await table.claim(id, time, new Date(time.getTime() + LEASE_MS));
    if (size === undefined) {
      return;
    }
    try {
      const result = await this.inspect(id, size, type);
      if (result !== undefined) {
        await this.keep(id, result);
        return;
      }
    } catch (error) {
      if (!this.stopped.signal.aborted) {
        this.deps.reportError(error);
      }
    }
    await table.releaseClaim(id, new Date(now().getTime() + AWAY_MS));
  }

  private async keep(id: string, { pictures }: InspectedImage): Promise<void> {
    const { table, store } = this.deps;
    if (pictures === undefined) {
      await table.keepFailure(id);
      return;
    }
    await store.writePreview(id, pictures.preview);
    await table.keepPictures(id, pictures);
  }

  /** The result for a photo; undefined when it could not be tried. */
  private async inspect(
    id: string,
    size: number,
    known: string | undefined,
  ): Promise<InspectedImage | undefined> {
    const { store, imageWorker, table } = this.deps;
    const type = known ?? (await mediaTypeOf(store, { id, size }));
    if (type === undefined || !IMAGE_TYPES.has(type)) {
      return {};
    }
    const deps: InspectionDeps = {
      keepFacts: (facts) => table.keepFacts(id, facts),
      read: async (at, length) =>
        buffer(await store.readRange(id, { start: at, end: at + length - 1 })),
    };
    const local = store.localFile(id);
    const result =
      local !== undefined
        ? await imageWorker.inspect({ file: local, size, isWhole: true }, deps)
        : await this.withLocalCopy({ id, size, type }, (file, isWhole) =>
            imageWorker.inspect({ file, size, isWhole }, deps),
          );
    this.hasLibrary &&= result !== 'no library';
    // If we have ended the process ourselves, its end is not caused by the file.
    if (result === 'no library' || this.stopped.signal.aborted) {
      return undefined;
    }
    return result === 'broken' ? {} : result;
  }

  /** Works on a local copy of a file in remote storage; of a large file, on a copy of its beginning. */
  private async withLocalCopy<T>(
    { id, size, type }: { readonly id: string; readonly size: number; readonly type: string },
    work: (file: string, isWhole: boolean) => Promise<T>,
  ): Promise<T> {
    const most = type === 'image/tiff' ? MAX_FETCHED_TIFF_BYTES : MAX_FETCHED_BYTES;
    const isWhole = size <= most;
    const end = (isWhole ? size : FETCHED_HEAD_BYTES) - 1;
    const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-look-'));
    try {
      const file = path.join(folder, 'file');
      const signal = AbortSignal.any([this.stopped.signal, AbortSignal.timeout(FETCH_MS)]);
      const bytes = await this.deps.store.readRange(id, { start: 0, end });
      await pipeline(bytes, createWriteStream(file, { mode: 0o600 }), { signal });
      return await work(file, isWhole);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
