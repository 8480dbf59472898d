import {
  OwnershipGuard,
  type OwnershipGuardOptions,
  type OwnershipPrompt,
} from '../account/ownership-guard.js';
import { backoffDelay } from '../base/backoff.js';
import { NEVER_CANCELLED } from '../base/cancel.js';
import type { CwError, ErrorCode } from '../base/errors.js';
import { HurriedWait } from '../base/hurried-wait.js';
import { Store, type ReadableStore } from '../base/store.js';
import { isSuperseded } from '../base/superseded.js';
import type { PhotoSource } from '../host/host.js';
import { DocumentIntake } from './document-intake.js';
import { Intake, type IntakeOptions, type IntakeState } from './intake.js';
import { KeptPause } from './kept-pause.js';
import { ListHealth } from './list-health.js';
import { Sending, type SendingOptions } from './sending.js';
import { SessionTransitions } from './session-transitions.js';
import type { FoundPhoto } from './upload-list.js';
import { TakingOff, type ShownRemoval } from './taking-off.js';

/** Waits between tries to read the list. */
const READ_AGAIN = { firstMs: 2_000, longestMs: 60_000 };

export interface UploaderOptions
  extends
    Pick<IntakeOptions, 'doubtAbout'>,
    Pick<OwnershipGuardOptions, 'account' | 'isConnected' | 'sessionId' | 'newId'>,
    Omit<SendingOptions, 'health' | 'mayUpload' | 'onHoldOver'> {}

export interface UploaderState extends IntakeState, OwnershipPrompt {
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
  private readonly sending: Sending;
  private readonly takingOff: TakingOff;
  private readonly transitions: SessionTransitions;
  private readonly readPause: HurriedWait;
  /** The first try to read what an earlier run left. */
  private firstRead: Promise<void> = Promise.resolve();
  /** Settles when that has been read. */
  private listRead: Promise<void> = Promise.resolve();
  private isLoading = false;
  private found: readonly FoundPhoto[] = [];

  readonly state: ReadableStore<UploaderState>;
  /** Whose photos those on the list are, and who is asked about them. */
  readonly ownership: OwnershipGuard;

  constructor(private readonly options: UploaderOptions) {
    this.readPause = new HurriedWait(options.clock);
    this.pausing = new KeptPause(options.records);
    this.ownership = this.createOwnership();
    const ownerForNewPhotos = (): string | null => this.ownership.ownerForNewPhotos();
    this.intake = this.createIntake(ownerForNewPhotos);
    this.documents = new DocumentIntake(this.intake, ownerForNewPhotos);
    this.sending = this.createSending();
    this.takingOff = new TakingOff({ ...options, health: this.health, sending: this.sending });
    this.transitions = new SessionTransitions({
      list: options.list,
      ownership: this.ownership,
      sending: this.sending,
      takingOff: this.takingOff,
    });
    this.store = new Store<UploaderState>({
      paused: this.pausing.isPaused,
      storageError: null,
      removal: null,
      documentError: null,
      isUnread: false,
      found: 0,
      ...this.ownership.prompt.get(),
      ...this.intake.state.get(),
    });
    this.state = this.store;
    this.watchParts();
  }

  private createOwnership(): OwnershipGuard {
    const { options, health } = this;
    return new OwnershipGuard({
      ...options,
      photos: options.list,
      isSuperseded: () => health.isSuperseded,
      firstRead: () => this.firstRead,
      watch: (change) => health.watch(change),
      onOtherAccount: (isReported) => this.transitions.onOtherAccount(isReported),
    });
  }

  private createIntake(ownerForNewPhotos: () => string | null): Intake {
    const { options, health } = this;
    return new Intake({
      ...options,
      health,
      ownerForNewPhotos,
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
    this.isLoading = false;
    void this.keepPause();
    void this.ownership.onSignedIn();
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
    const { list, history } = this.options;
    const outcome = { isRead: false };
    await this.health.watch(async () => {
      const others = await list.load();
      this.pausing.restore(others);
      history?.restore(others);
      this.ownership.restore(others);
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
      const owner = this.ownership.ownerForNewPhotos();
      const photos = await this.intake.nameFound(found);
      await this.health.watch(() => list.removeFound(photos, owner));
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
    this.transitions.onSignedIn();
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
    this.transitions.onSessionEnded();
  }

  /**
   * To be called when nobody is connected, and there is no session that only needs a reconnect: whoever connects next
   * may be somebody else. Then the person is asked about the photos that wait, even if nobody chose Disconnect: secure
   * storage may have lost the sign-in.
   */
  async signedOut(): Promise<void> {
    this.stopAll();
    await this.ownership.onSignedOut();
  }

  /** Answers `question`: uploads the photos to the connected account, or takes them off the list. */
  async answerQuestion(send: boolean): Promise<void> {
    const { ownership, options } = this;
    if (!ownership.prompt.get().question) {
      return;
    }
    const photos = options.list.unsentOf((owner) => !ownership.isOwn(owner));
    if (send) {
      const owner = ownership.ownerForNewPhotos();
      await this.changeAndStart(options.list.setOwner(photos, owner));
    } else {
      await this.takingOff.takeOff(photos);
    }
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
    const isFree = !this.isLoading && !this.ownership.holdsUploads && !this.pausing.isPaused;
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
    this.ownership.prompt.subscribe((prompt) => {
      this.set(prompt);
    });
    this.ownership.isHeld.subscribe((isHeld) => {
      if (isHeld) {
        this.sending.interrupt();
      } else {
        this.sending.start();
      }
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
      this.ownership.update();
      this.intake.cancel();
      this.sending.interrupt();
    });
  }

  private set(change: Partial<UploaderState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}
