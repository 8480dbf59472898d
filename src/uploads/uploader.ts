import type { RequestQueue } from '../api/request-queue.js';
import { NEVER_CANCELLED } from '../base/cancel.js';
import { toCwError, type CwError, type ErrorCode } from '../base/errors.js';
import { Store, type ReadableStore } from '../base/store.js';
import { isSuperseded, supersededError } from '../base/superseded.js';
import type { PhotoSource, RecordStore } from '../host/host.js';
import { AccountGuard, type AccountGuardOptions, type AccountGuardState } from './account-guard.js';
import { Clearing } from './clearing.js';
import type { DeliveryHistory } from './delivery-history.js';
import { Intake, type IntakeOptions, type IntakeState } from './intake.js';
import { KnownPhotos } from './known-photos.js';
import { ListHealth } from './list-health.js';
import type { Removal } from './removals.js';
import { terminateUpload } from './tus-upload.js';
import type { UploadList } from './upload-list.js';
import { UploadRunner, type UploadRunnerOptions } from './upload-runner.js';

export interface UploaderOptions
  extends
    Pick<IntakeOptions, 'doubtAbout'>,
    Pick<AccountGuardOptions, 'knownAccount'>,
    Omit<UploadRunnerOptions, 'health' | 'clearing' | 'mayUpload' | 'onHoldOver' | 'onDelivered'> {
  readonly list: UploadList;
  readonly queue: RequestQueue;
  readonly records: RecordStore;
  /** Remembers what has arrived; without it nothing is. */
  readonly history?: DeliveryHistory;
  /** Whether there is a session to upload with. */
  readonly isConnected: () => boolean;
}

export interface UploaderState extends IntakeState, AccountGuardState {
  readonly paused: boolean;
  /** Why the list cannot be kept at the moment, if it cannot. */
  readonly storageError: CwError | null;
  /** The newest removal, as long as it can be undone; null when there is none. */
  readonly removal: { readonly photos: number } | null;
  /** Why the open document could not be exported the last time, if it could not. */
  readonly documentError: CwError | null;
}

/**
 * The uploads as the rest of the plugin sees them: passes on what is asked for, and decides when
 * uploads may run.
 */
export class Uploader {
  private readonly store: Store<UploaderState>;
  private readonly health = new ListHealth();
  private readonly intake: Intake;
  private readonly guard: AccountGuard;
  private readonly runner: UploadRunner;
  /** Asks which photos the service holds already. */
  private readonly known: KnownPhotos;
  private restoring: Promise<void> = Promise.resolve();
  private isLoading = false;
  private shownRemoval: Removal | null = null;
  /** The session ended since the last one began: the next may be another account's. */
  private hasSessionEnded = false;
  /** Another account is about to take the place of the one connected, or nobody knows yet whether it is another. */
  private isChanging = false;
  /** Settles when the exports under way have ended. */
  private exporting: Promise<unknown> = Promise.resolve();

  readonly state: ReadableStore<UploaderState>;

  constructor(private readonly options: UploaderOptions) {
    this.intake = this.createIntake();
    this.guard = new AccountGuard({ ...options, health: this.health });
    this.runner = this.createRunner();
    this.known = this.createKnownPhotos();
    this.store = new Store<UploaderState>({
      paused: false,
      storageError: null,
      removal: null,
      documentError: null,
      ...this.guard.state.get(),
      ...this.intake.state.get(),
    });
    this.state = this.store;
    this.watchParts();
  }

  private createIntake(): Intake {
    const { options, health } = this;
    return new Intake({
      ...options,
      listeners: {
        onQueued: () => {
          this.showRemoval();
          this.startUploads();
        },
        onRefused: (error) => {
          this.showRemoval();
          if (isSuperseded(error)) {
            health.giveUp(error);
          }
        },
      },
    });
  }

  private createRunner(): UploadRunner {
    const { options, health } = this;
    return new UploadRunner({
      ...options,
      health,
      clearing: new Clearing({ ...options, health }),
      mayUpload: () => this.mayUpload(),
      onHoldOver: () => {
        this.release();
      },
      onDelivered: (record, delivery) => {
        options.history?.add(record, delivery);
      },
    });
  }

  private createKnownPhotos(): KnownPhotos {
    const { options, health } = this;
    return new KnownPhotos({
      ...options,
      health,
      mayAsk: () => this.mayUpload(),
      onReleased: () => {
        this.runner.startUploads();
      },
    });
  }

  /** Brings back what an earlier run left to do. Trouble with storage is shown, not thrown. */
  async restore(): Promise<void> {
    const { list, history, knownAccount } = this.options;
    this.isLoading = true;
    this.restoring = this.health.watch(async () => {
      const others = await list.load();
      history?.restore(others);
      knownAccount?.restore?.(others);
      list.continueAt(this.guard.restore(others));
    });
    // New photos come after those of earlier runs.
    this.intake.waitFor(this.restoring);
    await this.restoring;
    this.guard.updateState();
    await this.guard.askAboutLeft();
    this.isLoading = false;
    void this.compareAccount();
    await this.askConnectedAccount();
    this.startUploads();
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
    const adding = this.exportAndAdd(exportDocument);
    this.exporting = Promise.all([this.exporting, adding]);
    await adding;
  }

  private async exportAndAdd(exportDocument: () => Promise<PhotoSource>): Promise<void> {
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

  /** There is a session, perhaps a new one: ends a wait for one in trouble, and asks what is to be asked. */
  release(): void {
    this.runner.endHold();
    if (this.hasSessionEnded) {
      this.hasSessionEnded = false;
      this.options.list.forgetArrived();
    }
    void this.compareAccount();
    void this.askConnectedAccount();
    this.startUploads();
    this.dropAbandoned();
  }

  /** Stops all uploads where they are. */
  pause(): void {
    this.set({ paused: true });
    this.interrupt();
  }

  resume(): void {
    this.set({ paused: false });
    this.runner.endHold();
    this.options.queue.retryNow();
    this.startUploads();
  }

  /** Interrupts what is under way without pausing: the session has ended. */
  stopAll(): void {
    this.hasSessionEnded = true;
    this.guard.noteDisconnected();
    this.guard.hide();
    this.interrupt();
    this.known.reset();
  }

  /**
   * Nobody is connected, and no session is known that only has to be renewed: whoever connects next may be somebody
   * else. What waits is asked about then, also if nobody chose Disconnect: secure storage may have lost the sign-in.
   */
  async signedOut(): Promise<void> {
    this.stopAll();
    this.guard.noteSignedOut();
    if (!this.isLoading) {
      await this.guard.askAboutLeft();
    }
  }

  /** The person is about to disconnect: photos that have not arrived must not go to another account unasked. */
  async beforeDisconnect(): Promise<void> {
    await this.restoring;
    this.guard.expectAnother();
    const { adding, storageError } = this.state.get();
    if (!this.options.list.hasUnsent && adding === null && storageError === null) {
      return;
    }
    await this.guard.ask();
  }

  /**
   * Another account is about to take the place of the one connected. Uploads stop where they are, and nothing of the
   * list goes to it unasked, also after a kill: only when this has settled may the other session be stored.
   * @throws {CwError} when storage does not take that; uploads go on then, and no other session may be stored
   */
  async beforeChange(): Promise<void> {
    this.isChanging = true;
    this.interrupt();
    try {
      await this.restoring;
      if (this.health.isSuperseded) {
        throw supersededError();
      }
      await this.guard.askBeforeChange();
    } catch (thrown) {
      await this.unchanged();
      throw thrown;
    }
  }

  /** No other account has taken the place, or it is the same one: uploads go on as before. */
  async unchanged(): Promise<void> {
    await this.guard.takeBack();
    this.isChanging = false;
    await this.askConnectedAccount();
    this.startUploads();
  }

  /** Another account has taken the place: asks it about what is on the list. */
  async changed(): Promise<void> {
    this.options.list.forgetArrived();
    this.guard.noteDisconnected();
    this.known.reset();
    // What was chosen before belongs to the account before, also if it takes its time to get onto the list.
    await Promise.all([this.intake.settled(), this.exporting]);
    this.isChanging = false;
    this.release();
  }

  /** Answers `question`: sends the waiting photos to the account now connected, or takes them off the list. */
  async answerQuestion(send: boolean): Promise<void> {
    const { guard } = this;
    const { question } = guard;
    if (!guard.isOpen || this.isChanging) {
      return;
    }
    guard.hide();
    if (!send) {
      await this.takeOff(guard.photos);
    }
    if (question !== guard.question) {
      return;
    }
    await guard.close();
    this.startUploads();
  }

  async retry(id: string): Promise<void> {
    await this.changeAndStart(this.options.list.retry(id));
  }

  /** Tries all photos again that failed for this reason. */
  async retryFailed(failure: ErrorCode): Promise<void> {
    await this.changeAndStart(this.options.list.retryFailed(failure));
  }

  /** Makes a photo the first of those waiting; one that failed is tried again. */
  async makeNext(id: string): Promise<void> {
    await this.changeAndStart(this.options.list.makeNext(id));
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
    await this.health.watch(() => this.options.list.clearArrived());
  }

  /** Puts the photos of the newest removal back. Those of another account are asked about before they are sent. */
  async undoRemoval(): Promise<void> {
    const { list } = this.options;
    const removal = list.newestRemoval;
    if (!removal) {
      return;
    }
    await this.health.watch(async () => {
      if (!this.guard.isOwnedByConnected(removal.owner) && !this.guard.isOpen) {
        this.interrupt();
        await this.guard.askAboutEarlier();
      }
      await list.undoRemoval();
    });
    this.showRemoval();
    await this.askConnectedAccount();
    this.startUploads();
  }

  /** Puts away what could not be queued or exported. */
  dismissRefused(): void {
    this.intake.dismissRefused();
    this.set({ documentError: null });
  }

  /** Forgets what has arrived for whoever is connected. */
  async clearHistory(): Promise<void> {
    await this.health.watch(() => this.options.history?.clear() ?? Promise.resolve());
  }

  /** Starts what may run. */
  private startUploads(): void {
    this.known.look();
    this.runner.startUploads();
  }

  /** Stops what runs. */
  private interrupt(): void {
    this.known.stop();
    this.runner.interrupt();
  }

  private mayUpload(): boolean {
    const isFree =
      !this.isLoading && !this.isChanging && !this.guard.holdsUploads && !this.store.get().paused;
    return isFree && !this.health.isSuperseded && this.options.isConnected();
  }

  /** Asks about photos of an earlier account, if there are any and an account is connected. */
  private async askConnectedAccount(): Promise<void> {
    await this.restoring;
    if (!this.guard.isOpen || this.isChanging || !this.options.isConnected()) {
      return;
    }
    if (await this.guard.askConnected()) {
      this.startUploads();
    }
  }

  /** Finds out whether another account is connected than before, if one is, and asks what is to be asked then. */
  private async compareAccount(): Promise<void> {
    if (this.options.isConnected() && (await this.guard.compareAccount(this.restoring))) {
      await this.askConnectedAccount();
      this.startUploads();
    }
  }

  /** Stops the uploads of photos, then takes them off the list. */
  private async takeOff(ids: readonly string[]): Promise<void> {
    const owner = this.guard.ownerOf(ids);
    await this.runner.stopAndTakeOff(ids, () => {
      const removed = this.health.watch(() => this.options.list.remove(ids, owner));
      this.showRemoval();
      return removed;
    });
    this.dropAbandoned();
    if (this.state.get().question) {
      await this.askConnectedAccount();
    }
  }

  private showRemoval(): void {
    const removal = this.options.list.newestRemoval;
    if (removal === this.shownRemoval) {
      return;
    }
    this.shownRemoval = removal;
    this.set({ removal: removal && { photos: removal.items.length } });
  }

  /** Spares the service the wait until it ends abandoned uploads itself: nothing here waits for that. */
  private dropAbandoned(): void {
    const { list, queue, endpoint, isConnected } = this.options;
    if (!isConnected()) {
      return;
    }
    void (async () => {
      for (const address of list.takeAbandoned()) {
        await terminateUpload(queue, endpoint, address, NEVER_CANCELLED).catch(() => undefined);
      }
    })();
  }

  /** @param change  under way; what it does to the list in memory is done already */
  private async changeAndStart(change: Promise<void>): Promise<void> {
    this.startUploads();
    await this.health.watch(() => change);
  }

  private watchParts(): void {
    this.intake.state.subscribe((state) => {
      this.set(state);
    });
    this.guard.state.subscribe((state) => {
      this.set(state);
    });
    this.health.state.subscribe((storageError) => {
      this.set({ storageError });
      if (!this.health.isSuperseded) {
        return;
      }
      this.guard.hide();
      this.intake.cancel();
      this.interrupt();
    });
  }

  private set(change: Partial<UploaderState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}
