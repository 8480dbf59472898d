import { parseJsonObject, numberField } from '../base/json.js';
import type { RecordStore } from '../host/host.js';

/** The key of the record; photos' keys are hexadecimal. */
const KEY = 'account-question';

/** Whether a question is open, and about which photos: those with smaller positions, or all (null). */
export interface QuestionStanding {
  readonly isOpen: boolean;
  readonly endPosition: number | null;
}

/**
 * The question whether photos of an earlier connection may go to the account that is connected next.
 * Kept in durable storage, so that a restart in between does not send them unasked.
 */
export class AccountQuestion {
  private open = false;
  /** Photos with smaller positions are asked about; null for all there are when the next account connects. */
  private endPosition: number | null = null;

  constructor(private readonly records: RecordStore) {}

  /** Whether uploads must hold until an answer is given. */
  get isOpen(): boolean {
    return this.open;
  }

  /** The photos asked about are those with smaller positions than this. */
  get end(): number {
    return this.endPosition ?? Infinity;
  }

  /**
   * Takes up what an earlier run left, from the list's other records.
   * @returns the smallest position that a new photo may have without being asked about
   */
  restore(records: ReadonlyMap<string, string>): number {
    const text = records.get(KEY);
    if (text !== undefined && !this.open) {
      this.open = true;
      this.endPosition = numberField(parseJsonObject(text) ?? {}, 'endPosition');
    }
    return this.endPosition ?? 0;
  }

  /** How things stand, for {@link putBack}. */
  get standing(): QuestionStanding {
    return { isOpen: this.open, endPosition: this.endPosition };
  }

  /** Restores an earlier standing. @throws {CwError} CW-702 to CW-704 */
  async putBack({ isOpen, endPosition }: QuestionStanding): Promise<void> {
    if (!isOpen) {
      await this.close();
      return;
    }
    this.open = true;
    this.endPosition = endPosition;
    await this.note();
  }

  /**
   * Opens the question about all photos on the list when the next account connects. In memory it is open at once, even
   * if storage refuses it.
   * @throws {CwError} CW-702 to CW-704
   */
  async ask(): Promise<void> {
    this.open = true;
    this.endPosition = null;
    await this.note();
  }

  /**
   * Opens the question about photos with smaller positions, which were another account's. In memory it is open at once,
   * even if storage refuses it.
   * @throws {CwError} CW-702 to CW-704
   */
  async askBefore(endPosition: number): Promise<void> {
    this.open = true;
    this.endPosition = endPosition;
    await this.note();
  }

  /**
   * To be called when an account is connected: photos queued from now on, at `endPosition` or later, are its own.
   * @throws {CwError} CW-702 to CW-704
   */
  async limitTo(endPosition: number): Promise<void> {
    if (this.endPosition !== null) {
      return;
    }
    this.endPosition = endPosition;
    await this.note();
  }

  /** Closes the question: it is answered, or there is nothing left to ask about. @throws {CwError} CW-702 to CW-704 */
  async close(): Promise<void> {
    this.open = false;
    this.endPosition = null;
    await this.records.remove(KEY);
  }

  private async note(): Promise<void> {
    await this.records.put(KEY, JSON.stringify({ version: 1, endPosition: this.endPosition }));
  }
}
