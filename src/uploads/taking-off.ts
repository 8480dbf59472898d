import type { RequestQueue } from '../api/request-queue.js';
import { NEVER_CANCELLED } from '../base/cancel.js';
import { Store, type ReadableStore } from '../base/store.js';
import type { ListHealth } from './list-health.js';
import type { Removal } from './removals.js';
import type { Sending } from './sending.js';
import { terminateUpload } from './tus-upload.js';
import type { UploadList } from './upload-list.js';

export interface TakingOffOptions {
  readonly list: UploadList;
  readonly queue: RequestQueue;
  /** Address of the upload collection. */
  readonly endpoint: string;
  /** Whether there is a session to upload with. */
  readonly isConnected: () => boolean;
  readonly health: ListHealth;
  readonly sending: Sending;
}

/** The newest removal, as the person sees it. */
export interface ShownRemoval {
  readonly photos: number;
}

/** Takes photos off the list for the person, and puts those of the newest removal back. */
export class TakingOff {
  private readonly store = new Store<ShownRemoval | null>(null);
  private shown: Removal | null = null;

  /** The newest removal, as long as it can be undone; null when there is none. */
  readonly removal: ReadableStore<ShownRemoval | null> = this.store;

  constructor(private readonly options: TakingOffOptions) {}

  /** Stops the uploads of photos, then takes them off the list. Trouble with storage is shown, not thrown. */
  async takeOff(ids: readonly string[]): Promise<void> {
    const { list, health, sending } = this.options;
    await sending.stopAndTakeOff(ids, () => {
      const removed = health.watch(() => list.remove(ids));
      this.updateRemoval();
      return removed;
    });
    this.dropAbandoned();
  }

  /** Puts the photos of the newest removal back. Those of another account are asked about before they are sent. */
  async undo(): Promise<void> {
    const { list, health, sending } = this.options;
    await health.watch(() => list.undoRemoval());
    this.updateRemoval();
    sending.start();
  }

  /** Updates `removal` from the list. Call when a removal may have become final, such as when the disk is full. */
  updateRemoval(): void {
    const removal = this.options.list.newestRemoval;
    if (removal === this.shown) {
      return;
    }
    this.shown = removal;
    this.store.set(removal && { photos: removal.items.length });
  }

  /** Tells the service in the background to drop abandoned uploads, which otherwise take up space until they expire. */
  dropAbandoned(): void {
    const { list, queue, endpoint, isConnected } = this.options;
    if (!isConnected()) {
      return;
    }
    void (async () => {
      for (const address of list.takeAbandoned()) {
        await terminateUpload(queue, endpoint, address, NEVER_CANCELLED).catch(() => undefined);
      }
    })();
  }
}
