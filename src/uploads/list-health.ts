import { toCwError, type CwError } from '../base/errors.js';
import { Store, type ReadableStore } from '../base/store.js';
import { isSuperseded } from '../base/superseded.js';

/** Whether the list can be kept in storage. `state` is the error that says why not, or null. */
export class ListHealth {
  private readonly store = new Store<CwError | null>(null);

  readonly state: ReadableStore<CwError | null> = this.store;

  /** Whether another copy of the plugin owns the list: this one must not touch it any more. */
  get isSuperseded(): boolean {
    return isSuperseded(this.store.get());
  }

  /**
   * Runs a change of the list in storage. A failure becomes the state and is not thrown, so that it
   * stops nothing else; a success ends an earlier failure.
   */
  async watch(change: () => Promise<void>): Promise<void> {
    try {
      await change();
      this.set(null);
    } catch (thrown) {
      this.set(toCwError(thrown, 'CW-702', 'the upload list could not be written'));
    }
  }

  /**
   * Notes trouble that other work met with storage, or that this copy of the plugin is superseded (CW-704).
   * @param error  null when that work has succeeded
   */
  report(error: CwError | null): void {
    this.set(error);
  }

  /** Being superseded is final: no later success and no other failure replaces it. */
  private set(error: CwError | null): void {
    if (isSuperseded(error) || !this.isSuperseded) {
      this.store.set(error);
    }
  }
}
