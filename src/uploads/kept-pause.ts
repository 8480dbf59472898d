import { Store, type ReadableStore } from '../base/store.js';
import type { RecordStore } from '../host/host.js';

/** The key of the record; photos' keys are hexadecimal. */
const KEY = 'paused';

/**
 * Whether the person has paused the uploads. Kept in durable storage with the list, so that neither a restarted plugin
 * nor another copy that takes the list over sends anything before Resume is chosen.
 */
export class KeptPause {
  private readonly store = new Store(false);
  /** Whether the person has chosen in this run: that counts more than what an earlier run left. */
  private isChosen = false;
  /** What storage was last told; null when that is not known. */
  private told: boolean | null = null;

  readonly state: ReadableStore<boolean> = this.store;

  constructor(private readonly records: RecordStore) {}

  get isPaused(): boolean {
    return this.store.get();
  }

  /** Whether storage knows what was chosen. */
  get isKept(): boolean {
    return this.isPaused === this.told;
  }

  /** Takes up what an earlier run left, from the list's other records. */
  restore(records: ReadonlyMap<string, string>): void {
    this.told = records.has(KEY);
    if (!this.isChosen) {
      this.store.set(this.told);
    }
  }

  /** To be called when the person chooses Pause or Resume: applies at once, but only in this run. */
  choose(isPaused: boolean): void {
    this.isChosen = true;
    this.store.set(isPaused);
  }

  /** Stores what was chosen. Call when `restore` is over. @throws {CwError} CW-702 to CW-704 */
  async keep(): Promise<void> {
    const { isPaused } = this;
    this.told = isPaused;
    try {
      await (isPaused
        ? this.records.put(KEY, JSON.stringify({ version: 1 }))
        : this.records.remove(KEY));
    } catch (error) {
      this.told = null;
      throw error;
    }
  }
}
