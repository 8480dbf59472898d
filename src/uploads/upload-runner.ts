import type { RequestQueue } from '../api/request-queue.js';
import type { CapabilitySource } from '../api/service-question.js';
import { backoffDelay } from '../base/backoff.js';
import { CancelledError, CancelSource } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { isAboutSession, isAboutStorage, toCwError, type CwError } from '../base/errors.js';
import { isSuperseded, supersededError } from '../base/superseded.js';
import type { Spool } from '../host/host.js';
import { ChunkLimit } from './chunk-limit.js';
import type { Clearing } from './clearing.js';
import type { Delivery } from './delivery.js';
import { readWhenNeeded } from './lazy-reader.js';
import type { ListHealth } from './list-health.js';
import type { PhotoRecord } from './photo-record.js';
import { uploadPhoto } from './tus-upload.js';
import type { UploadItem } from './upload-item.js';
import type { UploadList } from './upload-list.js';

export interface UploadRunnerOptions {
  readonly list: UploadList;
  readonly queue: RequestQueue;
  readonly capabilities: CapabilitySource;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly random: () => number;
  /** Address of the upload collection. */
  readonly endpoint: string;
  /** Bytes in one request. */
  readonly chunkBytes: number;
  /** How many photos are uploaded at once. */
  readonly concurrency: number;
  readonly health: ListHealth;
  readonly clearing: Clearing;
  /** Whether an upload may begin now; asked besides the runner's own conditions. */
  readonly mayUpload: () => boolean;
  /** Called when the wait after trouble with the session or with storage is over. */
  readonly onHoldOver: () => void;
  /** Called with the whole error of an upload that failed; the list stores only its code. */
  readonly onFailure?: (error: CwError) => void;
  /** Called for each photo that has arrived, before the list is told: its record and copy are still in storage. */
  readonly onDelivered?: (record: PhotoRecord, delivery: Delivery) => void;
}

const BACKOFF = { firstMs: 2_000, longestMs: 60_000 };
/**
 * Bytes in one request where they cost no memory: so many that waiting for the answers of a distant service costs
 * little.
 */
const STREAMED_CHUNK_BYTES = 256 * 1024 * 1024;

/** An upload under way. `done` settles when it has ended, and never fails. */
interface Running {
  readonly cancel: CancelSource;
  readonly done: Promise<void>;
}

/** Runs uploads, as many at once as allowed, and tells the list how each has ended. */
export class UploadRunner {
  private readonly running = new Map<string, Running>();
  private readonly chunkLimit = new ChunkLimit();
  /** Photos being taken off the list: when their uploads end, they do not go back to those waiting. */
  private readonly leaving = new Set<string>();
  /** How many removals wait for uploads to stop. No upload may begin meanwhile: it might be of one of these photos. */
  private stopping = 0;
  /** How many uploads in a row met trouble with the session or with storage. */
  private troubles = 0;
  private isHeld = false;
  private stopTimer = (): void => undefined;

  constructor(private readonly options: UploadRunnerOptions) {}

  /** Starts as many uploads as may run. Call whenever uploading may have become possible. */
  startUploads(): void {
    const { list, spool, concurrency, mayUpload } = this.options;
    // Where it costs no memory, one more photo is prepared, so that the queue never waits for the disk.
    const most = concurrency + (spool.isStreamed ? 1 : 0);
    while (this.stopping === 0 && !this.isHeld && mayUpload() && this.running.size < most) {
      const item = list.takeNext();
      if (!item) {
        return;
      }
      this.start(item);
    }
  }

  /** Stops all uploads where they are; their photos wait again. */
  interrupt(): void {
    for (const { cancel } of this.running.values()) {
      cancel.cancel();
    }
  }

  /**
   * Stops the uploads of photos that leave the list.
   * @param takeOff  called when none of these uploads runs any more; must take the photos off the list before its first
   *   `await`
   */
  async stopAndTakeOff(ids: readonly string[], takeOff: () => Promise<void>): Promise<void> {
    this.stopping += 1;
    for (const id of ids) {
      this.leaving.add(id);
      this.running.get(id)?.cancel.cancel();
    }
    for (const id of ids) {
      await this.running.get(id)?.done;
    }
    this.stopping -= 1;
    const takenOff = takeOff();
    for (const id of ids) {
      this.leaving.delete(id);
    }
    this.startUploads();
    await takenOff;
  }

  /** Ends a wait after trouble with the session or with storage. */
  endHold(): void {
    this.isHeld = false;
    this.stopTimer();
  }

  private start(item: UploadItem): void {
    const { id } = item.record;
    const cancel = new CancelSource();
    const done = this.upload(item, cancel)
      .catch((thrown: unknown) => this.endInTrouble(id, thrown))
      .finally(() => {
        this.running.delete(id);
        this.startUploads();
      });
    this.running.set(id, { cancel, done });
  }

  private async upload(item: UploadItem, cancel: CancelSource): Promise<void> {
    const { list, queue, capabilities, spool, endpoint, chunkBytes, clock, random } = this.options;
    const { health, clearing } = this.options;
    const { id } = item.record;
    const reader = readWhenNeeded(spool, id);
    let delivery: Delivery;
    try {
      delivery = await uploadPhoto({
        queue,
        capabilities,
        endpoint,
        record: item.record,
        reader,
        chunkBytes: spool.isStreamed ? STREAMED_CHUNK_BYTES : chunkBytes,
        firstChunkBytes: chunkBytes,
        chunkLimit: this.chunkLimit,
        clock,
        random,
        signal: cancel.signal,
        mayGoOn: async () => {
          if (!(await clearing.isListOurs())) {
            throw supersededError();
          }
        },
        onProgress: (sent, confirmed) => {
          list.progress(id, sent, confirmed);
        },
        onUploadUrl: (url) => {
          const kept = list.setUploadUrl(id, url);
          void health.watch(() => kept);
          return kept;
        },
        onStartOver: () => health.watch(() => list.startOver(id)),
      });
    } finally {
      await reader.close();
    }
    this.troubles = 0;
    this.options.onDelivered?.(list.get(id)?.record ?? item.record, delivery);
    list.finish(id);
    clearing.photoArrived();
  }

  private async endInTrouble(id: string, thrown: unknown): Promise<void> {
    const { list, health, onFailure } = this.options;
    if (this.leaving.has(id)) {
      return;
    }
    if (thrown instanceof CancelledError) {
      list.putBack(id);
      return;
    }
    const error = toCwError(thrown, 'CW-901', 'an upload failed in an unknown way');
    if (isSuperseded(error)) {
      list.putBack(id);
      health.report(error);
    } else if (isAboutSession(error)) {
      list.putBack(id);
      this.hold();
    } else if (isAboutStorage(error)) {
      onFailure?.(error);
      // Last, so that a copy that stays locked does not keep the other photos waiting.
      list.putLast(id);
      health.report(error);
      this.hold();
    } else {
      onFailure?.(error);
      await health.watch(() => list.fail(id, error.code));
    }
  }

  /** After trouble with the session or with storage: no upload begins for a while; the waits grow. */
  private hold(): void {
    const { clock, random, onHoldOver } = this.options;
    this.troubles += 1;
    this.isHeld = true;
    this.stopTimer();
    this.stopTimer = clock.startTimer(backoffDelay(BACKOFF, this.troubles, random()), onHoldOver);
  }
}
