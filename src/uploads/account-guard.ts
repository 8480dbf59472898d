import { Store, type ReadableStore } from '../base/store.js';
import type { RecordStore } from '../host/host.js';
import { AccountQuestion, type QuestionStanding } from './account-question.js';
import type { ListHealth } from './list-health.js';
import type { UploadList } from './upload-list.js';

export interface AccountGuardState {
  /**
   * Set while the person is asked whether photos of an earlier connection may go to the account that
   * is connected now; nothing is uploaded until it is answered. Null when nothing is asked.
   */
  readonly question: { readonly photos: number } | null;
  /** Whether photos are held until such a question is answered, so that connecting alone does not send them. */
  readonly willAsk: boolean;
}

/** Tells accounts apart, as far as the service says who is connected. */
export interface KnownAccountPort {
  /** Takes up what an earlier run left, from the list's other records. */
  restore?(records: ReadonlyMap<string, string>): void;
  /**
   * Whether the account connected now is the one that `remember` noted last. Called once for each connection and each
   * start; nothing is uploaded until it has settled. It must never fail. `unknown` is for a service that does not tell:
   * what waits is then sent unasked.
   */
  compare(): Promise<'same' | 'other' | 'unknown'>;
  /**
   * Notes the account connected now as the one to compare the next with. Called once the question that was needed, if
   * any, is in durable storage. Must never fail.
   */
  remember(): Promise<void>;
}

export interface AccountGuardOptions {
  readonly list: UploadList;
  readonly records: RecordStore;
  readonly health: ListHealth;
  /**
   * Without it accounts cannot be told apart: after a session that ended by itself, photos go to the next account
   * unasked.
   */
  readonly knownAccount?: KnownAccountPort;
}

/** Owner of photos that must not go to the connected account unasked. */
const NOBODY = -1;

/** What `takeBack` restores when a change of accounts comes to nothing. */
interface Before {
  readonly question: QuestionStanding;
  readonly accountNumber: number;
  readonly earlierEnd: number;
  /** The question that the change has opened. */
  readonly asked: number;
}

/** Keeps the photos of one account from going to another one unasked. */
export class AccountGuard {
  private readonly store = new Store<AccountGuardState>({ question: null, willAsk: false });
  private readonly kept: AccountQuestion;
  /** Grows whenever the next account may be another one: photos removed under a smaller number may be another's. */
  private accountNumber = 0;
  /** Photos with smaller positions were on the list before this account was connected. */
  private earlierEnd = 0;
  /** Whether to ask about what an earlier run left, once that is known. */
  private mustAskAboutLeft = false;
  /** Counts connections: an answer about the account is used only for the connection it was asked for. */
  private connection = 0;
  private comparison: 'due' | 'under way' | 'done' = 'due';
  /** Counts the questions: work that takes time closes only the question it began with. */
  private asked = 0;
  private before: Before | null = null;

  readonly state: ReadableStore<AccountGuardState> = this.store;

  constructor(private readonly options: AccountGuardOptions) {
    this.kept = new AccountQuestion(options.records);
  }

  /** Whether uploads must hold until an answer is given. */
  get isOpen(): boolean {
    return this.kept.isOpen;
  }

  /** Whether uploads must hold: for an answer, or until it is known who is connected. */
  get holdsUploads(): boolean {
    return this.isOpen || this.comparison === 'under way';
  }

  /** A number for whose photos these are, valid in this run. Photos asked about are not the connected account's. */
  ownerOf(ids: readonly string[]): number {
    const { list } = this.options;
    const isAskedAbout = (id: string): boolean =>
      (list.get(id)?.record.position ?? Infinity) < this.kept.end;
    return this.isOpen && ids.some(isAskedAbout) ? NOBODY : this.accountNumber;
  }

  /** Whether photos with this owner may go to the account connected without a question. */
  isOwnedByConnected(owner: number): boolean {
    return owner === this.accountNumber;
  }

  /** The number of the question asked last. */
  get question(): number {
    return this.asked;
  }

  /** The photos asked about. Looks at the whole list. */
  get photos(): readonly string[] {
    return this.options.list.unsentBefore(this.kept.end);
  }

  /**
   * Takes up what an earlier run left, from the list's other records.
   * @returns the smallest position that a new photo may have, so that it does not count among the photos asked about
   */
  restore(records: ReadonlyMap<string, string>): number {
    return this.kept.restore(records);
  }

  /** Notes that the next account may be another one: photos removed before must not go to it unasked. */
  expectAnother(): void {
    this.accountNumber += 1;
    this.earlierEnd = this.options.list.endPosition;
  }

  /** Notes that nobody is connected: the next `askAboutLeft` asks, if anything is left. */
  noteSignedOut(): void {
    this.before = null;
    this.expectAnother();
    this.mustAskAboutLeft = true;
  }

  /**
   * Asks about the photos on the list if `noteSignedOut` was called. Call when the list is known. A question that is
   * open already may be about fewer photos, so it is asked anew, about all.
   */
  async askAboutLeft(): Promise<void> {
    const isDue = this.mustAskAboutLeft && this.options.list.hasUnsent;
    this.mustAskAboutLeft = false;
    if (isDue) {
      await this.ask();
    }
  }

  /** From now on uploads hold, and the next account to connect is asked about all photos on the list then. */
  async ask(): Promise<void> {
    this.asked += 1;
    this.before = null;
    const keeping = this.options.health.watch(() => this.kept.ask());
    this.show(null);
    await keeping;
  }

  /**
   * To be called before another account replaces the connected one. From now on uploads hold, and the other account
   * will be asked about all photos on the list. This must be in storage before the other account's session is.
   * @throws {CwError} CW-702 to CW-704 when it is not stored; nothing has changed then
   */
  async askBeforeChange(): Promise<void> {
    const { standing } = this.kept;
    const { accountNumber, earlierEnd } = this;
    this.asked += 1;
    const before = { question: standing, accountNumber, earlierEnd, asked: this.asked };
    this.before = before;
    this.expectAnother();
    const keeping = this.kept.ask();
    this.show(null);
    try {
      await keeping;
    } catch (error) {
      await this.takeBack();
      throw error;
    }
  }

  /**
   * To be called when the change came to nothing or was to the same account: all is as before `askBeforeChange` again,
   * unless another question was asked since.
   */
  async takeBack(): Promise<void> {
    const { before } = this;
    this.before = null;
    if (before?.asked !== this.asked) {
      return;
    }
    this.accountNumber = before.accountNumber;
    this.earlierEnd = before.earlierEnd;
    const keeping = this.options.health.watch(() => this.kept.putBack(before.question));
    this.updateState();
    await keeping;
  }

  /** Asks about photos of an earlier account that come back to the list. @throws {CwError} CW-702 to CW-704 */
  async askAboutEarlier(): Promise<void> {
    const keeping = this.kept.askBefore(this.earlierEnd);
    this.updateState();
    await keeping;
  }

  /** Notes that a session has ended: the account of the next connection is compared anew. */
  noteDisconnected(): void {
    this.connection += 1;
    this.comparison = 'due';
  }

  /**
   * Finds out whether the account that is connected is another one than before. If so, asks about the photos that wait.
   * Uploads hold from the call on.
   * @param listIsKnown  settles when the list is known
   * @returns whether this call has found out, and the connection is still the same
   */
  async compareAccount(listIsKnown: Promise<void>): Promise<boolean> {
    const { list, knownAccount } = this.options;
    if (!knownAccount || this.comparison !== 'due') {
      return false;
    }
    this.comparison = 'under way';
    const { connection } = this;
    await listIsKnown;
    const waited = list.endPosition;
    const found = await knownAccount.compare();
    const isCurrent = (): boolean => connection === this.connection;
    if (!isCurrent()) {
      return false;
    }
    let isKept = true;
    if (found === 'other') {
      this.accountNumber += 1;
      this.earlierEnd = waited;
      // The service is asked per account which photos it holds. Without this in storage the next start compares again.
      isKept = await this.isStored(() => list.forgetAnswers());
      if (list.unsentBefore(waited).length > 0) {
        isKept = (await this.keepAskingAboutEarlier()) && isKept;
      }
    }
    if (isKept && isCurrent()) {
      await knownAccount.remember();
    }
    if (isCurrent()) {
      this.comparison = 'done';
    }
    return isCurrent();
  }

  /**
   * To be called when an account is connected: shows the question if there are photos to ask about, else closes it.
   * @returns whether there are none, so that uploads may begin
   */
  async askConnected(): Promise<boolean> {
    const { list, health } = this.options;
    const { asked } = this;
    const limiting = health.watch(() => this.kept.limitTo(list.endPosition));
    this.earlierEnd = this.kept.end;
    const photos = this.photos.length;
    this.show(photos > 0 ? { photos } : null);
    await limiting;
    if (photos > 0 || asked !== this.asked) {
      return false;
    }
    await this.close();
    return true;
  }

  /** Hides the question. It stays open, and is shown again to whoever connects. */
  hide(): void {
    this.show(null);
  }

  /** Closes the question: it is answered, or there is nothing left to ask about. */
  async close(): Promise<void> {
    const keeping = this.options.health.watch(() => this.kept.close());
    this.updateState();
    await keeping;
  }

  /** Brings `state` in step with what was restored or put back. */
  updateState(): void {
    this.show(this.store.get().question);
  }

  /** Asks about earlier photos. @returns whether the question is in storage; uploads hold even if it is not */
  private keepAskingAboutEarlier(): Promise<boolean> {
    return this.isStored(() => this.askAboutEarlier());
  }

  /** Makes a change. @returns whether it is in storage; if not, that is shown */
  private async isStored(change: () => Promise<void>): Promise<boolean> {
    let isKept = false;
    await this.options.health.watch(async () => {
      await change();
      isKept = true;
    });
    return isKept;
  }

  private show(question: AccountGuardState['question']): void {
    this.store.set({ question, willAsk: this.isOpen });
  }
}
