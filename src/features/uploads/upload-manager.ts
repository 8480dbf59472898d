import {
  OwnershipGuard,
  type OwnershipGuardOptions,
  type OwnershipPrompt,
} from '../../account/ownership-guard.js';
import { backoffDelay } from '../../util/backoff.js';
import { NEVER_CANCELLED } from '../../util/cancel.js';
import { CwError, type ErrorCode } from '../../util/errors.js';
import { SkippableDelay } from '../../util/skippable-delay.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { isStorageTakenOver } from '../../util/storage-ownership.js';
import type { PhotoSource } from '../../host/photo-source.js';
import type { RecordStore } from '../../host/storage.js';
import type { UploadHistory } from '../history/index.js';
import { type ImportState, PhotoImporter, type PhotoImporterOptions } from '../import/index.js';
import type { Destinations } from '../destinations/index.js';
import type { CircuitState } from '../../api/circuit-breaker.js';
import type { ProjectRef } from '../../api/project.js';
import type { DuplicateCheck, PreviousVersion } from '../duplicates/index.js';
import type { NewVersion, NewVersions } from './undoable-versions.js';
import type { UploadedBatch } from './uploaded-batch.js';
import type { NotedPick, OrphanPhoto, Removal } from '../queue/index.js';
import { terminateUpload } from './tus/tus-upload.js';
import { UploadScheduler, type UploadSchedulerOptions } from './upload-scheduler.js';

/** Waits between tries to read the list. */
const READ_AGAIN = { firstMs: 2_000, longestMs: 60_000 };
/** The key of the record that stores a pause; photos' keys are hexadecimal. */
const PAUSE_KEY = 'paused';

export interface UploadManagerOptions
  extends
    Pick<PhotoImporterOptions, 'detectProblem' | 'identify'>,
    Pick<OwnershipGuardOptions, 'account' | 'owner' | 'newId'>,
    Omit<UploadSchedulerOptions, 'mayUpload' | 'onHoldOver' | 'records'> {
  readonly records: RecordStore;
  /** The history of uploaded photos; without it there is none. */
  readonly history?: UploadHistory;
  /** Gets the records that are no photos, once they have been read. */
  readonly onRestored?: (records: ReadonlyMap<string, string>) => void;
  /**
   * Gets copies of photos that are not on the list, before the user is asked about them.
   * @returns those that the user is asked about
   */
  readonly claimOrphans?: (photos: readonly OrphanPhoto[]) => readonly OrphanPhoto[];
  /** Opens a picked file of an earlier run, see `Host`; without it none can be opened. Never rejects. */
  readonly reopenPhoto?: (token: string) => Promise<PhotoSource | null>;
  /** The project of new photos; without it they go to none. */
  readonly destinations?: Pick<Destinations, 'restore' | 'forNewPhotos'>;
}

export interface UploadManagerState extends ImportState, OwnershipPrompt {
  /** Whether the user has chosen Pause, in this run or an earlier one, and not Resume since. */
  readonly paused: boolean;
  /** Why the list cannot be kept at the moment, if it cannot. */
  readonly storageError: CwError | null;
  /** The newest removal while it can be undone; null when there is none. */
  readonly removal: { readonly photos: number } | null;
  /** Whether what an earlier run left could not be read so far. Nothing in storage is changed before it was. */
  readonly isUnread: boolean;
  /** Photos of an earlier run that have a copy, but were not on the list: the user decides about them. */
  readonly orphans: number;
  /** Names of photos that an earlier run was to add, and that cannot be opened again. */
  readonly notAdded: readonly string[];
  /** Picked photos that became versions of earlier ones, see {@link NewVersions}. */
  readonly versions: readonly NewVersion[];
  /** Earlier versions that waiting photos may replace: see {@link DuplicateCheck.answer}. */
  readonly previous: readonly PreviousVersion[];
  /** How many photos wait because the session lacks the scope to upload to a project. */
  readonly waitingForPermission: number;
  /** The photos that were uploaded before the list last became idle; null when there are none. */
  readonly lastBatch: UploadedBatch | null;
  /** Whether photos wait because the service has no space for them. */
  readonly space: CircuitState;
}

/**
 * The uploads as the panel uses them: decides when uploads may run, and carries out the user's actions. Storage errors
 * are shown in `state`, not thrown.
 */
export class UploadManager {
  private readonly store: Observable<UploadManagerState>;
  readonly importer: PhotoImporter;
  private readonly scheduler: UploadScheduler;
  private readonly readPause: SkippableDelay;
  /** The first try to read what an earlier run left. */
  private firstRead: Promise<void> = Promise.resolve();
  /** Settles when that has been read. */
  private listRead: Promise<void> = Promise.resolve();
  private isLoading = false;
  /** A session has ended and none has begun since. */
  private hasSessionEnded = false;
  private orphans: readonly OrphanPhoto[] = [];
  private shownRemoval: Removal | null = null;
  /** Whether the user has chosen Pause or Resume in this run: that overrides the stored pause. */
  private hasChosenPause = false;
  /** Whether storage has a pause; null when that is not known. */
  private storedPause: boolean | null = null;

  readonly state: ReadableObservable<UploadManagerState>;
  /** Finds duplicates and earlier versions. */
  readonly duplicates: DuplicateCheck;
  readonly versions: NewVersions;
  /** The owners of the photos on the list, and the prompt about them. */
  readonly ownership: OwnershipGuard;

  constructor(private readonly options: UploadManagerOptions) {
    this.readPause = new SkippableDelay(options.clock);
    this.ownership = this.createOwnership();
    this.importer = this.createImporter();
    this.scheduler = new UploadScheduler({
      ...options,
      mayUpload: () => this.mayUpload(),
      onHoldOver: () => {
        this.onSignedIn();
      },
    });
    this.duplicates = this.scheduler.duplicates;
    this.versions = this.scheduler.versions;
    this.store = new Observable<UploadManagerState>({
      paused: false,
      storageError: null,
      removal: null,
      isUnread: false,
      orphans: 0,
      notAdded: [],
      versions: [],
      previous: [],
      waitingForPermission: 0,
      lastBatch: null,
      space: this.scheduler.space.state.get(),
      ...this.ownership.prompt.get(),
      ...this.importer.state.get(),
    });
    this.state = this.store;
    this.watchParts();
  }

  private createImporter(): PhotoImporter {
    const { options } = this;
    return new PhotoImporter({
      ...options,
      projectForNewPhotos: () => options.destinations?.forNewPhotos() ?? null,
      ownerForNewPhotos: () => this.ownership.ownerForNewPhotos(),
      onQueued: () => {
        this.updateRemoval();
        this.scheduler.start();
      },
      onRejected: (error) => {
        this.updateRemoval();
        if (isStorageTakenOver(error)) {
          options.photoStore.report(error);
        }
      },
    });
  }

  private createOwnership(): OwnershipGuard {
    const { options } = this;
    const { queue, photoStore } = options;
    return new OwnershipGuard({
      ...options,
      photos: queue,
      isSuperseded: () => photoStore.isSuperseded,
      firstRead: () => this.firstRead,
      watch: (change) => photoStore.track(change),
      onOtherAccount: (isReported) => this.onOtherAccount(isReported),
    });
  }

  /** Brings back what an earlier run left to do. */
  async restore(): Promise<void> {
    const { photoStore } = this.options;
    this.isLoading = true;
    const first = this.read();
    this.firstRead = first.then(() => undefined);
    this.listRead = first.then((isRead) => (isRead ? undefined : this.readAgain()));
    // New photos come after those of earlier runs.
    this.importer.waitFor(this.listRead);
    await this.listRead;
    this.isLoading = false;
    void this.storePause();
    void this.ownership.onSignedIn();
    this.scheduler.start();
    // Deleted photos only take up disk space: a failure does no harm, and the next start tries again.
    await photoStore.clearEarlier().catch(() => undefined);
    this.dropAbandoned();
    await photoStore.clearIncoming().catch(() => undefined);
    await this.findOrphans().catch(() => undefined);
    await this.addLeft().catch(() => undefined);
  }

  /** Goes on with photos that an earlier run was adding. @throws {CwError} CW-702 to CW-704 */
  private async addLeft(): Promise<void> {
    const { photoStore, reopenPhoto } = this.options;
    const found: { readonly pick: NotedPick; readonly photo: PhotoSource }[] = [];
    for (const pick of photoStore.picks.left) {
      const photo = pick.token === null ? null : ((await reopenPhoto?.(pick.token)) ?? null);
      if (photo) {
        found.push({ pick, photo });
      }
    }
    const photos = await photoStore.picks.takeOver(found);
    this.showNotAdded();
    await this.importer.addNoted(photos);
  }

  private showNotAdded(): void {
    this.set({ notAdded: this.options.photoStore.picks.left.map(({ name }) => name) });
  }

  /** Forgets the photos of `notAdded`. */
  async dismissNotAdded(): Promise<void> {
    const { photoStore } = this.options;
    this.set({ notAdded: [] });
    await photoStore.picks.forget(photoStore.picks.left.map(({ id }) => id));
  }

  /** Finds photos that have a copy, but are not on the list. @throws {CwError} CW-702 to CW-704 */
  private async findOrphans(): Promise<void> {
    const { photoStore, claimOrphans } = this.options;
    const all = await photoStore.findOrphans();
    // What has no identity that outlasts a run may be exported again: the user decides then.
    const isAutomatic = ({ notedOwner, context }: OrphanPhoto): boolean =>
      notedOwner !== undefined &&
      (context.recipe === undefined || context.document?.startsWith('run:') === false);
    const unclaimed = claimOrphans?.(all) ?? all;
    this.orphans = unclaimed.filter((photo) => !isAutomatic(photo));
    this.set({ orphans: this.orphans.length });
    // Their owners are known, so no other account gets them.
    await this.importer.addOrphans(unclaimed.filter(isAutomatic));
  }

  /** Reads what an earlier run left. @returns whether there is nothing more to read */
  private async read(): Promise<boolean> {
    const { queue, photoStore, history, destinations } = this.options;
    const outcome = { isRead: false };
    await photoStore.track(async () => {
      const others = await queue.load();
      const { noSpace } = queue;
      if (noSpace !== null) {
        this.scheduler.space.restore(new CwError(noSpace, 'an earlier run found no space'));
      }
      this.restorePause(others);
      history?.restore(others);
      destinations?.restore(others);
      this.ownership.restore(others);
      this.options.onRestored?.(others);
      outcome.isRead = true;
    });
    return outcome.isRead || photoStore.isSuperseded;
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

  /** Ends every delay after a storage error: the user has chosen Try again. */
  retryStorage(): void {
    this.readPause.skip();
    this.importer.retryNow();
    this.scheduler.endHold();
    this.scheduler.start();
  }

  /** Decides about the photos that were found: puts them on the list, or removes them, which can be undone. */
  async answerOrphans(send: boolean): Promise<void> {
    const { orphans } = this;
    this.orphans = [];
    this.set({ orphans: 0 });
    const { queue, photoStore } = this.options;
    if (send) {
      await this.importer.addOrphans(orphans);
    } else {
      const owner = this.ownership.ownerForNewPhotos();
      const photos = await this.importer.nameOrphans(orphans);
      await photoStore.track(() => queue.removeOrphans(photos, owner));
      this.updateRemoval();
    }
    await photoStore.picks.forget(orphans.map(({ id }) => id));
  }

  /** Makes photos safe one by one, and uploads them. One that cannot be queued does not stop the others. */
  async addPhotos(photos: readonly PhotoSource[]): Promise<void> {
    const adding = this.importer.add(photos, true);
    await this.forgetAddedAgain(photos);
    await adding;
  }

  /** The user adds photos again that were not added. */
  private async forgetAddedAgain(photos: readonly PhotoSource[]): Promise<void> {
    const { photoStore } = this.options;
    const names = new Set(photos.map(({ name }) => name.normalize('NFC')));
    const again = photoStore.picks.left.filter(({ name }) => names.has(name.normalize('NFC')));
    if (again.length > 0 && this.store.get().notAdded.length > 0) {
      await photoStore.picks.forget(again.map(({ id }) => id));
      this.showNotAdded();
    }
  }

  /** Call when there is a session, perhaps a new one: ends session back-off and starts the uploads that may run. */
  onSignedIn(): void {
    this.scheduler.endHold();
    this.options.queue.allowProjects();
    if (this.hasSessionEnded) {
      this.hasSessionEnded = false;
      this.forgetUploaded();
    }
    void this.ownership.onSignedIn();
    this.scheduler.start();
    this.dropAbandoned();
  }

  /** Stops all uploads where they are, until `resume`. The pause outlasts restarts. */
  pause(): void {
    this.choosePause(true);
    this.scheduler.interrupt();
    void this.storePause();
  }

  /** Ends the pause and every back-off, also when nothing is paused. */
  resume(): void {
    this.choosePause(false);
    void this.storePause();
    this.scheduler.endHold();
    this.scheduler.space.tryNow();
    this.options.requests.retryNow();
    this.scheduler.start();
  }

  /** Call when the session has ended: interrupts running uploads without pausing. */
  onSessionEnded(): void {
    this.hasSessionEnded = true;
    this.ownership.update();
    this.scheduler.interrupt();
    this.duplicates.reset();
  }

  /**
   * Call when no account is connected and no session only needs a reconnect: another account may connect next. The user
   * must then confirm the waiting photos, even without a Disconnect: secure storage may have lost the sign-in.
   */
  async onSignedOut(): Promise<void> {
    this.onSessionEnded();
    await this.ownership.onSignedOut();
  }

  /** Answers `question`: uploads the photos to the connected account, or takes them off the list. */
  async answerQuestion(send: boolean): Promise<void> {
    const { ownership } = this;
    const { queue } = this.options;
    if (!ownership.prompt.get().question) {
      return;
    }
    const photos = queue.pendingOf((owner) => !ownership.isOwn(owner));
    if (send) {
      await this.changeAndStart(queue.setOwner(photos, ownership.ownerForNewPhotos()));
    } else {
      await this.removePhotos(photos);
    }
  }

  /**
   * Changes the project of photos whose upload has not begun. Photos that failed because their project no longer exists
   * are tried again.
   */
  async setDestination(ids: readonly string[], project: ProjectRef | null): Promise<void> {
    const change = this.options.queue.setProject(ids, project);
    this.duplicates.dropAnswered();
    await this.changeAndStart(change);
  }

  /** Puts a failed photo back to the end of those waiting. */
  async retry(id: string): Promise<void> {
    await this.changeAndStart(this.options.queue.retry(id));
  }

  /** Tries all photos again that failed for this reason. */
  async retryFailed(failure: ErrorCode): Promise<void> {
    await this.changeAndStart(this.options.queue.retryFailed(failure));
  }

  /** Makes a photo the first of those waiting; one that failed is tried again. */
  async makeNext(id: string): Promise<void> {
    await this.changeAndStart(this.options.queue.makeNext(id));
  }

  /**
   * Removes a photo from the list. The newest removal can be undone until the next start, while the disk has room. The
   * partial upload is dropped once the removal cannot be undone any more.
   */
  async remove(id: string): Promise<void> {
    await this.removePhotos([id]);
  }

  /** Removes all photos from the list, including uploaded ones. */
  async removeAll(): Promise<void> {
    await this.removePhotos(this.options.queue.all);
    await this.clearUploaded();
  }

  /** Takes all photos off the list that failed for this reason. */
  async removeFailed(failure: ErrorCode): Promise<void> {
    await this.removePhotos(this.options.queue.failedFor(failure));
  }

  /** Hides uploaded photos. */
  async clearUploaded(): Promise<void> {
    const { photoStore } = this.options;
    this.forgetUploaded();
    await photoStore.track(() => photoStore.clearUploaded());
  }

  /** Puts the photos of the newest removal back. Those of another account need a confirmation before they are sent. */
  async undoRemoval(): Promise<void> {
    const { queue, photoStore } = this.options;
    await photoStore.track(() => queue.undoRemoval());
    this.updateRemoval();
    this.scheduler.start();
  }

  /** Clears the history of the connected account. */
  async clearHistory(): Promise<void> {
    const { history, photoStore } = this.options;
    await photoStore.track(() => history?.clear() ?? Promise.resolve());
  }

  /**
   * Clears the service's responses to the previous account.
   * @param isReported  false when the service does not report the account, so that it may be the same
   * @throws {CwError} CW-702 to CW-704; then the list must forget the answers at the next start
   */
  private async onOtherAccount(isReported: boolean): Promise<void> {
    const { queue } = this.options;
    this.scheduler.interrupt();
    this.scheduler.space.end();
    this.forgetUploaded();
    this.duplicates.reset();
    if (isReported) {
      await queue.forgetAnswers();
    }
  }

  private forgetUploaded(): void {
    this.options.queue.forgetUploaded();
    this.scheduler.batches.clear();
    this.versions.dismiss();
  }

  private mayUpload(): boolean {
    const isFree = !this.isLoading && !this.ownership.holdsUploads && !this.store.get().paused;
    return isFree && !this.options.photoStore.isSuperseded && this.options.owner.get() !== null;
  }

  /** Starts what may run, and tracks a change in storage. @param change  has already changed the list in memory */
  private async changeAndStart(change: Promise<void>): Promise<void> {
    this.scheduler.start();
    await this.options.photoStore.track(() => change);
  }

  /** Stops the uploads of photos, then takes them off the list. */
  private async removePhotos(ids: readonly string[]): Promise<void> {
    const { queue, photoStore } = this.options;
    await this.scheduler.cancelAndRemove(ids, () => {
      const removed = photoStore.track(() => queue.remove(ids));
      this.updateRemoval();
      return removed;
    });
    this.dropAbandoned();
  }

  /** Updates `removal` from storage. Call when a removal may have become final, such as when the disk is full. */
  private updateRemoval(): void {
    const removal = this.options.photoStore.newestRemoval;
    if (removal !== this.shownRemoval) {
      this.shownRemoval = removal;
      this.set({ removal: removal && { photos: removal.items.length } });
    }
  }

  /** Drops abandoned uploads at the service, in the background. They would take up space until they expire. */
  private dropAbandoned(): void {
    const { photoStore, requests, endpoint, owner } = this.options;
    if (owner.get() === null) {
      return;
    }
    void (async () => {
      for (const address of photoStore.drainUploadUrls()) {
        await terminateUpload(requests, endpoint, address, NEVER_CANCELLED).catch(() => undefined);
      }
    })();
  }

  /**
   * Takes up the pause of an earlier run, from the list's other records. A pause is kept in durable storage, so that
   * neither a restarted plugin nor another instance that takes the list over sends anything before Resume is chosen.
   */
  private restorePause(records: ReadonlyMap<string, string>): void {
    const isPaused = records.has(PAUSE_KEY);
    this.storedPause = isPaused;
    if (!this.hasChosenPause) {
      this.set({ paused: isPaused });
    }
  }

  /** Pauses or resumes at once, but only in this run. */
  private choosePause(paused: boolean): void {
    this.hasChosenPause = true;
    this.set({ paused });
  }

  /** Stores the chosen pause once the list is read. */
  private async storePause(): Promise<void> {
    await this.listRead;
    const { paused } = this.store.get();
    if (this.storedPause === paused) {
      return;
    }
    this.storedPause = paused;
    const { photoStore, records } = this.options;
    await photoStore.track(async () => {
      try {
        await (paused
          ? records.put(PAUSE_KEY, JSON.stringify({ version: 1 }))
          : records.remove(PAUSE_KEY));
      } catch (error) {
        this.storedPause = null;
        throw error;
      }
    });
  }

  private watchParts(): void {
    const { photoStore, queue } = this.options;
    const { duplicates, versions } = this;
    versions.shown.subscribe((shown) => {
      this.set({ versions: shown });
    });
    duplicates.previous.subscribe((previous) => {
      this.set({ previous });
    });
    this.scheduler.batches.last.subscribe((lastBatch) => {
      this.set({ lastBatch });
    });
    this.scheduler.space.state.subscribe((space) => {
      this.set({ space });
    });
    queue.summary.subscribe(() => {
      const { waitingForPermission } = queue;
      if (waitingForPermission !== this.store.get().waitingForPermission) {
        this.set({ waitingForPermission });
      }
    });
    this.importer.state.subscribe((state) => {
      this.set(state);
    });
    this.ownership.prompt.subscribe((prompt) => {
      this.set(prompt);
    });
    this.ownership.isHeld.subscribe((isHeld) => {
      if (isHeld) {
        this.scheduler.interrupt();
      } else {
        // Another session may have replaced the one before.
        this.options.queue.allowProjects();
        this.scheduler.start();
      }
    });
    photoStore.error.subscribe((storageError) => {
      this.set({ storageError });
      if (!photoStore.isSuperseded) {
        return;
      }
      this.ownership.update();
      this.importer.cancel();
      this.scheduler.interrupt();
    });
  }

  private set(change: Partial<UploadManagerState>): void {
    this.store.set({ ...this.store.get(), ...change });
  }
}
