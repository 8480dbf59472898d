import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { WorkQueue } from '../../platform/rate-limit/work-queue.js';
import { mediaTypeOf } from './media-type.js';
import type { UploadStorage } from '../uploads/storage/upload-storage.js';
import type { InspectionDeps } from './image-info.js';
import type { InspectedImage, ImageWorker } from './image-worker.js';
import type { ThumbnailTable, PendingPhoto } from './thumbnail-table.js';

/** The media types that are looked at. */
const PICTURES = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/x-canon-cr2',
  'image/x-phaseone-iiq',
  'image/x-fuji-raf',
  'image/x-olympus-orf',
  'image/x-panasonic-rw2',
  'image/vnd.adobe.photoshop',
]);

/**
 * How many photos of one workspace may wait, and how many of all. {@link Thumbnails.catchUp} finds the others later. A
 * workspace of which none waits is always let in.
 */
const MAX_OF_WORKSPACE = 500;
const MAX_WAITING = 10_000;

/** How long one photo may take in all, fetching and two attempts included, before another process may try, in milliseconds. */
const LEASE_MS = 300_000;

/** How long fetching a file from the storage may take, in milliseconds, and how large a whole file may be, in bytes. */
const FETCH_MS = 60_000;
const MAX_FETCHED_BYTES = 64 * 1024 * 1024;

/** How much of a larger file is fetched at once; the rest is read where it is needed. In bytes. */
const FETCHED_HEAD_BYTES = 256 * 1024;

/** How long to wait before a photo that could not be tried is tried again, in milliseconds. */
const AWAY_MS = 60_000;

export interface ThumbnailsParts {
  readonly table: ThumbnailTable;
  readonly store: Pick<UploadStorage, 'readRange' | 'localFile'>;
  readonly looker: Pick<ImageWorker, 'look' | 'end'>;
  readonly now: () => Date;
  readonly reportError: (error: unknown) => void;
}

/**
 * Has photos looked at in the background, one at a time, for a thumbnail, their size in pixels, and when they were
 * taken. Workspaces take turns. Nobody waits for it. Photos that still waited when a service ended are found again, by
 * this or another one.
 */
export class Thumbnails {
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

  constructor(private readonly parts: ThumbnailsParts) {}

  /**
   * Has a photo looked at, unless that was done or is being done.
   * @param type the media type by its first bytes, if they have been read already
   */
  enqueue({ id, workspaceId }: PendingPhoto, type?: string): void {
    if (!this.mayLook) {
      return;
    }
    const isWaiting = this.types.has(id);
    this.types.set(id, type ?? this.types.get(id));
    if (!isWaiting) {
      const work = this.work(id, workspaceId).finally(() => this.working.delete(work));
      this.working.add(work);
    }
  }

  /** Whether thumbnails are made at all: that needs an image library. */
  get areMade(): boolean {
    return this.hasLibrary;
  }

  /**
   * Has some photos looked at that were not looked at yet: because they were sent before there were thumbnails, or just
   * before a service ended, or because too many were waiting. Where there are none, some that failed with an earlier
   * version are next.
   */
  async catchUp(): Promise<void> {
    if (!this.mayLook) {
      return;
    }
    const { table, now } = this.parts;
    let unseen = await table.unseen(now(), this.caughtUpTo);
    if (unseen.length === 0 && this.caughtUpTo !== '') {
      unseen = await table.unseen(now(), '');
    }
    unseen.forEach((photo) => {
      this.enqueue(photo);
    });
    if (unseen.length === 0) {
      await table.retryFailed();
    }
    this.caughtUpTo = unseen.at(-1)?.workspaceId ?? '';
  }

  /** Stops, even in the middle of a photo; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.stopped.abort();
    this.parts.looker.end();
    await this.settled();
  }

  /** Resolves when no photo waits any more. */
  async settled(): Promise<void> {
    while (this.working.size > 0) {
      await Promise.all(this.working);
    }
  }

  private get mayLook(): boolean {
    return this.hasLibrary && !this.stopped.signal.aborted;
  }

  private async work(id: string, workspaceId: string): Promise<void> {
    await this.queue
      .run(workspaceId, async () => {
        if (!this.stopped.signal.aborted) {
          await this.lookAt(id, this.types.get(id));
        }
      })
      .catch(this.parts.reportError);
    // Only now: a request for this photo while it was being looked at must not queue it again.
    this.types.delete(id);
  }

  private async lookAt(id: string, type: string | undefined): Promise<void> {
    const { table, now } = this.parts;
    if (type !== undefined && !PICTURES.has(type)) {
      await table.keepPicture(id, undefined);
      return;
    }
    const time = now();
    const size = await table.claim(id, time, new Date(time.getTime() + LEASE_MS));
    if (size === undefined) {
      return;
    }
    try {
      const found = await this.found(id, size, type);
      if (found !== undefined) {
        await table.keepPicture(id, found.picture);
        return;
      }
    } catch (error) {
      if (!this.stopped.signal.aborted) {
        this.parts.reportError(error);
      }
    }
    await table.giveBack(id, new Date(now().getTime() + AWAY_MS));
  }

  /** What came of a photo; undefined when it could not be tried. */
  private async found(
    id: string,
    size: number,
    known: string | undefined,
  ): Promise<InspectedImage | undefined> {
    const { store, looker, table } = this.parts;
    const type = known ?? (await mediaTypeOf(store, { id, size }));
    if (type === undefined || !PICTURES.has(type)) {
      return {};
    }
    const aids: InspectionDeps = {
      keepFacts: (facts) => table.keepFacts(id, facts),
      read: async (at, length) =>
        buffer(await store.readRange(id, { start: at, end: at + length - 1 })),
    };
    const local = store.localFile(id);
    const looked =
      local !== undefined
        ? await looker.look({ file: local, size, isWhole: true }, aids)
        : await this.fetched(id, size, (file, isWhole) =>
            looker.look({ file, size, isWhole }, aids),
          );
    this.hasLibrary &&= looked !== 'no library';
    // If we have ended the process ourselves, its end says nothing about the file.
    if (looked === 'no library' || this.stopped.signal.aborted) {
      return undefined;
    }
    return looked === 'broken' ? {} : looked;
  }

  /** Works on a local copy of a file in remote storage; of a large file, on a copy of its beginning. */
  private async fetched<T>(
    id: string,
    size: number,
    work: (file: string, isWhole: boolean) => Promise<T>,
  ): Promise<T> {
    const isWhole = size <= MAX_FETCHED_BYTES;
    const end = (isWhole ? size : FETCHED_HEAD_BYTES) - 1;
    const folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-look-'));
    try {
      const file = path.join(folder, 'file');
      const signal = AbortSignal.any([this.stopped.signal, AbortSignal.timeout(FETCH_MS)]);
      const bytes = await this.parts.store.readRange(id, { start: 0, end });
      await pipeline(bytes, createWriteStream(file, { mode: 0o600 }), { signal });
      return await work(file, isWhole);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
