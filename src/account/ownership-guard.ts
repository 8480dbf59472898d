import { CancelSource } from '../util/cancel.js';
import { sleep, type Clock } from '../util/clock.js';
import { CwError } from '../util/errors.js';
import { Observable, type ReadableObservable } from '../util/observable.js';
import { storageTakenOverError } from '../util/storage-ownership.js';
import type { RecordStore } from '../host/storage.js';
import type { CurrentAccount } from './current-account.js';
import { LastAccountStore } from './last-account.js';
import type { SessionOwner } from './owner.js';

export interface OwnershipPrompt {
  /**
   * Set while the question is shown whether photos of an earlier session may go to the connected account. Nothing is
   * uploaded until the answer. Null without a prompt.
   */
  readonly question: { readonly photos: number } | null;
  /** Whether photos wait for such an answer, so that connecting alone does not upload them. */
  readonly willAsk: boolean;
}

/** The photos on the list, as far as their owners matter. */
export interface OwnedPhotos {
  /** How many photos that are not uploaded yet each owner has. */
  readonly owners: ReadonlyMap<string | null, number>;
  /** Changes with every change of `owners`. */
  readonly summary: Pick<ReadableObservable<unknown>, 'subscribe'>;
}

export interface OwnershipGuardOptions {
  readonly photos: OwnedPhotos;
  readonly records: RecordStore;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly account: Pick<CurrentAccount, 'state' | 'onSignedIn'>;
  /** The owner of new photos; null without a session to upload with. */
  readonly owner: Pick<ReadableObservable<SessionOwner | null>, 'get'>;
  /** Whether another instance of the plugin owns the list. */
  readonly isSuperseded: () => boolean;
  /** Settles when storage has been read, or when reading has failed for the first time. */
  readonly firstRead: () => Promise<void>;
  /** Changes storage. Shows a failure, and never rejects. */
  readonly watch: (change: () => Promise<void>) => Promise<void>;
  /**
   * Called when another account is connected than before.
   * @param isReported  false when the service does not report the account, so that it may be the same
   * @throws {CwError} CW-702 to CW-704; then this is called again at the next start
   */
  readonly onOtherAccount: (isReported: boolean) => Promise<void>;
}

/** Longest wait for the account of a new session. Milliseconds. */
const MAX_WAIT_MS = 5_000;

/**
 * Keeps the photos of one account from another one. Each photo has an owner: the session in which it was queued. It may
 * be uploaded when it has no owner, or when its owner belongs to the connected account. While any photo has another
 * owner, a prompt appears, and nothing is uploaded.
 *
 * An expired session changes no owner: the next session of the same account takes over its photos. The same
 * holds where the service does not report accounts. After a sign-out every photo on the list needs an answer.
 *
 * Photos queued after that, or before any account was connected, have the owner `next`. The next account takes it over,
 * and only then, or for a sign-out that finds such photos, there is a new `next`. So `next` is in storage, or follows from
 * what is there, before a photo has it. A write that fails afterwards cannot hold photos of a user who never changed
 * accounts. An owner that the record does not name always needs an answer: it may be another account's.
 */
export class OwnershipGuard {
  private readonly promptStore = new Observable<OwnershipPrompt>({
    question: null,
    willAsk: false,
  });
  private readonly heldStore = new Observable(false);
  private readonly last: LastAccountStore;
  private isRestored = false;
  private finishRestore = (): void => undefined;
  /** Settles when it is known what an earlier run left. */
  private readonly restored = new Promise<void>((resolve) => {
    this.finishRestore = resolve;
  });
  /** Set while another session replaces the connected one: what `isSwitching` was before. */
  private replacing: { readonly wasSwitching: boolean } | null = null;

  readonly prompt: ReadableObservable<OwnershipPrompt> = this.promptStore;
  /** Whether there is a session, but uploads must wait. */
  readonly isHeld: ReadableObservable<boolean> = this.heldStore;

  constructor(private readonly options: OwnershipGuardOptions) {
    this.last = new LastAccountStore(options.records);
    options.photos.summary.subscribe(() => {
      this.update();
    });
    options.account.state.subscribe((account) => {
      // An account that is reported late counts, too.
      if (account && this.isSettled) {
        void this.settle();
      }
    });
  }

  /** Whether uploads must wait: for an answer, or until the account is known. */
  get holdsUploads(): boolean {
    return !this.isSettled || this.countOthers() > 0;
  }

  /** Whether photos with this owner go to the connected account, or else to the next one, without a question. */
  isOwn(owner: string | null): boolean {
    const { owners, next } = this.last.value;
    return (
      owner === null || owner === next || owner === this.sessionOwner || owners.includes(owner)
    );
  }

  /**
   * The owner of photos that are chosen now: the connected session, else the last one, else the next account. Null while
   * storage has not been read and nobody is connected.
   */
  ownerForNewPhotos(): string | null {
    const { owners, next } = this.last.value;
    const last = owners[owners.length - 1] ?? next;
    return this.sessionOwner ?? (this.isRestored ? last : null);
  }

  /** Takes over what an earlier run left, from the list's other records. */
  restore(records: ReadonlyMap<string, string>): void {
    this.last.restore(records);
    this.isRestored = true;
    this.finishRestore();
  }

  /**
   * Call when there is a session, perhaps a new one. Finds out whether its account is the last one. Uploads wait until
   * that is known, but no longer than some seconds.
   */
  async onSignedIn(): Promise<void> {
    const { account } = this.options;
    this.update();
    await this.restored;
    const session = this.sessionOwner;
    if (session === null || this.replacing) {
      return;
    }
    const asked = account.onSignedIn();
    if (!this.isSettled && this.last.value.account !== null) {
      await this.waitForAccount(asked);
    }
    if (session === this.sessionOwner) {
      await this.settle();
    }
  }

  /**
   * Call when the user has disconnected, or a start finds no session: anybody may connect next. What an earlier run left
   * needs an answer then, also where nobody was connected.
   */
  async onSignedOut(): Promise<void> {
    this.update();
    await this.restored;
    const { account, owners, next, isSwitching } = this.last.value;
    const { photos, newId } = this.options;
    const hasNext = photos.owners.has(next);
    if (owners.length === 0 && !hasNext && !isSwitching) {
      return;
    }
    await this.change({
      account,
      owners: [],
      next: hasNext ? newId() : next,
      isSwitching: false,
    });
  }

  /**
   * Call before another session replaces the connected one. Uploads stop. The other session may be stored only when
   * this has settled: after a kill, the photos then go to no other account without a question.
   * @throws {CwError} when storage refuses that; uploads continue then, and the other session must not be stored
   */
  async beforeSwitch(): Promise<void> {
    this.replacing = { wasSwitching: this.last.value.isSwitching };
    this.update();
    try {
      await this.options.firstRead();
      if (this.options.isSuperseded()) {
        throw storageTakenOverError();
      }
      if (!this.isRestored) {
        throw new CwError('CW-702', 'the upload list could not be read');
      }
      this.replacing = { wasSwitching: this.last.value.isSwitching };
      await this.last.set({ ...this.last.value, isSwitching: true });
    } catch (error) {
      await this.abortSwitch();
      throw error;
    }
  }

  /** Call when the connected session was not replaced: everything is as before. */
  async abortSwitch(): Promise<void> {
    const { value } = this.last;
    const isSwitching = this.replacing?.wasSwitching ?? false;
    this.replacing = null;
    if (value.isSwitching !== isSwitching) {
      await this.change({ ...value, isSwitching });
    }
    // Not awaited: storage may not have been read.
    void this.onSignedIn();
  }

  /** Call when the other session is in use. */
  async afterSwitch(): Promise<void> {
    this.replacing = null;
    await this.onSignedIn();
  }

  /** Updates `prompt` and `isHeld`. Call when a session has begun or ended, or the list belongs to another instance. */
  update(): void {
    const { owner, isSuperseded } = this.options;
    const photos = this.countOthers();
    const isAsked = photos > 0 && this.isSettled && !isSuperseded();
    const { question, willAsk } = this.promptStore.get();
    if (willAsk !== photos > 0 || (question?.photos ?? 0) !== (isAsked ? photos : 0)) {
      this.promptStore.set({ question: isAsked ? { photos } : null, willAsk: photos > 0 });
    }
    this.heldStore.set(owner.get() !== null && this.holdsUploads);
  }

  /** The owner of photos queued in the connected session; null when nobody is connected. */
  private get sessionOwner(): string | null {
    return this.options.owner.get()?.session ?? null;
  }

  /** Whether it is known if the connected account is the last one. */
  private get isSettled(): boolean {
    const { owners, isSwitching } = this.last.value;
    const session = this.sessionOwner;
    return !this.replacing && !isSwitching && session !== null && owners.includes(session);
  }

  /** How many photos on the list have another owner. */
  private countOthers(): number {
    let count = 0;
    for (const [owner, photos] of this.options.photos.owners) {
      count += this.isOwn(owner) ? 0 : photos;
    }
    return count;
  }

  /** Takes over the connected session. */
  private async settle(): Promise<void> {
    const { value } = this.last;
    const session = this.sessionOwner;
    const key = this.options.owner.get()?.account ?? null;
    const { photos, newId, onOtherAccount, watch } = this.options;
    if (
      session === null ||
      this.replacing ||
      (this.isSettled && (key === null || key === value.account) && !photos.owners.has(value.next))
    ) {
      return;
    }
    const isReported = key !== null && value.account !== null;
    // A session of this account is still its session after a switch that a kill has cut short.
    const mayBeOther = value.isSwitching && !value.owners.includes(session);
    const isSame = isReported ? key === value.account : !mayBeOther;
    const forgotten = isSame ? Promise.resolve() : onOtherAccount(isReported);
    this.last.change({
      account: key ?? value.account,
      owners: [
        ...(isSame ? value.owners.filter((owner) => owner !== session) : []),
        value.next,
        session,
      ],
      next: newId(),
      isSwitching: false,
    });
    this.update();
    await watch(async () => {
      // In this order: if the first fails, the next start compares the accounts again.
      await forgotten;
      await this.last.save();
    });
  }

  private async change(value: LastAccountStore['value']): Promise<void> {
    const { watch } = this.options;
    const stored = watch(() => this.last.set(value));
    this.update();
    await stored;
  }

  /** Waits until the service has reported the account, or the request has failed. @param asked  settles then */
  private async waitForAccount(asked: Promise<void>): Promise<void> {
    const { account, clock } = this.options;
    const over = new CancelSource();
    const reported = new Promise<void>((resolve) => {
      if (account.state.get()) {
        resolve();
      }
      over.signal.onCancel(
        account.state.subscribe((known) => {
          if (known) {
            resolve();
          }
        }),
      );
    });
    const waited = sleep(clock, MAX_WAIT_MS, over.signal).catch(() => undefined);
    await Promise.race([reported, asked, waited]);
    over.cancel();
  }
}
