import { backoffDelay } from '../base/backoff.js';
import { NEVER_CANCELLED } from '../base/cancel.js';
import type { CwError, ErrorCode } from '../base/errors.js';
import { HurriedWait } from '../base/hurried-wait.js';
import { Store, type ReadableStore } from '../base/store.js';
import { isSuperseded } from '../base/superseded.js';
import type { PhotoSource } from '../host/host.js';
import { AccountGuard, type AccountGuardOptions, type AccountGuardState } from './account-guard.js';
import { Connections } from './connections.js';
import { DocumentIntake } from './document-intake.js';
import { Intake, type IntakeOptions, type IntakeState } from './intake.js';
import { KeptPause } from './kept-pause.js';
import { ListHealth } from './list-health.js';
import { Sending, type SendingOptions } from './sending.js';
import type { FoundPhoto } from './upload-list.js';
import { TakingOff, type ShownRemoval } from './taking-off.js';

/** Waits between tries to read the list. */
const READ_AGAIN = { firstMs: 2_000, longestMs: 60_000 };

export interface UploaderOptions
  extends
    Pick<IntakeOptions, 'doubtAbout'>,
    Pick<AccountGuardOptions, 'knownAccount'>,
    Omit<SendingOptions, 'health' | 'mayUpload' | 'onHoldOver'> {
  /** Whether there is a session to upload with. */
  readonly isConnected: () => boolean;
}

export interface UploaderState extends IntakeState, AccountGuardState {
  /** Whether the person has chosen Pause, in this run or an earlier one, and not Resume since. */
  readonly paused: boolean;
  /** Why the list cannot be kept at the moment, if it cannot. */
  readonly storageError: CwError | null;
  /** The newest removal, as long as it can be undone; null when there is none. */
  readonly removal: ShownRemoval | null;
  /** Why the open document could not be exported the last time, if it could not. */
  readonly documentError: CwError | null;
  /** Whether what an earlier run left could not be read so far. Nothing in storage is changed before it was. */
  readonly isUnread: boolean;
  /** Photos of an earlier run that have a copy, but were not on the list: the person decides about them. */
  readonly found: number;
}

/**
 * The uploads as the rest of the plugin sees them: connects the parts, passes on what is asked for, and decides when
 * uploads may run.
 */
export class Uploader {
  private readonly store: Store<UploaderState>;
  private readonly health = new ListHealth();
  private readonly pausing: KeptPause;
  private readonly intake: Intake;
  private readonly documents: DocumentIntake;
  private readonly guard: AccountGuard;
  private readonly sending: Sending;
  private readonly takingOff: TakingOff;
  private readonly connections: Connections;
  private readonly readPause: HurriedWait;
  /** The first try to read what an earlier run left. */
  private firstRead: Promise<void> = Promise.resolve();
  /** Settles when that has been read. */
  private listRead: Promise<void> = Promise.resolve();
  private isLoading = false;
  private found: readonly FoundPhoto[] = [];

  readonly state: ReadableStore<UploaderState>;

  constructor(private readonly options: UploaderOptions) {
    this.readPause = new HurriedWait(options.clock);
    this.pausing = new KeptPause(options.records);
    this.intake = this.createIntake();
    this.documents = new DocumentIntake(this.intake);
    this.guard = new AccountGuard({ ...options, health: this.health });
    this.sending = this.createSending();
    this.takingOff = this.createTakingOff();
    this.connections = this.createConnections();
    this.store = new Store<UploaderState>({
      paused: this.pausing.isPaused,
      storageError: null,
      removal: null,
      documentError: null,
      isUnread: false,
      found: 0,
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
      health,
      listeners: {
        onQueued: () => {
          this.takingOff.updateRemoval();
          this.sending.start();
        },
        onRefused: (error) => {
          this.takingOff.updateRemoval();
          if (isSuperseded(error)) {
            health.report(error);
          }
        },
      },
    });
  }

  private createSending(): Sending {
    const { options, health } = this;
    return new Sending({
      ...options,
      health,
      mayUpload: () => this.mayUpload(),
      onHoldOver: () => {
        this.release();
      },
    });
  }

  private createTakingOff(): TakingOff {
    const { options, health, guard, sending } = this;
    return new TakingOff({
      ...options,
      health,
      guard,
      sending,
      askConnected: () => this.connections.askConnected(),
    });
  }

  private createConnections(): Connections {
    const { options, health, guard, sending, takingOff } = this;
    return new Connections({
      ...options,
      health,
      guard,
      sending,
      takingOff,
      restored: () => this.firstRead,
      listRead: () => this.listRead,
      isAdding: () => this.intake.state.get().adding !== null,
      added: () => Promise.all([this.intake.settled(), this.documents.settled()]),
    });
  }

  /** Brings back what an earlier run left to do. Trouble with storage is shown, not thrown. */
  async restore(): Promise<void> {
    const { list } = this.options;
    this.isLoading = true;
    const first = this.read();
    this.firstRead = first.then(() => undefined);
    this.listRead = first.then((isRead) => (isRead ? undefined : this.readAgain()));
    // New photos come after those of earlier runs.
    this.intake.waitFor(this.listRead);
    await this.listRead;
    this.guard.updateState();
    await this.guard.askAboutLeft();
    this.isLoading = false;
    void this.keepPause();
    void this.connections.compareAccount();
    await this.connections.askConnected();
    this.sending.start();
    // Deleted photos only take up disk space: a failure does no harm, and the next start tries again.
    await list.clearEarlier().catch(() => undefined);
    this.takingOff.dropAbandoned();
    await list.clearIncoming().catch(() => undefined);
    await this.findUnlisted().catch(() => undefined);
  }

  /** Finds photos that have a copy, but are not on the list. @throws {CwError} CW-702 to CW-704 */
  private async findUnlisted(): Promise<void> {
    const { list } = this.options;
    this.found = await list.findUnlisted();
    this.set({ found: this.found.length });
    if (this.found.length === 0) {
      await list.forgetFound();
    }
  }

  /** Reads what an earlier run left. @returns whether there is nothing more to read */
  private async read(): Promise<boolean> {
    const { list, history, knownAccount } = this.options;
    const outcome = { isRead: false };
    await this.health.watch(async () => {
      const others = await list.load();
      this.pausing.restore(others);
      history?.restore(others);
      knownAccount?.restore?.(others);
      list.continueAt(this.guard.restore(others));
      outcome.isRead = true;
    });
    return outcome.isRead || this.health.isSuperseded;
  }

  /** Tries to read the list again, until that is possible. Nothing in storage is changed before. */
  private async readAgain(): Promise<void> {
    this.set({ isUnread: true });
    for (let tries = 1; ; tries += 1) {
      await this.readPause.wait(0, backoffDelay(READ_AGAIN, tries, 1), NEVER_CANCELLED);
      if (await this.read()) {
        break;
      }
    }
    this.set({ isUnread: false });
  }

  /** Ends every wait after trouble with storage: the person has chosen Try again. */
  retryStorage(): void {
    this.readPause.hurry();
    this.intake.retryNow();
    this.sending.endHold();
    this.sending.start();
  }

  /** Decides about the photos that were found: puts them on the list, or removes them, which can be undone. */
  async answerFound(send: boolean): Promise<void> {
    const { found } = this;
    this.found = [];
    this.set({ found: 0 });
    const { list } = this.options;
    if (send) {
      await this.intake.addFound(found);
    } else {
      const photos = await this.intake.nameFound(found);
      await this.health.watch(() => list.removeFound(photos, this.guard.ownerOf([])));
      this.takingOff.updateRemoval();
    }
    await list.forgetFound().catch(() => undefined);
  }

  /** Makes photos safe one by one, and uploads them. One that cannot be queued does not stop the others. */
  async addPhotos(photos: readonly PhotoSource[]): Promise<void> {
    await this.intake.add(photos, true);
  }

  /** Stops making picked photos safe; those in the list already stay. */
  cancelAdding(): void {
    this.intake.cancel();
  }

  /** Queues a copy of the app's open document. If that fails, `documentError` says why. */
  async addDocument(exportDocument: () => Promise<PhotoSource>): Promise<void> {
    await this.documents.add(exportDocument);
  }

  /** Call when there is a session, perhaps a new one: ends waits after session trouble, and asks what must be asked. */
  release(): void {
    this.connections.begun();
  }

  /** Stops all uploads where they are, until `resume`. The pause outlasts restarts. */
  pause(): void {
    this.pausing.choose(true);
    this.sending.interrupt();
    void this.keepPause();
  }

  /** Ends the pause, and every wait after trouble: also when nothing is paused. */
  resume(): void {
    this.pausing.choose(false);
    void this.keepPause();
    this.sending.endHold();
    this.options.queue.retryNow();
    this.sending.start();
  }

  /** To be called when the session has ended: interrupts what is under way, without pausing. */
  stopAll(): void {
    this.connections.ended();
  }

  /**
   * To be called when nobody is connected, and there is no session that only needs a reconnect: whoever connects next
   * may be somebody else. Then the person is asked about the photos that wait, even if nobody chose Disconnect: secure
   * storage may have lost the sign-in.
   */
  async signedOut(): Promise<void> {
    this.stopAll();
    this.guard.noteSignedOut();
    if (!this.isLoading) {
      await this.guard.askAboutLeft();
    }
  }

  /** To be called before a disconnect: photos that have not arrived must not go to another account unasked. */
  async beforeDisconnect(): Promise<void> {
    await this.connections.beforeDisconnect();
  }

  /**
   * To be called before another account replaces the connected one. Uploads stop where they are, and nothing on the
   * list goes to the other account unasked, not even after a kill. The other session may be stored only when this has
   * settled.
   * @throws {CwError} when storage refuses the question; uploads go on then, and no other session may be stored
   */
  async beforeChange(): Promise<void> {
    await this.connections.beforeChange();
  }

  /** To be called when the account was not replaced, or the new one is the same: uploads go on as before. */
  async unchanged(): Promise<void> {
    await this.connections.unchanged();
  }

  /** To be called when another account has replaced the one before: asks it about what is on the list. */
  async changed(): Promise<void> {
    await this.connections.changed();
  }

  /** Answers `question`: sends the waiting photos to the account now connected, or takes them off the list. */
  async answerQuestion(send: boolean): Promise<void> {
    await this.connections.answer(send);
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
    await this.takingOff.takeOff([id]);
  }

  /** Takes all photos off the list, those that have arrived included. */
  async removeAll(): Promise<void> {
    await this.takingOff.takeOff(this.options.list.all);
    await this.clearArrived();
  }

  /** Takes all photos off the list that failed for this reason. */
  async removeFailed(failure: ErrorCode): Promise<void> {
    await this.takingOff.takeOff(this.options.list.failedFor(failure));
  }

  /** Takes photos that have arrived out of sight. */
  async clearArrived(): Promise<void> {
    await this.health.watch(() => this.options.list.clearArrived());
  }

  /** Puts the photos of the newest removal back. Those of another account are asked about before they are sent. */
  async undoRemoval(): Promise<void> {
    await this.takingOff.undo();
  }

  /** Clears the errors about what could not be queued or exported. */
  dismissRefused(): void {
    this.intake.dismissRefused();
    this.documents.dismissError();
  }

  /** Clears the history of whoever is connected: what has arrived is no longer remembered. */
  async clearHistory(): Promise<void> {
    await this.health.watch(() => this.options.history?.clear() ?? Promise.resolve());
  }

  private mayUpload(): boolean {
    const isFree =
      !this.isLoading &&
      !this.connections.isChanging &&
      !this.guard.holdsUploads &&
      !this.pausing.isPaused;
    return isFree && !this.health.isSuperseded && this.options.isConnected();
  }

  private async keepPause(): Promise<void> {
    await this.listRead;
    if (!this.pausing.isKept) {
      await this.health.watch(() => this.pausing.keep());
    }
  }

  /** Starts what may run, and watches a change in storage. @param change  has already changed the list in memory */
  private async changeAndStart(change: Promise<void>): Promise<void> {
    this.sending.start();
    await this.health.watch(() => change);
  }

  private watchParts(): void {
    this.pausing.state.subscribe((paused) => {
      this.set({ paused });
    });
    this.intake.state.subscribe((state) => {
      this.set(state);
    });
    this.guard.state.subscribe((state) => {
      this.set(state);
    });
    this.documents.error.subscribe((documentError) => {
      this.set({ documentError });
    });
    this.takingOff.removal.subscribe((removal) => {
      this.set({ removal });
    });
    this.health.state.subscribe((storageError) => {
      this.set({ storageError });
      if (!this.health.isSuperseded) {
        return;
      }
      this.guard.hide();
      this.intake.cancel();
      this.sending.interrupt();
    });
  }

  private set(change: Partial<UploaderState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}
