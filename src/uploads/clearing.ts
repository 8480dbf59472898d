import type { Clock } from '../base/clock.js';
import type { RecordStore } from '../host/host.js';
import type { ListHealth } from './list-health.js';
import type { UploadList } from './upload-list.js';

export interface ClearingOptions {
  readonly list: UploadList;
  readonly records: RecordStore;
  readonly clock: Clock;
  readonly health: ListHealth;
}

/** Photos that arrive within this time are cleared away in one step: that costs as much as for one. Milliseconds. */
const CLEAR_TOGETHER_MS = 500;

/**
 * Clears away photos that have arrived, several at once.
 *
 * Between the first arrival and the clearing, storage is asked only once whether the list is still this copy's: small
 * photos follow each other so fast that asking for each would cost more than sending it.
 */
export class Clearing {
  private stopTimer: (() => void) | null = null;
  /** Kept only while the timer runs. */
  private lastAnswer: Promise<boolean> | null = null;

  constructor(private readonly options: ClearingOptions) {}

  /** Whether no other copy of the plugin has taken the list over. Storage that cannot say is no reason to stop. */
  isListOurs(): Promise<boolean> {
    const answer = this.lastAnswer ?? this.options.records.isOurs().catch(() => true);
    if (this.stopTimer) {
      this.lastAnswer = answer;
    }
    return answer;
  }

  /** To be called when a photo has arrived. The last one is cleared away at once, others soon. */
  photoArrived(): void {
    const { list, clock } = this.options;
    const { waiting, uploading } = list.summary.get();
    if (waiting + uploading === 0) {
      this.clear();
    } else {
      this.stopTimer ??= clock.startTimer(CLEAR_TOGETHER_MS, () => {
        this.clear();
      });
    }
  }

  /** Clears in the background, so that the network is not idle meanwhile. */
  private clear(): void {
    this.stopTimer?.();
    this.stopTimer = null;
    this.lastAnswer = null;
    void this.options.health.watch(() => this.options.list.clearFinished());
  }
}
