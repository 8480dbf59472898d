import { backoffDelay } from '../base/backoff.js';
import type { CancelSignal } from '../base/cancel.js';
import { sleep, type Clock } from '../base/clock.js';
import { CwError, isTransient } from '../base/errors.js';

export interface UploadPaceOptions {
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for jitter. */
  readonly random: () => number;
  readonly signal: CancelSignal;
}

const BACKOFF = { firstMs: 500, longestMs: 15_000 };
/** A request counts as worthwhile when this many bytes were confirmed, or half of what it brought if that is less. */
const WORTHWHILE_BYTES = 64 * 1024;
/** Answers in a row that take a chunk and confirm next to nothing of it. */
const MOST_MEAGRE = 8;
/** Contradictions in a row without anything gained: offsets that differ, uploads held or unknown. */
const MOST_CONTRADICTIONS = 8;

/**
 * Keeps the requests that one photo costs in proportion to what the service confirms of it. A service that confirms
 * little, takes back what it confirmed, or contradicts itself is asked more and more slowly, and in the end no more.
 */
export class UploadPace {
  /** The most bytes the service was ever known to hold. What it takes back is not gained a second time. */
  private best = 0;
  /** Bytes of the last request that brought any. */
  private brought = 0;
  /** Whether anything worthwhile was gained since the last interruption. */
  private hasGained = false;
  private meagre = 0;
  private fruitless = 0;
  private contradictions = 0;

  constructor(private readonly options: UploadPaceOptions) {}

  /** Waits before a request that brings `bytes`, after answers that confirmed little. @throws {CancelledError} */
  async beforeSending(bytes: number): Promise<void> {
    if (bytes === 0) {
      return;
    }
    this.brought = bytes;
    if (this.meagre > 0) {
      await this.rest(this.meagre);
    }
  }

  /** The service says that it holds `bytes`: asked for it, or in answer to a creation. */
  holds(bytes: number): void {
    const gain = bytes - this.best;
    if (isWorthwhile(gain, this.brought)) {
      this.hasGained = true;
    }
    this.best = Math.max(this.best, bytes);
  }

  /**
   * The service took a chunk that was sent from `from` on, and now holds `bytes`.
   * @throws {CwError} CW-305 when it has taken next to nothing too many times in a row
   */
  took(from: number, bytes: number): void {
    this.holds(bytes);
    this.meagre = isWorthwhile(bytes - from, this.brought) ? 0 : this.meagre + 1;
    if (this.meagre > MOST_MEAGRE) {
      throw new CwError('CW-305', 'the service keeps next to nothing of what is sent');
    }
  }

  /**
   * Waits before the next try after `error`; not at all when something was gained since the last one.
   * @throws {CwError} `error` when it does not pass, or what became of it when it came too many times in a row
   * @throws {CancelledError}
   */
  async afterTrouble(error: CwError): Promise<void> {
    const contradicts = isContradiction(error);
    if (!isTransient(error) && !contradicts) {
      throw error;
    }
    if (this.hasGained) {
      this.fruitless = 0;
      this.contradictions = 0;
    } else {
      this.fruitless += 1;
      if (contradicts) {
        this.contradictions += 1;
      }
    }
    this.hasGained = false;
    if (this.contradictions > MOST_CONTRADICTIONS) {
      throw forGood(error);
    }
    if (this.fruitless > 0) {
      await this.rest(this.fruitless);
    }
  }

  private rest(times: number): Promise<void> {
    const { clock, random, signal } = this.options;
    return sleep(clock, backoffDelay(BACKOFF, times, random()), signal);
  }
}

function isWorthwhile(gain: number, brought: number): boolean {
  return gain > 0 && gain >= Math.min(WORTHWHILE_BYTES, brought / 2);
}

/**
 * 409: the offsets differ. 423: an earlier request still holds the upload. Asking again settles both.
 * 404 and 410 when they pass: the upload is gone, and begins anew.
 */
function isContradiction(error: CwError): boolean {
  const { status } = error;
  return status === 409 || status === 423 || (isTransient(error) && isGone(status));
}

export function isGone(status: number | undefined): boolean {
  return status === 404 || status === 410;
}

/** The error as one that does not pass: the last try has been made. */
function forGood(error: CwError): CwError {
  if (!isTransient(error)) {
    return error;
  }
  const { status } = error;
  return new CwError('CW-305', 'the service contradicts itself again and again', {
    cause: error,
    ...(status === undefined ? {} : { status }),
  });
}
