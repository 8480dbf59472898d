import type { RequestQueue } from '../api/request-queue.js';
import { backoffDelay } from '../base/backoff.js';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { toCwError, type CwError } from '../base/errors.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { PhotoSource, Spool } from '../host/host.js';
import { terminateUpload, uploadPhoto } from './tus-upload.js';
import type { UploadItem, UploadList } from './upload-list.js';

export interface UploaderOptions {
  readonly list: UploadList;
  readonly queue: RequestQueue;
  readonly spool: Spool;
  readonly clock: Clock;
  readonly random: () => number;
  /** Address of the upload collection. */
  readonly endpoint: string;
  readonly chunkBytes: number;
  /** Photos uploaded at once. */
  readonly concurrency: number;
  /** Whether there is a session to upload with. */
  readonly isConnected: () => boolean;
}

export interface UploaderState {
  readonly paused: boolean;
  /** Photos being made safe after they were picked; null when none are. */
  readonly adding: { readonly done: number; readonly total: number } | null;
  /** Photos that could not be queued, the newest last. */
  readonly refused: readonly RefusedPhoto[];
  /** Why the list cannot be kept at the moment, if it cannot. */
  readonly storageError: CwError | null;
  /**
   * After an explicit Disconnect with photos waiting, the next Connect asks whether they should go to
   * the account now connected; nothing is uploaded until `answerQuestion`. Null when nothing is asked.
   */
  readonly question: { readonly photos: number } | null;
  /** Why the open document could not be exported the last time, if it could not. */
  readonly documentError: CwError | null;
}

export interface RefusedPhoto {
  readonly name: string;
  readonly error: CwError;
}

const BACKOFF = { firstMs: 2_000, longestMs: 60_000 };
const MOST_REFUSED_SHOWN = 20;
/** Ends of the session, or storage trouble of it: nothing is wrong with the photo. */
const SESSION_CODES: ReadonlySet<string> = new Set(['CW-201', 'CW-202', 'CW-701']);

/** Keeps the list moving: starts uploads while there is a session, and deals with how they end. */
export class Uploader {
  private readonly store = new Store<UploaderState>({
    paused: false,
    adding: null,
    refused: [],
    storageError: null,
    question: null,
    documentError: null,
  });
  private readonly active = new Map<string, { cancel: CancelSource; done: Promise<void> }>();
  /** Photos being taken off the list: an upload of theirs that ends must not begin again. */
  private readonly removing = new Set<string>();
  private addingCancelled = new CancelSource();
  private troubles = 0;
  private held = false;
  private stopTimer = (): void => undefined;

  readonly state: ReadableStore<UploaderState> = this.store;

  constructor(private readonly options: UploaderOptions) {}

  /** Brings back what an earlier run left to do. Trouble with storage is shown, not thrown. */
  async restore(): Promise<void> {
    await this.keeping(() => this.options.list.load());
    this.pump();
  }

  /** Makes photos safe one by one, and uploads them. One that cannot be queued does not stop the others. */
  async addPhotos(photos: readonly PhotoSource[]): Promise<void> {
    if (photos.length === 0) return;
    const { list } = this.options;
    this.growAdding(photos.length);
    const { signal } = this.addingCancelled;
    for (const photo of photos) {
      if (signal.cancelled) return;
      try {
        await list.enqueue(photo);
        this.pump();
      } catch (thrown) {
        const error = toCwError(thrown, 'CW-901', 'a photo could not be queued');
        const refused = [...this.store.get().refused, { name: photo.name, error }];
        this.set({ refused: refused.slice(-MOST_REFUSED_SHOWN) });
      }
      if (!signal.cancelled) this.countAdded();
    }
  }

  /** Starts as many uploads as may run. Call whenever something may have become possible. */
  pump(): void {
    const { list, concurrency, isConnected } = this.options;
    while (
      !this.store.get().paused &&
      isConnected() &&
      this.active.size < concurrency &&
      !this.held
    ) {
      const item = list.takeNext();
      if (!item) return;
      this.begin(item);
    }
  }

  /** Ends a wait for a session in trouble: there is a new one. */
  release(): void {
    this.held = false;
    this.stopTimer();
    this.pump();
  }

  /** Stops all uploads where they are. */
  pause(): void {
    this.set({ paused: true });
    this.stopAll();
  }

  resume(): void {
    this.set({ paused: false });
    this.options.queue.retryNow();
    this.pump();
  }

  /** Interrupts what is under way without pausing: the session has ended. */
  stopAll(): void {
    for (const { cancel } of this.active.values()) cancel.cancel();
  }

  async retry(id: string): Promise<void> {
    await this.keeping(() => this.options.list.retry(id));
    this.pump();
  }

  async retryAllFailed(): Promise<void> {
    await this.keeping(() => this.options.list.retryAll());
    this.pump();
  }

  /** Takes a photo off the list, and its unfinished upload back at the service if it has one. */
  async remove(id: string): Promise<void> {
    const { list, queue, endpoint } = this.options;
    this.removing.add(id);
    const running = this.active.get(id);
    running?.cancel.cancel();
    await running?.done;
    const item = list.get(id);
    if (item) await this.keeping(() => list.remove(id));
    this.removing.delete(id);
    if (!item) return;
    const { uploadUrl } = item.record;
    if (uploadUrl !== null && item.phase !== 'uploaded') {
      // The service ends abandoned uploads itself; this only spares it the wait.
      await terminateUpload(queue, endpoint, uploadUrl, NEVER_CANCELLED).catch(() => undefined);
    }
  }

  /** Makes a photo the first of those waiting; one that failed is tried again. */
  async makeNext(id: string): Promise<void> {
    await this.keeping(() => this.options.list.makeNext(id));
    this.pump();
  }

  /** Stops making picked photos safe; those in the list already stay. */
  cancelAdding(): void {
    this.addingCancelled.cancel();
    this.addingCancelled = new CancelSource();
    this.set({ adding: null });
  }

  /** Queues a copy of the app's open document. Why it did not work stands in `documentError`. */
  async addDocument(exportDocument: () => Promise<PhotoSource>): Promise<void> {
    this.set({ documentError: null });
    let photo: PhotoSource;
    try {
      photo = await exportDocument();
    } catch (thrown) {
      const error = toCwError(thrown, 'CW-805', 'the document was not exported');
      this.set({ documentError: error });
      return;
    }
    await this.addPhotos([photo]);
  }

  /** Answers `question`. */
  async answerQuestion(_send: boolean): Promise<void> {
    await Promise.resolve();
    this.set({ question: null });
    this.pump();
  }

  dismissRefused(): void {
    this.set({ refused: [], documentError: null });
  }

  private begin(item: UploadItem): void {
    const { id } = item.record;
    const cancel = new CancelSource();
    const done = this.upload(item, cancel)
      .catch((thrown: unknown) => this.deal(id, thrown))
      .finally(() => {
        this.active.delete(id);
        this.pump();
      });
    this.active.set(id, { cancel, done });
  }

  private async upload(item: UploadItem, cancel: CancelSource): Promise<void> {
    const { list, queue, spool, endpoint, chunkBytes, clock, random } = this.options;
    const { id } = item.record;
    const reader = await spool.open(id);
    try {
      await uploadPhoto({
        queue,
        endpoint,
        record: item.record,
        reader,
        chunkBytes,
        clock,
        random,
        signal: cancel.signal,
        onProgress: (sent, confirmed) => {
          list.progress(id, sent, confirmed);
        },
        onUploadUrl: (url) => {
          void this.keeping(() => list.setUploadUrl(id, url));
        },
      });
    } finally {
      await reader.close();
    }
    this.troubles = 0;
    await this.keeping(() => list.finish(id));
  }

  private async deal(id: string, thrown: unknown): Promise<void> {
    const { list } = this.options;
    if (this.removing.has(id)) return;
    if (thrown instanceof CancelledError) {
      list.putBack(id);
      return;
    }
    const error = toCwError(thrown, 'CW-901', 'an upload failed in an unknown way');
    if (SESSION_CODES.has(error.code)) {
      list.putBack(id);
      this.holdBack();
      return;
    }
    await this.keeping(() => list.fail(id, error.code));
  }

  /** A session in trouble is asked again later, with growing waits. */
  private holdBack(): void {
    const { clock, random } = this.options;
    this.troubles += 1;
    this.held = true;
    this.stopTimer();
    this.stopTimer = clock.startTimer(backoffDelay(BACKOFF, this.troubles, random()), () => {
      this.release();
    });
  }

  /** Runs a change of the durable list; its failure is shown, and does not stop anything else. */
  private async keeping(change: () => Promise<void>): Promise<void> {
    try {
      await change();
      if (this.store.get().storageError) this.set({ storageError: null });
    } catch (thrown) {
      this.set({
        storageError: toCwError(thrown, 'CW-702', 'the upload list could not be written'),
      });
    }
  }

  private growAdding(count: number): void {
    const adding = this.store.get().adding ?? { done: 0, total: 0 };
    this.set({ adding: { ...adding, total: adding.total + count } });
  }

  private countAdded(): void {
    const { adding } = this.store.get();
    if (!adding) return;
    const next = { ...adding, done: adding.done + 1 };
    this.set({ adding: next.done >= next.total ? null : next });
  }

  private set(change: Partial<UploaderState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}
