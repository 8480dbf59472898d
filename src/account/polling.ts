import { CancelSource, type CancelSignal } from '../util/cancel.js';
import type { Clock } from '../util/clock.js';
import type { CurrentAccount } from './current-account.js';

export interface PollingOptions {
  readonly clock: Clock;
  readonly account: Pick<CurrentAccount, 'state'>;
  /** Milliseconds between the end of a load and the next. */
  readonly everyMs: number;
  /**
   * Loads once. A failure counts as an answer: the next load comes in time.
   * @returns false when the service refuses; null when there is nothing to load
   */
  readonly load: (signal: CancelSignal) => Promise<boolean> | null;
}

/**
 * Loads something from the service again and again while there is a session. After a refusal it rests until there is another
 * session or permission, or `now` is called.
 */
export class Polling {
  private isRunning = false;
  private isRefused = false;
  /** The permissions of the last session. */
  private scopes = '';
  private running: CancelSource | null = null;
  private stopTimer: (() => void) | null = null;

  constructor(private readonly options: PollingOptions) {
    options.account.state.subscribe((account) => {
      const scopes = account?.scopes?.join(' ') ?? '';
      if (scopes !== this.scopes) {
        this.scopes = scopes;
        if (this.isRefused) {
          this.now();
        }
      }
    });
  }

  /** To be called when there is a session. */
  start(): void {
    this.isRunning = true;
    this.now();
  }

  /** Ends that, and what is under way. */
  stop(): void {
    this.isRunning = false;
    this.isRefused = false;
    this.cancel();
  }

  /** Loads now in place of what is under way. Returns at once. */
  now(): void {
    this.cancel();
    this.isRefused = false;
    if (!this.isRunning) {
      return;
    }
    const running = new CancelSource();
    const loading = this.options.load(running.signal);
    if (!loading) {
      return;
    }
    this.running = running;
    void loading
      .catch(() => true)
      .then((isAnswered) => {
        if (running.signal.cancelled) {
          return;
        }
        this.isRefused = !isAnswered;
        if (isAnswered) {
          this.stopTimer = this.options.clock.startTimer(this.options.everyMs, () => {
            this.now();
          });
        }
      });
  }

  private cancel(): void {
    this.running?.cancel();
    this.running = null;
    this.stopTimer?.();
    this.stopTimer = null;
  }
}
