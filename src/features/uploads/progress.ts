import { EMPTY_SUMMARY, type UploadSummary } from '../queue/index.js';

/**
 * How far the photos are that are sent together. Such a batch begins when the first photo waits. It ends when none
 * waits or is being uploaded, and none is on its way onto the list.
 */
export interface Progress {
  /** Uploaded photos of the batch. */
  readonly uploaded: number;
  readonly total: number;
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** Bytes per second over the last seconds; null while that is not known. */
  readonly bytesPerSecond: number | null;
  /** Whether fewer bytes count as sent than before: the service did not get all, and some are sent again. */
  readonly sendingAgain: boolean;
}

/** The longest and the shortest time over which speed is measured. Milliseconds. */
const MAX_MS = 15_000;
const MIN_MS = 2_000;

/** Computes {@link Progress} from the list's summary. */
export class ProgressMeter {
  private summary = EMPTY_SUMMARY;
  private busy = false;
  /** Photos uploaded before this batch, and their bytes. */
  private earlier = { count: 0, bytes: 0 };
  private movedBytes = 0;
  /** The most bytes that ever counted as sent, for the photos that are there now. */
  private mostSent = 0;
  private samples: readonly { readonly at: number; readonly bytes: number }[] = [];

  /** Must be called for each change. @param adding  whether more photos are on their way onto the list */
  observe(next: UploadSummary, adding: boolean): void {
    const { summary: before } = this;
    // Bytes that have to be sent again no longer count as sent, although the network has carried them.
    this.movedBytes += Math.max(0, next.sentBytes - before.sentBytes);
    // When a photo was removed from the list, its sent bytes left the sum, too.
    const isSmaller = next.totalBytes < before.totalBytes;
    this.mostSent = isSmaller ? next.sentBytes : Math.max(this.mostSent, next.sentBytes);
    this.summary = next;
    // Photos that have been cleared from the list do not count any more.
    const cleared = Math.max(0, before.uploaded - next.uploaded);
    if (cleared > 0) {
      this.earlier = {
        count: Math.max(0, this.earlier.count - cleared),
        bytes: Math.max(0, this.earlier.bytes - (before.sentBytes - next.sentBytes)),
      };
    }
    const pending = next.waiting + next.uploading > 0;
    if (pending && !this.busy) {
      this.earlier = { count: before.uploaded, bytes: before.sentBytes };
      this.mostSent = next.sentBytes;
      this.samples = [];
    }
    if (pending || !adding) {
      this.busy = pending;
    }
    // All photos of the batch were skipped or removed: those before it count, so that they can still be shared or cleared.
    if (!this.busy && next.uploaded + next.failed <= this.earlier.count) {
      this.earlier = { count: 0, bytes: 0 };
    }
  }

  /** @param now  wall-clock time in milliseconds */
  read(now: number): Progress {
    const { earlier, summary } = this;
    const { waiting, uploading, uploaded, failed, sentBytes, totalBytes } = summary;
    this.sample(now, uploading > 0);
    return {
      uploaded: Math.max(0, uploaded - earlier.count),
      total: waiting + uploading + uploaded + failed - earlier.count,
      sentBytes: Math.max(0, sentBytes - earlier.bytes),
      totalBytes: Math.max(0, totalBytes - earlier.bytes),
      bytesPerSecond: this.speed(),
      sendingAgain: sentBytes < this.mostSent,
    };
  }

  private sample(now: number, uploading: boolean): void {
    const last = this.samples[this.samples.length - 1];
    // The clock was set, or the computer slept: earlier samples say nothing now.
    if (!uploading || (last && (now < last.at || now - last.at > MAX_MS))) {
      this.samples = [];
    }
    if (!uploading) {
      return;
    }
    if (!last || now - last.at >= 500) {
      this.samples = [
        ...this.samples.filter(({ at }) => now - at <= MAX_MS),
        { at: now, bytes: this.movedBytes },
      ];
    }
  }

  private speed(): number | null {
    const first = this.samples[0];
    const last = this.samples[this.samples.length - 1];
    if (!first || !last || last.at - first.at < MIN_MS) {
      return null;
    }
    const speed = ((last.bytes - first.bytes) * 1000) / (last.at - first.at);
    return speed > 0 ? speed : null;
  }
}
