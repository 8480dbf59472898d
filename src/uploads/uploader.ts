import type { RequestQueue } from '../api/request-queue.js';
import { backoffDelay } from '../base/backoff.js';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../base/cancel.js';
import type { Clock } from '../base/clock.js';
import { CwError, toCwError, type ErrorCode } from '../base/errors.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { PhotoSource, RecordStore, Spool } from '../host/host.js';
import { AccountQuestion } from './account-question.js';
import { Intake, type IntakeOptions, type IntakeState } from './intake.js';
import { readWhenNeeded } from './lazy-reader.js';
import type { Removal } from './removals.js';
import { terminateUpload, uploadPhoto } from './tus-upload.js';
import type { UploadItem, UploadList } from './upload-list.js';

export type { RefusedPhoto } from './intake.js';

export interface UploaderOptions extends Pick<IntakeOptions, 'doubtAbout'> {
  readonly list: UploadList;
  readonly queue: RequestQueue;
  readonly records: RecordStore;
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
  /** Told why an upload failed, with all that is known of it; the list keeps the code alone. */
  readonly onFailure?: (error: CwError) => void;
}

export interface UploaderState extends IntakeState {
  readonly paused: boolean;
  /** Why the list cannot be kept at the moment, if it cannot. */
  readonly storageError: CwError | null;
  /**
   * After an explicit Disconnect with photos waiting, the next Connect asks whether they should go to
   * the account now connected; nothing is uploaded until `answerQuestion`. Null when nothing is asked.
   */
  readonly question: { readonly photos: number } | null;
  /** Whether photos are held until such a question is answered: what waits is not sent as soon as one is connected. */
  readonly willAsk: boolean;
  /** The newest removal, as long as it can be undone; null when there is none. */
  readonly removal: { readonly photos: number } | null;
  /** Why the open document could not be exported the last time, if it could not. */
  readonly documentError: CwError | null;
}

const BACKOFF = { firstMs: 2_000, longestMs: 60_000 };
/** Ends of the session, or storage trouble of it: nothing is wrong with the photo. */
const SESSION_CODES: ReadonlySet<string> = new Set(['CW-201', 'CW-202', 'CW-701']);
/** Bytes in one request where they cost no memory: so many that a far service's answers cost no time either. */
const STREAMED_CHUNK_BYTES = 256 * 1024 * 1024;
/** Photos that arrive within this time are cleared away in one step, which costs as much as one does. Milliseconds. */
const CLEAR_TOGETHER_MS = 500;
/** Another copy of the plugin keeps the list now. */
const SUPERSEDED = 'CW-704';
/** Owner of photos that were refused to the account connected. */
const NOBODY = -1;

/** Keeps the list moving: starts uploads while there is a session, and deals with how they end. */
export class Uploader {
  private readonly store: Store<UploaderState>;
  private readonly intake: Intake;
  private readonly question: AccountQuestion;
  private readonly active = new Map<string, { cancel: CancelSource; done: Promise<void> }>();
  /** Photos being taken off the list: an upload of theirs that ends must not begin again. */
  private readonly removing = new Set<string>();
  private restoring: Promise<void> = Promise.resolve();
  private clearTimer: (() => void) | null = null;
  /** Whether the list is this copy's, as last answered; known only while `clearTimer` runs. */
  private ours: Promise<boolean> | null = null;
  private isLoading = false;
  private troubles = 0;
  /** Counts the times somebody else may have been connected next: photos removed before the last one were perhaps another's. */
  private account = 0;
  /** Photos with smaller positions were on the list before this account was connected. */
  private earlierEnd = 0;
  /** Removals that wait for uploads to stop: none may begin meanwhile, it might be one of theirs. */
  private stopping = 0;
  private shownRemoval: Removal | null = null;
  private held = false;
  /** What an earlier run left is to be asked about, once it is known. */
  private mustAsk = false;
  /** The session ended since the last one began: the next may be another account's. */
  private sessionEnded = false;
  private stopTimer = (): void => undefined;

  readonly state: ReadableStore<UploaderState>;

  constructor(private readonly options: UploaderOptions) {
    this.intake = new Intake({
      ...options,
      listeners: {
        onQueued: () => {
          this.showRemoval();
          this.pump();
        },
        onRefused: (error) => {
          this.showRemoval();
          if (error.code === SUPERSEDED) this.giveUpList(error);
        },
      },
    });
    this.question = new AccountQuestion(options.records);
    this.store = new Store<UploaderState>({
      paused: false,
      storageError: null,
      question: null,
      willAsk: false,
      removal: null,
      documentError: null,
      ...this.intake.state.get(),
    });
    this.state = this.store;
    this.intake.state.subscribe((state) => {
      this.set(state);
    });
  }

  /** Brings back what an earlier run left to do. Trouble with storage is shown, not thrown. */
  async restore(): Promise<void> {
    const { list } = this.options;
    this.isLoading = true;
    this.restoring = this.keeping(async () => {
      // Photos that were asked about and removed leave their positions free: new ones must not get them.
      list.continueAt(this.question.restore(await list.load()));
    });
    // New photos come after those of earlier runs.
    this.intake.waitFor(this.restoring);
    await this.restoring;
    this.set({});
    await this.askAboutLeft();
    this.isLoading = false;
    await this.consider();
    this.pump();
    // What they take up is only disk space: nothing waits for it, and the next start tries again.
    await list.clearRemoved().catch(() => undefined);
    this.dropAbandoned();
    await list.clearLeftovers().catch(() => undefined);
  }

  /** Makes photos safe one by one, and uploads them. One that cannot be queued does not stop the others. */
  async addPhotos(photos: readonly PhotoSource[]): Promise<void> {
    await this.intake.add(photos, true);
  }

  /** Stops making picked photos safe; those in the list already stay. */
  cancelAdding(): void {
    this.intake.cancel();
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
    await this.intake.add([photo], false);
  }

  /** Starts as many uploads as may run. Call whenever something may have become possible. */
  pump(): void {
    const { list, spool, concurrency, isConnected } = this.options;
    // Where it costs no memory one photo more is got ready, so that the queue never waits for the disk.
    const most = concurrency + (spool.isStreamed ? 1 : 0);
    while (this.mayUpload() && isConnected() && this.active.size < most) {
      const item = list.takeNext();
      if (!item) return;
      this.begin(item);
    }
  }

  /** There is a session, perhaps a new one: ends a wait for one in trouble, and asks what is to be asked. */
  release(): void {
    this.endHold();
    if (this.sessionEnded) {
      this.sessionEnded = false;
      this.options.list.forgetArrived();
    }
    void this.consider();
    this.pump();
    this.dropAbandoned();
  }

  /** Stops all uploads where they are. */
  pause(): void {
    this.set({ paused: true });
    this.interrupt();
  }

  resume(): void {
    this.set({ paused: false });
    this.endHold();
    this.options.queue.retryNow();
    this.pump();
  }

  /** Interrupts what is under way without pausing: the session has ended. */
  stopAll(): void {
    this.sessionEnded = true;
    this.set({ question: null });
    this.interrupt();
  }

  /**
   * Nobody is connected, and no session is known that only has to be renewed: whoever connects next may be somebody
   * else. What waits is asked about then, also if nobody chose Disconnect: secure storage may have lost the sign-in.
   */
  async signedOut(): Promise<void> {
    this.stopAll();
    this.noteOtherAccount();
    this.mustAsk = true;
    if (!this.isLoading) await this.askAboutLeft();
  }

  /** The person is about to disconnect: photos that have not arrived must not go to another account unasked. */
  async beforeDisconnect(): Promise<void> {
    await this.restoring;
    this.noteOtherAccount();
    const { adding, storageError } = this.state.get();
    if (!this.options.list.hasUnsent && adding === null && storageError === null) return;
    await this.holdForQuestion();
  }

  /** Answers `question`: sends the waiting photos to the account now connected, or takes them off the list. */
  async answerQuestion(send: boolean): Promise<void> {
    if (!this.question.isOpen) return;
    const { list } = this.options;
    this.set({ question: null });
    if (!send) await this.takeOff(list.unsentBefore(this.question.end), NOBODY);
    await this.closeQuestion();
    this.pump();
  }

  async retry(id: string): Promise<void> {
    await this.changeAndPump(this.options.list.retry(id));
  }

  /** Tries all photos again that failed for this reason. */
  async retryFailed(failure: ErrorCode): Promise<void> {
    await this.changeAndPump(this.options.list.retryFailed(failure));
  }

  /** Makes a photo the first of those waiting; one that failed is tried again. */
  async makeNext(id: string): Promise<void> {
    await this.changeAndPump(this.options.list.makeNext(id));
  }

  /** Takes a photo off the list. What the service holds of it is dropped when this cannot be undone any more. */
  async remove(id: string): Promise<void> {
    await this.takeOff([id]);
  }

  /** Takes all photos off the list that are on it now. */
  async removeAll(): Promise<void> {
    await this.takeOff(this.options.list.all);
    await this.clearArrived();
  }

  /** Takes all photos off the list that failed for this reason. */
  async removeFailed(failure: ErrorCode): Promise<void> {
    await this.takeOff(this.options.list.failedFor(failure));
  }

  /** Takes those that arrived out of sight. */
  async clearArrived(): Promise<void> {
    await this.keeping(() => this.options.list.clearArrived());
  }

  /** Puts the photos of the newest removal back. Those of another account are asked about before they are sent. */
  async undoRemoval(): Promise<void> {
    const { list } = this.options;
    const removal = list.newestRemoval;
    if (!removal) return;
    await this.keeping(async () => {
      if (removal.owner !== this.account && !this.question.isOpen) {
        this.interrupt();
        await this.question.askBefore(this.earlierEnd);
      }
      await list.undoRemoval();
    });
    this.showRemoval();
    await this.consider();
    this.pump();
  }

  /** Puts away what could not be queued or exported. */
  dismissRefused(): void {
    this.intake.dismissRefused();
    this.set({ documentError: null });
  }

  private mayUpload(): boolean {
    const { paused, storageError } = this.store.get();
    const isOurs = storageError?.code !== SUPERSEDED;
    const isFree = this.stopping === 0 && !this.held && !this.isLoading && !this.question.isOpen;
    return isOurs && isFree && !paused;
  }

  /** Asks about photos of an earlier account, if there are any and an account is connected. */
  private async consider(): Promise<void> {
    const { list, isConnected } = this.options;
    await this.restoring;
    if (!this.question.isOpen || !isConnected()) return;
    const limiting = this.keeping(() => this.question.limitTo(list.endPosition));
    this.earlierEnd = this.question.end;
    const photos = list.unsentBefore(this.question.end).length;
    if (photos > 0) {
      this.set({ question: { photos } });
      await limiting;
    } else {
      this.set({ question: null });
      await limiting;
      await this.closeQuestion();
      this.pump();
    }
  }

  /** Whoever is connected next may be somebody else: what was removed before is not theirs unasked. */
  private noteOtherAccount(): void {
    this.account += 1;
    this.earlierEnd = this.options.list.endPosition;
  }

  private async askAboutLeft(): Promise<void> {
    const isDue = this.mustAsk && this.options.list.hasUnsent && !this.question.isOpen;
    this.mustAsk = false;
    if (isDue) await this.holdForQuestion();
  }

  private async holdForQuestion(): Promise<void> {
    const asking = this.keeping(() => this.question.ask());
    this.set({ question: null });
    await asking;
  }

  private async closeQuestion(): Promise<void> {
    const closing = this.keeping(() => this.question.close());
    this.set({});
    await closing;
  }

  /** Stops the uploads of photos, then takes them off the list. */
  private async takeOff(ids: readonly string[], owner = this.account): Promise<void> {
    const { list } = this.options;
    this.stopping += 1;
    for (const id of ids) {
      this.removing.add(id);
      this.active.get(id)?.cancel.cancel();
    }
    for (const id of ids) await this.active.get(id)?.done;
    this.stopping -= 1;
    const removed = this.keeping(() => list.remove(ids, owner));
    for (const id of ids) this.removing.delete(id);
    this.showRemoval();
    this.pump();
    await removed;
    this.dropAbandoned();
    if (this.state.get().question) await this.consider();
  }

  private showRemoval(): void {
    const removal = this.options.list.newestRemoval;
    if (removal === this.shownRemoval) return;
    this.shownRemoval = removal;
    this.set({ removal: removal && { photos: removal.items.length } });
  }

  /** Spares the service the wait until it ends abandoned uploads itself: nothing here waits for that. */
  private dropAbandoned(): void {
    const { list, queue, endpoint, isConnected } = this.options;
    if (!isConnected()) return;
    void (async () => {
      for (const address of list.takeAbandoned())
        await terminateUpload(queue, endpoint, address, NEVER_CANCELLED).catch(() => undefined);
    })();
  }

  private interrupt(): void {
    for (const { cancel } of this.active.values()) cancel.cancel();
  }

  /** @param change  under way; what it does to the list in memory is done already */
  private async changeAndPump(change: Promise<void>): Promise<void> {
    this.pump();
    await this.keeping(() => change);
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
    const { list, queue, spool, records, endpoint, chunkBytes, clock, random } = this.options;
    const { id } = item.record;
    const reader = readWhenNeeded(spool, id);
    try {
      await uploadPhoto({
        queue,
        endpoint,
        record: item.record,
        reader,
        chunkBytes: spool.isStreamed ? STREAMED_CHUNK_BYTES : chunkBytes,
        firstChunkBytes: chunkBytes,
        clock,
        random,
        signal: cancel.signal,
        mayGoOn: async () => {
          // Storage that cannot say is no reason to stop.
          const ours = this.ours ?? records.isOurs().catch(() => true);
          // While photos arrive in quick succession, one answer serves all that begin within a moment.
          if (this.clearTimer) this.ours = ours;
          if (!(await ours))
            throw new CwError(SUPERSEDED, 'another copy of the plugin uploads the photos now');
        },
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
    list.finish(id);
    const { waiting, uploading } = list.summary.get();
    if (waiting + uploading === 0) this.clearFinished();
    else
      this.clearTimer ??= clock.startTimer(CLEAR_TOGETHER_MS, () => {
        this.clearFinished();
      });
  }

  /** Clears away what has arrived. Nothing waits for it: the network must not be idle meanwhile. */
  private clearFinished(): void {
    this.clearTimer?.();
    this.clearTimer = null;
    this.ours = null;
    void this.keeping(() => this.options.list.clearFinished());
  }

  private async deal(id: string, thrown: unknown): Promise<void> {
    const { list } = this.options;
    if (this.removing.has(id)) return;
    if (thrown instanceof CancelledError) {
      list.putBack(id);
      return;
    }
    const error = toCwError(thrown, 'CW-901', 'an upload failed in an unknown way');
    if (error.code === SUPERSEDED) {
      list.putBack(id);
      this.giveUpList(error);
    } else if (SESSION_CODES.has(error.code)) {
      list.putBack(id);
      this.holdBack();
    } else {
      this.options.onFailure?.(error);
      await this.keeping(() => list.fail(id, error.code));
    }
  }

  private endHold(): void {
    this.held = false;
    this.stopTimer();
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

  /** Another copy of the plugin has the list: this one must touch nothing of it any more. */
  private giveUpList(error: CwError): void {
    this.set({ storageError: error, question: null });
    this.intake.cancel();
    this.interrupt();
  }

  /** Runs a change of the durable list; its failure is shown, and does not stop anything else. */
  private async keeping(change: () => Promise<void>): Promise<void> {
    try {
      await change();
      const shown = this.store.get().storageError;
      if (shown && shown.code !== SUPERSEDED) this.set({ storageError: null });
    } catch (thrown) {
      const error = toCwError(thrown, 'CW-702', 'the upload list could not be written');
      if (error.code === SUPERSEDED) this.giveUpList(error);
      else this.set({ storageError: error });
    }
  }

  private set(change: Partial<UploaderState>): void {
    this.store.set({ ...this.store.get(), ...change, willAsk: this.question.isOpen });
  }
}
