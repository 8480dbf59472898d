import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { isUnknownKind } from '../../../packages/image-metadata/kinds.js';
import { MAX_DOCUMENT_BYTES, PDF_TYPE } from './documents/document-type.js';
import { withLocalCopy } from './local-copy.js';
import { isVideoType } from './media-info.js';
import { headOf, mediaTypeIn, UNKNOWN_TYPE } from './media-type.js';
import type { UploadStorage } from '../uploads/index.js';
import type { FileLocation } from './file-location.js';
import type { ImageJob, InspectionDeps } from './image-info.js';
import type { InspectedImage, ImageWorker, Inspect, NoResult } from './image-worker.js';
import {
  LEASE_MS,
  MAX_ATTEMPTS,
  type ClaimedPhoto,
  type PendingPhoto,
  type ThumbnailTable,
} from './thumbnail-table.js';

/** The media types of which pictures are made, besides films. */
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
  PDF_TYPE,
]);

/** How often a file may break a process while its location is searched. Another attempt leaves the search out. */
const MAX_SEARCHES = 2;

/** How often a file may break a process of which the location is known. */
const MAX_BREAKS = 2;

/** How large a whole file from the storage may be, in bytes. */
const MAX_FETCHED_BYTES = 64 * 1024 * 1024;
/** Layered TIFF files and documents are large, and are read as a whole. */
const MAX_FETCHED_LARGE_BYTES: Readonly<Record<string, number>> = {
  'image/tiff': 256 * 1024 * 1024,
  [PDF_TYPE]: MAX_DOCUMENT_BYTES,
};

/** How much of a larger file is fetched at once; the rest is read where it is needed. In bytes. */
const FETCHED_HEAD_BYTES = 256 * 1024;

/** How long to wait before a photo that could not be tried is tried again, in milliseconds. */
const AWAY_MS = 60_000;

/** How long files of unknown kind are collected for one statement, in milliseconds, and how many at most. */
const COLLECT_MS = 200;
const MAX_COLLECTED = 500;

export interface ThumbnailsDeps {
  readonly table: ThumbnailTable;
  readonly store: Pick<UploadStorage, 'readPreview' | 'readRange' | 'localFile' | 'writePreview'>;
  readonly imageWorker: Pick<ImageWorker, 'inTurn' | 'end'>;
  readonly now: () => Date;
  readonly reportError: (error: unknown) => void;
  /** Whether there is ffmpeg, for posters and frames of films. */
  readonly drawsFilms: boolean;
}

/**
 * Inspects files in the background: searches their location, makes thumbnails and previews of photos, and reads their size in
 * pixels and when they were taken. Workspaces take turns. No request waits for it. Files that waited when a service ended are
 * found again, by this or another one.
 */
export class ThumbnailWorker {
  /** The media types of the waiting files, by id; undefined where the type is not known yet. */
  private readonly types = new Map<string, string | undefined>();
  /** The ids of files of unknown kind that are still to be noted. */
  private readonly unknown = new Set<string>();
  private readonly stopped = new AbortController();
  /** The work on the waiting files. */
  private readonly working = new Set<Promise<void>>();
  private hasLibrary = true;
  /** The workspace up to which {@link catchUp} has come. */
  private caughtUpTo = '';

  constructor(private readonly deps: ThumbnailsDeps) {}

  /**
   * Queues a file, unless it was inspected already or is queued. A file of unknown kind needs no process.
   * @param head its first bytes, if they have been read already
   */
  enqueue({ id, workspaceId }: PendingPhoto, head?: Uint8Array): void {
    if (this.stopped.signal.aborted || this.unknown.has(id)) {
      return;
    }
    if (head !== undefined && isOfUnknownKind(head)) {
      this.unknown.add(id);
      if (this.unknown.size === 1) {
        this.track(this.settleUnknown());
      }
      return;
    }
    this.queue(id, workspaceId, head && (mediaTypeIn(head) ?? UNKNOWN_TYPE));
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
   * Queues some files with work left: because they were sent before there was such work, or just before a service ended, or
   * because too many were waiting. Where there are none, some that an earlier version tried are next.
   */
  async catchUp(): Promise<void> {
    if (this.stopped.signal.aborted) {
      return;
    }
    const { table, now } = this.deps;
    let pending = await table.pending(now(), this.caughtUpTo, this.hasLibrary);
    if (pending.length === 0 && this.caughtUpTo !== '') {
      pending = await table.pending(now(), '', this.hasLibrary);
    }
    pending.forEach((photo) => {
      this.enqueue(photo);
    });
    if (pending.length === 0) {
      await table.retryOlder(this.deps.drawsFilms && this.hasLibrary);
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

  private queue(id: string, workspaceId: string, type: string | undefined): void {
    const isWaiting = this.types.has(id);
    this.types.set(id, type ?? this.types.get(id));
    if (!isWaiting) {
      this.track(this.processQueued(id, workspaceId));
    }
  }

  private track(work: Promise<void>): void {
    const task = work.finally(() => this.working.delete(task));
    this.working.add(task);
  }

  /** Notes all files of unknown kind that come within a moment. */
  private async settleUnknown(): Promise<void> {
    const { table, reportError } = this.deps;
    await delay(COLLECT_MS, undefined, { signal: this.stopped.signal }).catch(() => undefined);
    const ids = [...this.unknown];
    this.unknown.clear();
    for (let at = 0; at < ids.length; at += MAX_COLLECTED) {
      await table.recordUnknownKind(ids.slice(at, at + MAX_COLLECTED)).catch(reportError);
    }
  }

  private async processQueued(id: string, workspaceId: string): Promise<void> {
    const type = (): string | undefined => this.types.get(id);
    const outcome = await this.deps.imageWorker
      .inTurn(workspaceId, (inspect) =>
        this.stopped.signal.aborted
          ? Promise.resolve('done' as const)
          : this.process(id, type(), inspect),
      )
      .catch(this.deps.reportError);
    const known = type();
    // Only now: a request for this photo during its inspection must not queue it again.
    this.types.delete(id);
    if (outcome === 'again') {
      this.queue(id, workspaceId, known);
    }
  }

  /** @returns 'again' when the file broke the process and gets another turn, behind the others */
  private async process(
    id: string,
    type: string | undefined,
    inspect: Inspect,
  ): Promise<'done' | 'again'> {
    const { table, now } = this.deps;
    const time = now();
    const until = new Date(time.getTime() + LEASE_MS);
    const claimed = await table.claim(id, time, until, this.hasLibrary);
    if (claimed === undefined) {
      return 'done';
    }
    try {
      const outcome = await this.inspect(id, claimed, { type, inspect });
      if (outcome !== 'not tried') {
        return outcome;
      }
    } catch (error) {
      if (!this.stopped.signal.aborted) {
        this.deps.reportError(error);
      }
    }
    await table.releaseClaim(id, new Date(now().getTime() + AWAY_MS));
    return 'done';
  }

  private async inspect(
    id: string,
    claimed: ClaimedPhoto,
    { type: known, inspect }: { readonly type: string | undefined; readonly inspect: Inspect },
  ): Promise<'done' | 'again' | 'not tried'> {
    const { store, table } = this.deps;
    const { size, attempts, location, posterBytes } = claimed;
    const head = known === undefined ? await headOf(store, { id, size }) : undefined;
    if (head !== undefined && isOfUnknownKind(head)) {
      await table.recordUnknownKind([id]);
      return 'done';
    }
    const type = known ?? (head && mediaTypeIn(head));
    let isLocated = location !== undefined;
    const saveLocation = async (found: FileLocation): Promise<void> => {
      await table.saveLocation(id, found);
      isLocated = true;
    };
    const isPicture = type !== undefined && (IMAGE_TYPES.has(type) || isVideoType(type));
    const what = {
      findsLocation: location === undefined,
      hasLocation: location?.hasLocation ?? false,
      makesPictures: claimed.needsPictures && isPicture && this.hasLibrary,
      ...(posterBytes !== undefined && { poster: await this.posterOf(id, posterBytes) }),
    };
    const result = await this.run({ id, size, type: type ?? UNKNOWN_TYPE }, what, {
      inspect: (job, deps) => inspect(job, deps, attempts > 1),
      saveLocation,
    });
    // If we have ended the process ourselves, its end is not caused by the file.
    if (this.stopped.signal.aborted) {
      return 'not tried';
    }
    if (result === 'broken') {
      if (!isLocated && attempts >= MAX_SEARCHES) {
        await saveLocation({ kind: 'unsearchable', reason: 'the search takes too much' });
        // This attempt was about the location.
        if (what.makesPictures && attempts < MAX_ATTEMPTS) {
          await table.endAttempt(id);
          return 'again';
        }
      } else if (!isLocated || attempts < MAX_BREAKS) {
        await table.endAttempt(id);
        return 'again';
      }
    }
    this.hasLibrary &&= result !== 'no library';
    if (claimed.needsPictures && isPicture && !this.hasLibrary) {
      return 'not tried';
    }
    const pictures = typeof result === 'string' ? undefined : result.pictures;
    const lacksFfmpeg = !this.deps.drawsFilms && type !== undefined && isVideoType(type);
    if (!claimed.needsPictures) {
      await table.finish(id);
    } else if (pictures === undefined) {
      return table.recordFailure(id, { posterBytes, lacksFfmpeg });
    } else {
      await Promise.all([
        store.writePreview(id, pictures.preview),
        store.writePreview(id, pictures.thumbnail, 'thumbnail'),
        pictures.frames && store.writePreview(id, pictures.frames, 'frames'),
      ]);
      return table.recordPictures(id, pictures, { posterBytes, lacksFfmpeg });
    }
    return 'done';
  }

  /** The poster that the app sent, as base64; undefined when the storage has lost it. */
  private async posterOf(id: string, bytes: number): Promise<string | undefined> {
    const stored = await this.deps.store.readPreview(id, bytes, 'poster');
    return stored && (await buffer(stored)).toString('base64');
  }

  private run(
    file: { readonly id: string; readonly size: number; readonly type: string },
    what: Pick<ImageJob, 'findsLocation' | 'hasLocation' | 'makesPictures' | 'poster'>,
    { inspect, saveLocation }: Pick<InspectionDeps, 'saveLocation'> & { readonly inspect: Inspect },
  ): Promise<InspectedImage | NoResult> {
    const { store, table } = this.deps;
    const { id, size } = file;
    const deps: InspectionDeps = {
      saveLocation,
      saveFacts: (facts) => table.saveFacts(id, file.type, facts),
      read: async (at, length) =>
        buffer(await store.readRange(id, { start: at, end: at + length - 1 })),
    };
    const local = store.localFile(id);
    return local === undefined
      ? this.withLocalCopy(file, (copy, isWhole) =>
          inspect({ file: copy, size, isWhole, mediaType: file.type, ...what }, deps),
        )
      : inspect({ file: local, size, isWhole: true, mediaType: file.type, ...what }, deps);
  }

  /** Works on a local copy of a file in remote storage; of a large file, on a copy of its beginning. */
  private async withLocalCopy<T>(
    { id, size, type }: { readonly id: string; readonly size: number; readonly type: string },
    work: (file: string, isWhole: boolean) => Promise<T>,
  ): Promise<T> {
    const most = MAX_FETCHED_LARGE_BYTES[type] ?? MAX_FETCHED_BYTES;
    const isWhole = size <= most;
    const end = (isWhole ? size : FETCHED_HEAD_BYTES) - 1;
    return withLocalCopy(this.deps.store, { id, end }, this.stopped.signal, (file) =>
      work(file, isWhole),
    );
  }
}

function isOfUnknownKind(head: Uint8Array): boolean {
  return isUnknownKind(Buffer.from(head).toString('latin1'));
}
