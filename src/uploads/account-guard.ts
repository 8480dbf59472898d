import { Store, type ReadableStore } from '../base/store.js';
import type { RecordStore } from '../host/host.js';
import { AccountQuestion } from './account-question.js';
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

export interface AccountGuardOptions {
  readonly list: UploadList;
  readonly records: RecordStore;
  readonly health: ListHealth;
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

  readonly state: ReadableStore<AccountGuardState> = this.store;

  constructor(private readonly options: AccountGuardOptions) {
    this.kept = new AccountQuestion(options.records);
  }

  /** Whether uploads must hold until an answer is given. */
  get isOpen(): boolean {
    return this.kept.isOpen;
  }

  /** Names the account connected now, for as long as the plugin runs. */
  get account(): number {
    return this.accountNumber;
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

  /** Whoever is connected next may be somebody else: what was removed before is not theirs unasked. */
  expectAnother(): void {
    this.accountNumber += 1;
    this.earlierEnd = this.options.list.endPosition;
  }

  /** The next `askAboutLeft` asks, if anything is left. */
  noteSignedOut(): void {
    this.expectAnother();
    this.mustAskAboutLeft = true;
  }

  /** Asks about what an earlier run left, if nobody is known to be its account. Call when the list is known. */
  async askAboutLeft(): Promise<void> {
    const isDue = this.mustAskAboutLeft && this.options.list.hasUnsent && !this.isOpen;
    this.mustAskAboutLeft = false;
    if (isDue) {
      await this.ask();
    }
  }

  /** From now on uploads hold, and the next account is asked. */
  async ask(): Promise<void> {
    const keeping = this.options.health.watch(() => this.kept.ask());
    this.show(null);
    await keeping;
  }

  /** Photos of an earlier account come back to the list: they are asked about. @throws {CwError} CW-702 to CW-704 */
  async askAboutEarlier(): Promise<void> {
    const keeping = this.kept.askBefore(this.earlierEnd);
    this.updateState();
    await keeping;
  }

  /**
   * An account is connected: shows the question if there are photos to ask about.
   * @returns whether there are none, and uploads may begin
   */
  async askConnected(): Promise<boolean> {
    const { list, health } = this.options;
    const limiting = health.watch(() => this.kept.limitTo(list.endPosition));
    this.earlierEnd = this.kept.end;
    const photos = this.photos.length;
    this.show(photos > 0 ? { photos } : null);
    await limiting;
    if (photos > 0) {
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

  private show(question: AccountGuardState['question']): void {
    this.store.set({ question, willAsk: this.isOpen });
  }
}
