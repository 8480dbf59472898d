import { CancelledError } from '../base/cancel.js';
import { toCwError, type CwError } from '../base/errors.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { PhotoSource } from '../host/host.js';
import type { Intake } from './intake.js';

/** Puts copies of the app's open document onto the list. */
export class DocumentIntake {
  private readonly store = new Store<CwError | null>(null);

  /** Why the open document could not be exported the last time; null when it could. */
  readonly error: ReadableStore<CwError | null> = this.store;

  constructor(
    private readonly intake: Pick<Intake, 'add'>,
    private readonly ownerForNewPhotos: () => string | null,
  ) {}

  /**
   * Queues a copy of the open document; settles when it is queued, refused, or stopped by the person in the app. Never
   * fails: see `error`.
   */
  async add(exportDocument: () => Promise<PhotoSource>): Promise<void> {
    this.dismissError();
    const owner = this.ownerForNewPhotos();
    let photo: PhotoSource;
    try {
      photo = await exportDocument();
    } catch (thrown) {
      if (thrown instanceof CancelledError) {
        return;
      }
      this.store.set(toCwError(thrown, 'CW-805', 'the document was not exported'));
      return;
    }
    await this.intake.add([photo], false, owner);
  }

  dismissError(): void {
    this.store.set(null);
  }
}
