import { Store, type ReadableStore } from '../base/store.js';
import type { RecordStore } from '../host/host.js';
import { AccountQuestion, type QuestionStanding } from './account-question.js';
import type { ListHealth } from './list-health.js';
import type { UploadList } from './upload-list.js';

export interface AccountGuardState {
  /**
   * After an explicit Disconnect with photos waiting, the next Connect asks whether they should go to
   * the account now connected; nothing is uploaded until it is answered. Null when nothing is asked.
   */
  readonly question: { readonly photos: number } | null;
  /** Whether photos are held until such a question is answered: what waits is not sent as soon as one is connected. */
  readonly willAsk: boolean;
}

/** Tells accounts apart, as far as the service says who is connected. */
export interface KnownAccountPort {
  /** Takes up what an earlier run left, from the list's other records. */
  restore?(records: ReadonlyMap<string, string>): void;
  /**
   * Whether the account connected now is the one that was connected before, as `remember` left it. Called once for each
   * connection and each start; nothing is uploaded until it has settled. It must never fail. `unknown` is for a service
   * that does not tell: what waits is then sent unasked.
   */
  compare(): Promise<'same' | 'other' | 'unknown'>;
  /** What had to be asked is in durable storage: from now on the account connected is the one before. Must never fail. */
  remember(): Promise<void>;
}

export interface AccountGuardOptions {
  readonly list: UploadList;
  readonly records: RecordStore;
  readonly health: ListHealth;
  /**
   * Without it accounts cannot be told apart: after a session that ended by itself, the next connection is not asked
   * about.
   */
  readonly knownAccount?: KnownAccountPort;
}

/** Owner of photos that must not go to the account connected unasked. */
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
  /** Counts the times somebody else may have been connected next: photos removed before the last one were perhaps another's. */
  private accountNumber = 0;
  /** Photos with smaller positions were on the list before this account was connected. */
  private earlierEnd = 0;
  /** What an earlier run left is to be asked about, once it is known. */
  private mustAskAboutLeft = false;
  /** Counts connections: what is learned of an account belongs to the connection it was asked for. */
  private connection = 0;
  private comparison: 'due' | 'under way' | 'done' = 'due';
  /** Counts the questions: work that takes time answers only the one it began with. */
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

  /** Names whose photos these are, for as long as the plugin runs. Those asked about are not the connected account's. */
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

  /** Names the question asked last. */
  get question(): number {
    return this.asked;
  }

  /** The photos asked about. Looks at the whole list. */
  get photos(): readonly string[] {
    return this.options.list.unsentBefore(this.kept.end);
  }

  /**
   * Takes up what an earlier run left, from the list's other records.
   * @returns the smallest position that a new photo may have: those asked about leave theirs free when they are removed
   */
  restore(records: ReadonlyMap<string, string>): number {
    return this.kept.restore(records);
  }

  /** The next account may be another one: what was removed before must not go to it unasked. */
  expectAnother(): void {
    this.accountNumber += 1;
    this.earlierEnd = this.options.list.endPosition;
  }

  /** The next `askAboutLeft` asks, if anything is left. */
  noteSignedOut(): void {
    this.before = null;
    this.expectAnother();
    this.mustAskAboutLeft = true;
  }

  /**
   * Asks about what an earlier run left, unless it is known whose it is. Call when the list is known. A question that
   * is open already may be about fewer photos: it is asked anew, about all.
   */
  async askAboutLeft(): Promise<void> {
    const isDue = this.mustAskAboutLeft && this.options.list.hasUnsent;
    this.mustAskAboutLeft = false;
    if (isDue) {
      await this.ask();
    }
  }

  /** From now on uploads hold, and the next account is asked. */
  async ask(): Promise<void> {
    this.asked += 1;
    this.before = null;
    const keeping = this.options.health.watch(() => this.kept.ask());
    this.show(null);
    await keeping;
  }

  /**
   * Another account is about to take the place of the one connected: from now on uploads hold, and all photos on the
   * list then are asked about. This must be in storage before the other account is.
   * @throws {CwError} CW-702 to CW-704 when it is not; nothing has changed then
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

  /** There was no change, or not of the account: all is as before `askBeforeChange`, unless more was asked since. */
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

  /** Photos of an earlier account come back to the list: they are asked about. @throws {CwError} CW-702 to CW-704 */
  async askAboutEarlier(): Promise<void> {
    const keeping = this.kept.askBefore(this.earlierEnd);
    this.updateState();
    await keeping;
  }

  /** A session has ended: the next connection is compared anew. */
  noteDisconnected(): void {
    this.connection += 1;
    this.comparison = 'due';
  }

  /**
   * Somebody is connected. If that is known to be another account than before, the photos that wait are asked about.
   * Uploads hold from the call on.
   * @param listIsKnown  settles when the list is
   * @returns whether it is known now, for this connection and by this call
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
      if (list.unsentBefore(waited).length > 0) {
        isKept = await this.keepAskingAboutEarlier();
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
   * An account is connected: shows the question if there are photos to ask about.
   * @returns whether there are none, and uploads may begin
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

  /** Takes the question out of sight. It stays open, and is shown again to whoever connects. */
  hide(): void {
    this.show(null);
  }

  /** The question is answered, or there is nothing left to ask about. */
  async close(): Promise<void> {
    const keeping = this.options.health.watch(() => this.kept.close());
    this.updateState();
    await keeping;
  }

  /** Brings `state` in step with what was restored or put back. */
  updateState(): void {
    this.show(this.store.get().question);
  }

  /** @returns whether storage has the question; uploads hold also if not */
  private async keepAskingAboutEarlier(): Promise<boolean> {
    let isKept = false;
    await this.options.health.watch(async () => {
      await this.askAboutEarlier();
      isKept = true;
    });
    return isKept;
  }

  private show(question: AccountGuardState['question']): void {
    this.store.set({ question, willAsk: this.isOpen });
  }
}
