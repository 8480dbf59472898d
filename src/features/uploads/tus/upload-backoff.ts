import { backoffDelay } from '../../../util/backoff.js';
import type { CancelSignal } from '../../../util/cancel.js';
import { sleep, type Clock } from '../../../util/clock.js';
import { CwError, InterceptionLimit, isTransient } from '../../../util/errors.js';

export interface UploadBackoffOptions {
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for jitter. */
  readonly random: () => number;
  readonly signal: CancelSignal;
}

const BACKOFF = { firstMs: 500, longestMs: 15_000 };
/** A request counts as worthwhile when this many bytes were confirmed, or half of its bytes if that is less. */
const WORTHWHILE_BYTES = 64 * 1024;
/** How many answers in a row may confirm next to nothing of the chunk they take. */
const MAX_LOW_YIELDS = 8;
/** How many contradictions in a row are accepted without progress: offsets that differ, uploads held or unknown. */
const MAX_CONTRADICTIONS = 8;

/**
 * Keeps the number of requests for one photo in proportion to the confirmed bytes. Requests become slower, and finally
 * stop, when the service confirms little, lowers its offset or contradicts itself.
 */
export class UploadBackoff {
  /** The most bytes the service was ever known to hold. Bytes that it took back do not count as progress again. */
  private best = 0;
  /** Bytes of the last request that brought any. */
  private lastRequestBytes = 0;
  /** Whether anything worthwhile was gained since the last interruption. */
  private hasProgress = false;
  private lowYields = 0;
  private failures = 0;
  private contradictions = 0;
  private readonly interceptions = new InterceptionLimit();

  constructor(private readonly options: UploadBackoffOptions) {}

  /** How many tries in a row have gained nothing. */
  get failedAttempts(): number {
    return this.failures;
  }

  /** Call before a request that brings `bytes`: waits if the last answers confirmed little. @throws {CancelledError} */
  async beforeSending(bytes: number): Promise<void> {
    if (bytes === 0) {
      return;
    }
    this.lastRequestBytes = bytes;
    if (this.lowYields > 0) {
      await this.wait(this.lowYields);
    }
  }

  /** Call when the service reports the offset `bytes`, in answer to a HEAD or a creation. */
  onOffset(bytes: number): void {
    const gain = bytes - this.best;
    if (isWorthwhile(gain, this.lastRequestBytes)) {
      this.hasProgress = true;
    }
    this.best = Math.max(this.best, bytes);
  }

  /**
   * Call when the service has accepted a chunk that began at the upload offset `from`, and now holds `bytes`.
   * @throws {CwError} CW-305 when it has accepted next to nothing too many times in a row
   */
  onChunkAccepted(from: number, bytes: number): void {
    this.onOffset(bytes);
    this.lowYields = isWorthwhile(bytes - from, this.lastRequestBytes) ? 0 : this.lowYields + 1;
    if (this.lowYields > MAX_LOW_YIELDS) {
      throw new CwError('CW-305', 'the service keeps next to nothing');
    }
  }

  /**
   * Waits before the next try after `error`; without a delay when there was progress since the last one.
   * @throws {CwError} `error` when it cannot pass; `error` or CW-305 after too many contradictions in a row; CW-304 after
   *   too many responses in a row that were not the service's
   * @throws {CancelledError}
   */
  async delayAfter(error: CwError): Promise<void> {
    const contradicts = isContradiction(error);
    if (!isTransient(error) && !contradicts) {
      throw error;
    }
    if (this.hasProgress) {
      this.failures = 0;
      this.contradictions = 0;
      this.interceptions.reset();
    } else {
      this.failures += 1;
      if (contradicts) {
        this.contradictions += 1;
      }
    }
    this.hasProgress = false;
    this.interceptions.note(error);
    if (this.contradictions > MAX_CONTRADICTIONS) {
      throw asPermanent(error);
    }
    if (this.failures > 0) {
      await this.wait(this.failures);
    }
  }

  private wait(times: number): Promise<void> {
    const { clock, random, signal } = this.options;
    return sleep(clock, backoffDelay(BACKOFF, times, random()), signal);
  }
}

function isWorthwhile(gain: number, brought: number): boolean {
  return gain > 0 && gain >= Math.min(WORTHWHILE_BYTES, brought / 2);
}

/**
 * Whether an answer contradicts an earlier one. 409: the upload offsets differ. 423: an earlier request still holds the
 * upload. Reading the offset again settles both. 404 and 410 on a transient error: the upload is gone and is created
 * again. A response from something else than the service contradicts nothing.
 */
function isContradiction(error: CwError): boolean {
  const { status, code } = error;
  if (code === 'CW-304') {
    return false;
  }
  return status === 409 || status === 423 || (isTransient(error) && isGone(status));
}

/** Whether a status means that the upload no longer exists at the service. */
export function isGone(status: number | undefined): boolean {
  return status === 404 || status === 410;
}

/** Turns `error` into one that does not count as transient, since the last try has been made. */
function asPermanent(error: CwError): CwError {
  if (!isTransient(error)) {
    return error;
  }
  const { status } = error;
  return new CwError('CW-305', 'the service contradicts itself', {
    cause: error,
    ...(status === undefined ? {} : { status }),
  });
}
