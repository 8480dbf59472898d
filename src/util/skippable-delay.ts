import { CancelSource, throwIfCancelled, type CancelSignal } from './cancel.js';
import { sleep, type Clock } from './clock.js';

/**
 * The delays of one task, one after the other. The user may skip a delay, but not below its minimum. Timers measure
 * them, so a wall clock that jumps makes none of them shorter.
 */
export class SkippableDelay {
  private skipRequested = false;
  private cut = (): void => undefined;

  constructor(private readonly clock: Clock) {}

  /** Whether the next wait, or the one under way, is to be short. */
  get isHurried(): boolean {
    return this.skipRequested;
  }

  /** Ends the wait under way as soon as its least time is over; when none is under way, shortens the next one. */
  skip(): void {
    this.skipRequested = true;
    this.cut();
  }

  /**
   * Waits `mostMs`, or less when `skip` was called before or is called during the delay, but never less than `leastMs`.
   * Both in milliseconds.
   * @returns whether `skip` was called
   * @throws {CancelledError} as soon as `signal` fires
   */
  async wait(leastMs: number, mostMs: number, signal: CancelSignal): Promise<boolean> {
    await sleep(this.clock, leastMs, signal);
    if (!this.skipRequested && mostMs > leastMs) {
      await this.rest(mostMs - leastMs, signal);
    }
    const wasSkipped = this.skipRequested;
    this.skipRequested = false;
    return wasSkipped;
  }

  private async rest(restMs: number, signal: CancelSignal): Promise<void> {
    const end = new CancelSource();
    this.cut = () => {
      end.cancel();
    };
    const stopListening = signal.onCancel(this.cut);
    try {
      await sleep(this.clock, restMs, end.signal);
    } catch {
      // Cut short, or cancelled.
      throwIfCancelled(signal);
    } finally {
      stopListening();
      this.cut = () => undefined;
    }
  }
}
