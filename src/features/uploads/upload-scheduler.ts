import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import { backoffDelay } from '../../util/backoff.js';
import { CancelledError, CancelSource } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import {
  isAboutSession,
  isAboutStorage,
  noSpaceCode,
  toCwError,
  type CwError,
} from '../../util/errors.js';
import { isStorageTakenOver, storageTakenOverError } from '../../util/storage-ownership.js';
import type { RecordStore } from '../../host/storage.js';
import type { Spool, SpoolReader } from '../../host/spool.js';
import type { UploadHistory } from '../history/index.js';
import { DuplicateCheck } from '../duplicates/index.js';
import type {
  PhotoRecord,
  PhotoStore,
  UploadItem,
  UploadQueue,
  UploadReceipt,
} from '../queue/index.js';
import { readPoster, sendPoster } from './poster.js';
import { UploadedBatches } from './uploaded-batch.js';
import { SpaceWait } from './space-wait.js';
import { NewVersions } from './undoable-versions.js';
import { ChunkLimit, uploadPhoto } from './tus/tus-upload.js';

export interface UploadSchedulerOptions {
  readonly queue: UploadQueue;
  readonly photoStore: PhotoStore;
  readonly requests: RequestQueue;
  readonly capabilities: CapabilitySource;
  readonly records: Pick<RecordStore, 'isOwner'>;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly random: () => number;
  /** Address of the upload collection. */
  readonly endpoint: string;
  /** Bytes in one request. */
  readonly chunkBytes: number;
  /** How many photos are uploaded at once. */
  readonly concurrency: number;
  /** The same for small photos: as many as bring no more bytes than `concurrency` large ones. */
  readonly smallConcurrency: number;
  /** Whether an upload may begin now; checked in addition to the scheduler's own conditions. */
  readonly mayUpload: () => boolean;
  /** Called when the delay after a session or storage error is over. */
  readonly onHoldOver: () => void;
  /** Called with the whole error of an upload that failed; storage keeps only its code. */
  readonly onFailure?: (error: CwError) => void;
  /** The history of uploaded photos; without it there is none. */
  readonly history?: Pick<UploadHistory, 'add' | 'recordDetached'>;
}

const BACKOFF = { firstMs: 2_000, longestMs: 60_000 };
/**
 * Bytes in one request where they cost no memory: so many that waiting for the answers of a distant service costs
 * little.
 */
const STREAMED_CHUNK_BYTES = 256 * 1024 * 1024;

/** So many small photos are prepared ahead of those that are sent, together: storing that costs as much as for one. */
const PREPARED_TOGETHER = 6;

/** Photos uploaded within this time are deleted in one step, which costs as much as for one. Milliseconds. */
const CLEAR_TOGETHER_MS = 500;

/** An upload under way. `done` settles when it has ended, and never fails. */
interface Running {
  /** The most bytes of one request. */
  readonly bytes: number;
  readonly cancel: CancelSource;
  readonly done: Promise<void>;
}

/**
 * Decides which photos are sent and when. First it checks which of them the service already has. Then it runs as
 * many uploads at once as allowed, notes in the queue how each has ended, and has uploaded photos deleted.
 */
export class UploadScheduler {
  /** Finds duplicates and earlier versions. */
  readonly duplicates: DuplicateCheck;
  readonly batches = new UploadedBatches();
  readonly versions: NewVersions;
  /** Whether photos wait for space at the service. */
  readonly space: SpaceWait;
  private readonly running = new Map<string, Running>();
  private readonly chunkLimit = new ChunkLimit();
  /** Photos being removed: when their uploads end, they do not return to the waiting ones. */
  private readonly leaving = new Set<string>();
  /** How many removals wait for uploads to stop. Until then no upload may begin: it might be of one of these photos. */
  private stopping = 0;
  /** Posters on their way; they end with the uploads. */
  private posters = new CancelSource();
  /** How many uploads in a row met a session or storage error. */
  private troubles = 0;
  private isHeld = false;
  private stopHoldTimer = (): void => undefined;
  private stopClearTimer: (() => void) | null = null;
  /** Kept only while the timer for deleting runs. */
  private lastOwnership: Promise<boolean> | null = null;

  constructor(private readonly options: UploadSchedulerOptions) {
    this.versions = new NewVersions(options);
    this.space = new SpaceWait({
      ...options,
      start: () => {
        this.startUploads();
      },
    });
    this.space.state.subscribe(({ kind }) => {
      if (kind === 'closed' && options.queue.noSpace !== null) {
        void options.photoStore.track(() => options.queue.forgetNoSpace());
      }
    });
    this.duplicates = new DuplicateCheck({
      ...options,
      canQuery: options.mayUpload,
      onUnique: () => {
        this.startUploads();
      },
    });
  }

  /** Starts what may run. Call whenever sending may have become possible. */
  start(): void {
    this.duplicates.start();
    this.startUploads();
  }

  /** Starts as many uploads as may run. */
  private startUploads(): void {
    const { queue, mayUpload } = this.options;
    if (!this.hasPlace(1)) {
      return;
    }
    const mayBegin = (): boolean =>
      this.stopping === 0 && !this.isHeld && this.space.mayBegin && mayUpload();
    while (mayBegin() && this.hasPlace(PREPARED_TOGETHER)) {
      const item = queue.takeNext();
      if (!item) {
        return;
      }
      this.startUpload(item);
    }
  }

  /** Whether one more photo, of any size, may begin. @param prepared  how many small ones may wait for their turn to be sent */
  private hasPlace(prepared: number): boolean {
    const { spool, chunkBytes, concurrency, smallConcurrency } = this.options;
    let bytes = chunkBytes;
    for (const running of this.running.values()) {
      bytes += running.bytes;
    }
    const isSmall = bytes <= concurrency * chunkBytes;
    // Where it costs no memory, photos are prepared, so that the queue never waits for the disk.
    const spare = spool.isStreamed ? (isSmall ? prepared : 1) : 0;
    return this.running.size < (isSmall ? smallConcurrency : concurrency) + spare;
  }

  /** Stops all uploads and questions where they are; the photos wait again. */
  interrupt(): void {
    this.duplicates.stop();
    this.posters.cancel();
    this.posters = new CancelSource();
    for (const { cancel } of this.running.values()) {
      cancel.cancel();
    }
  }

  /**
   * Stops the uploads of photos that leave the list.
   * @param remove  called when none of these uploads runs any more; must take the photos off the list before its first
   *   `await`
   */
  async cancelAndRemove(ids: readonly string[], remove: () => Promise<void>): Promise<void> {
    this.stopping += 1;
    for (const id of ids) {
      this.leaving.add(id);
      this.running.get(id)?.cancel.cancel();
    }
    for (const id of ids) {
      await this.running.get(id)?.done;
    }
    this.stopping -= 1;
    const removed = remove();
    this.duplicates.dropAnswered();
    for (const id of ids) {
      this.leaving.delete(id);
    }
    this.startUploads();
    await removed;
  }

  /** Ends a delay after a session or storage error. */
  endHold(): void {
    this.isHeld = false;
    this.stopHoldTimer();
  }

  private startUpload(item: UploadItem): void {
    const { id, size } = item.record;
    const cancel = new CancelSource();
    const isTry = this.space.begin(id);
    const done = this.upload(item, cancel, isTry)
      .catch((thrown: unknown) => this.endInTrouble(id, thrown))
      .finally(() => {
        this.running.delete(id);
        this.space.leave(id);
        this.startUploads();
        if (this.options.queue.isIdle) {
          this.batches.end();
        }
      });
    this.running.set(id, { bytes: Math.min(size, this.options.chunkBytes), cancel, done });
  }

  /** @param isTry  whether there may be no space for it */
  private async upload(item: UploadItem, cancel: CancelSource, isTry: boolean): Promise<void> {
    const { queue, photoStore, requests, capabilities, spool } = this.options;
    const { endpoint, chunkBytes, clock, random } = this.options;
    const { id } = item.record;
    const reader = lazyReader(spool, id);
    const poster = readPoster(this.options, item.record);
    const posterSignal = this.posters.signal;
    let receipt: UploadReceipt;
    let knownBytes = Infinity;
    try {
      receipt = await uploadPhoto({
        queue: requests,
        capabilities,
        endpoint,
        record: item.record,
        reader,
        chunkBytes: spool.isStreamed ? STREAMED_CHUNK_BYTES : chunkBytes,
        // A refused try then costs the network next to nothing.
        firstChunkBytes: isTry ? 0 : chunkBytes,
        chunkLimit: this.chunkLimit,
        clock,
        random,
        signal: cancel.signal,
        checkStillOwner: async () => {
          if (!(await this.ownsStorage())) {
            throw storageTakenOverError();
          }
        },
        onProgress: (sent, confirmed) => {
          queue.progress(id, sent, confirmed);
          // The first report of a resumed upload is what the service has already.
          if (confirmed > knownBytes) {
            this.space.accept(id);
          }
          knownBytes = confirmed;
        },
        onUploadUrl: (url) => {
          const stored = queue.setUploadUrl(id, url);
          void photoStore.track(() => stored);
          return stored;
        },
        onBegin: async () => {
          // If another instance owns the list, the manager interrupts this upload.
          await photoStore.track(() => queue.begin(id));
        },
        onRestart: () => photoStore.track(() => queue.startOver(id)),
      });
    } finally {
      await reader.close();
    }
    this.troubles = 0;
    this.space.accept(id);
    void sendPoster(this.options, receipt, poster, posterSignal);
    // Before the queue changes: the photo's record and copy are still in storage.
    this.options.history?.add(queue.get(id)?.record ?? item.record, receipt);
    this.batches.add(item.record, receipt.uploadId);
    this.versions.add(queue.get(id)?.record ?? item.record, receipt);
    queue.finish(id);
    this.onUploaded();
  }

  private async endInTrouble(id: string, thrown: unknown): Promise<void> {
    const { queue, photoStore, onFailure } = this.options;
    if (this.leaving.has(id)) {
      return;
    }
    if (thrown instanceof CancelledError) {
      queue.putBack(id);
      return;
    }
    const error = toCwError(thrown, 'CW-901', 'an upload failed in an unknown way');
    const noSpace = noSpaceCode(error.code);
    if (isStorageTakenOver(error)) {
      queue.putBack(id);
      photoStore.report(error);
    } else if (isAboutSession(error)) {
      queue.putBack(id);
      this.hold();
    } else if (isProjectRefused(error, queue.get(id)?.record)) {
      queue.refuseProject(id);
    } else if (noSpace !== null) {
      if (this.space.refuse(id, error)) {
        if (queue.noSpace !== noSpace) {
          void photoStore.track(() => queue.noteNoSpace(id, noSpace));
        }
        // Last, so that smaller photos that fit do not wait for it.
        queue.putLast(id);
      } else {
        queue.putBack(id);
      }
    } else if (isAboutStorage(error)) {
      onFailure?.(error);
      // Last, so that a copy that stays locked does not keep the other photos waiting.
      queue.putLast(id);
      photoStore.report(error);
      this.hold();
    } else {
      onFailure?.(error);
      await photoStore.track(() => queue.fail(id, error.code));
    }
  }

  /** After a session or storage error: no upload begins until the delay is over; the delays grow. */
  private hold(): void {
    const { clock, random, onHoldOver } = this.options;
    this.troubles += 1;
    this.isHeld = true;
    this.stopHoldTimer();
    const delayMs = backoffDelay(BACKOFF, this.troubles, random());
    this.stopHoldTimer = clock.startTimer(delayMs, onHoldOver);
  }

  /**
   * Whether no other instance of the plugin has taken the list over. A storage error does not stop the uploads.
   *
   * Storage is read only once per batch of uploaded photos: for small photos, a read for each would cost more than the
   * upload.
   */
  private ownsStorage(): Promise<boolean> {
    const answer = this.lastOwnership ?? this.options.records.isOwner().catch(() => true);
    if (this.stopClearTimer) {
      this.lastOwnership = answer;
    }
    return answer;
  }

  /** Schedules the deletion of an uploaded photo. The last one is deleted at once, others soon, several together. */
  private onUploaded(): void {
    const { queue, clock } = this.options;
    const { waiting, uploading } = queue.summary.get();
    if (waiting + uploading === 0) {
      this.clearUploaded();
    } else {
      this.stopClearTimer ??= clock.startTimer(CLEAR_TOGETHER_MS, () => {
        this.clearUploaded();
      });
    }
  }

  /** Deletes in the background, so that the network stays busy. */
  private clearUploaded(): void {
    const { photoStore } = this.options;
    this.stopClearTimer?.();
    this.stopClearTimer = null;
    this.lastOwnership = null;
    void photoStore.track(() => photoStore.clearUploaded());
  }
}

/** Whether the session lacks the scope to upload to a project. The photo itself is as welcome as before. */
function isProjectRefused({ code, oauthError }: CwError, record: PhotoRecord | undefined): boolean {
  const isCreation = record?.uploadUrl === null && record.project !== null;
  return isCreation && code === 'CW-203' && oauthError === 'insufficient_scope';
}

/**
 * A reader that opens a photo's copy only when its first byte is needed: an upload that turns out to be complete at the
 * service already needs none.
 */
function lazyReader(spool: Spool, id: string): SpoolReader {
  let opening: Promise<SpoolReader> | null = null;
  const opened = (): Promise<SpoolReader> => (opening ??= spool.open(id));
  return {
    async read(start, end) {
      return (await opened()).read(start, end);
    },
    async *chunks(start, end) {
      yield* (await opened()).chunks(start, end);
    },
    async close() {
      const reader = await opening?.catch(() => null);
      await reader?.close();
    },
  };
}
