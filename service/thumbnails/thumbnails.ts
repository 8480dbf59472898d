import { AsyncLocalStorage } from 'node:async_hooks';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { mediaTypeOf } from '../photos/media-type.js';
import { PREVIEW_HEAD_BYTES } from '../photos/preview.js';
import type { UploadStorage } from '../uploads/upload-storage.js';
import type { Look } from './look.js';
import type { Looker } from './looker.js';
import type { ThumbnailTable } from './thumbnail-table.js';

/** The media types that are looked at. */
const PICTURES = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/vnd.adobe.photoshop',
]);

/** How many photos may wait. {@link Thumbnails.catchUp} finds the others later. */
const MAX_WAITING = 1000;

/** How long one photo may take in all, fetching included, before another process may try, in milliseconds. */
const LEASE_MS = 120_000;

/** How long fetching a file from the storage may take, in milliseconds, and how large a whole file may be, in bytes. */
const FETCH_MS = 60_000;
const MAX_FETCHED_BYTES = 64 * 1024 * 1024;

/** How long to wait before a photo that could not be tried is tried again, in milliseconds. */
const AWAY_MS = 60_000;

export interface ThumbnailsParts {
  readonly table: ThumbnailTable;
  readonly store: Pick<UploadStorage, 'readRange' | 'localFile'>;
  readonly looker: Pick<Looker, 'look' | 'end'>;
  readonly now: () => Date;
  readonly reportError: (error: unknown) => void;
}

/**
 * Has photos looked at in the background, one at a time, for a thumbnail, their size in pixels, and when they were
 * taken. Nobody waits for it. Photos that still waited when a service ended are found again, by this or another one.
 */
export class Thumbnails {
  /** The media types of the waiting photos, by id; undefined where the type is not known yet. */
  private readonly waiting = new Map<string, string | undefined>();
  private readonly stopped = new AbortController();
  /** Runs the work outside the context of the request that asked for it first: see database/on-behalf.ts. */
  private readonly apart = AsyncLocalStorage.snapshot();
  private working: Promise<void> | undefined;
  private hasLibrary = true;

  constructor(private readonly parts: ThumbnailsParts) {}

  /**
   * Has a photo looked at, unless that was done or is being done.
   * @param type the media type that its first bytes tell, if they have been read already
   */
  want(id: string, type?: string): void {
    if (!this.mayLook || this.waiting.size >= MAX_WAITING) {
      return;
    }
    this.waiting.set(id, type ?? this.waiting.get(id));
    this.working ??= this.apart(() => this.work());
  }

  /** Whether thumbnails are made at all: that needs an image library. */
  get areMade(): boolean {
    return this.hasLibrary;
  }

  /**
   * Has some photos looked at that were not looked at yet: because they were sent before there were thumbnails, or just
   * before a service ended, or because too many were waiting. Does nothing while others wait.
   */
  async catchUp(): Promise<void> {
    if (this.mayLook && this.waiting.size === 0) {
      for (const id of await this.parts.table.unseen(this.parts.now())) {
        this.want(id);
      }
    }
  }

  /** Stops, even in the middle of a photo; resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.stopped.abort();
    this.waiting.clear();
    this.parts.looker.end();
    await this.working;
  }

  /** Resolves when no photo waits any more. */
  async settled(): Promise<void> {
    await this.working;
  }

  private get mayLook(): boolean {
    return this.hasLibrary && !this.stopped.signal.aborted;
  }

  private async work(): Promise<void> {
    for (const [id, type] of this.waiting) {
      await this.lookAt(id, type).catch(this.parts.reportError);
      // Only now: a request for this photo while it was being looked at must not queue it again.
      this.waiting.delete(id);
    }
    this.working = undefined;
  }

  private async lookAt(id: string, type: string | undefined): Promise<void> {
    const { table, now } = this.parts;
    if (type !== undefined && !PICTURES.has(type)) {
      await table.keep(id, {});
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
        await table.keep(id, found);
        return;
      }
    } catch (error) {
      if (!this.stopped.signal.aborted) {
        this.parts.reportError(error);
      }
    }
    await table.giveBack(id, new Date(now().getTime() + AWAY_MS));
  }

  /** What was found out about a photo; undefined when that could not be tried. */
  private async found(
    id: string,
    size: number,
    told: string | undefined,
  ): Promise<Look | undefined> {
    const { store, looker } = this.parts;
    const type = told ?? (await mediaTypeOf(store, { id, size }));
    if (type === undefined || !PICTURES.has(type)) {
      return {};
    }
    const local = store.localFile(id);
    const look =
      local !== undefined
        ? await looker.look({ file: local, type, isWhole: true })
        : await this.fetched(id, size, (file, isWhole) => looker.look({ file, type, isWhole }));
    this.hasLibrary &&= look !== 'no library';
    // If we have ended the process ourselves, its end says nothing about the file.
    if (look === 'no library' || this.stopped.signal.aborted) {
      return undefined;
    }
    return look === 'broken' ? {} : look;
  }

  /** Works on a local copy of a file in remote storage; of a large file, only on its beginning. */
  private async fetched<T>(
    id: string,
    size: number,
    work: (file: string, isWhole: boolean) => Promise<T>,
  ): Promise<T> {
    const isWhole = size <= MAX_FETCHED_BYTES;
    const end = (isWhole ? size : PREVIEW_HEAD_BYTES) - 1;
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
