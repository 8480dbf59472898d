import type { CircuitState } from '../../api/circuit-breaker.js';
import { backoffDelay } from '../../util/backoff.js';
import type { Clock } from '../../util/clock.js';
import type { CwError } from '../../util/errors.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';

export interface SpaceWaitOptions {
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for jitter. */
  readonly random: () => number;
  /** Starts the uploads that may begin. */
  readonly start: () => void;
}

/** Somebody who makes room in the browser sees within two minutes that uploads continue. */
const BACKOFF = { firstMs: 5_000, longestMs: 120_000 };
const CLOSED: CircuitState = { kind: 'closed' };

/**
 * Holds uploads back while the service has no space for them. After growing delays one photo is tried. All continue
 * once the service has taken bytes of it.
 */
export class SpaceWait {
  private readonly store = new Observable<CircuitState>(CLOSED);
  private refusals = 0;
  /** The id of the photo that is being tried. */
  private tried: string | null = null;
  /** Whether the delay is over, and no photo is being tried. */
  private isDue = false;
  private stopTimer = (): void => undefined;

  readonly state: ReadableObservable<CircuitState> = this.store;

  constructor(private readonly options: SpaceWaitOptions) {}

  /** Takes up the wait of an earlier run. One photo is tried at once. */
  restore(error: CwError): void {
    this.isDue = true;
    this.store.set({ kind: 'waiting', error, until: this.options.clock.now() });
  }

  /** Whether one more upload may begin. */
  get mayBegin(): boolean {
    return this.isDue || this.store.get().kind === 'closed';
  }

  /** Call when an upload begins. @returns whether it is a try */
  begin(id: string): boolean {
    const state = this.store.get();
    if (state.kind === 'closed') {
      return false;
    }
    this.isDue = false;
    this.tried = id;
    this.store.set({ ...state, trying: true });
    return true;
  }

  /** Call when the service has taken bytes of a photo. */
  accept(id: string): void {
    if (id === this.tried) {
      this.end();
      this.options.start();
    }
  }

  /**
   * Call when the service had no space for a photo.
   * @returns whether that begins a delay; a refusal of an upload from before the delay does not
   */
  refuse(id: string, error: CwError): boolean {
    if (this.store.get().kind === 'waiting' && id !== this.tried) {
      return false;
    }
    const { clock, random, start } = this.options;
    this.tried = null;
    this.refusals += 1;
    const delayMs = backoffDelay(BACKOFF, this.refusals, random(), error.retryAfterMs);
    this.stopTimer();
    this.stopTimer = clock.startTimer(delayMs, () => {
      this.isDue = true;
      start();
    });
    this.store.set({ kind: 'waiting', error, until: clock.now() + delayMs });
    return true;
  }

  /** Call when an upload has ended. If it was a try without a result, the next photo is tried at once. */
  leave(id: string): void {
    const state = this.store.get();
    if (id === this.tried && state.kind === 'waiting') {
      this.tried = null;
      this.isDue = true;
      this.store.set({ ...state, trying: false });
    }
  }

  /** Ends the delay, at the user's request. The next one is as short as the first. */
  tryNow(): void {
    this.refusals = 0;
    if (this.store.get().kind === 'waiting' && this.tried === null) {
      this.stopTimer();
      this.isDue = true;
    }
  }

  /** Forgets the refusals: there is space, or another account is connected. */
  end(): void {
    this.stopTimer();
    this.refusals = 0;
    this.tried = null;
    this.isDue = false;
    this.store.set(CLOSED);
  }
}
