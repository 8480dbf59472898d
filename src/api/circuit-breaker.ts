import { backoffDelay, type BackoffPolicy } from '../util/backoff.js';
import { CancelledError, throwIfCancelled, type CancelSignal } from '../util/cancel.js';
import type { Clock } from '../util/clock.js';
import { CwError, isTransient } from '../util/errors.js';

/** Whether requests pass (`closed`) or wait, for the panel. */
export type CircuitState =
  | { readonly kind: 'closed' }
  /**
   * `until` is the wall-clock time of the next try, in milliseconds; `trying` is set during a probe.
   */
  | {
      readonly kind: 'waiting';
      readonly error: CwError;
      readonly until: number;
      readonly trying?: boolean;
    };

export interface CircuitBreakerOptions {
  readonly clock: Clock;
  /** A number from 0 to 1 for each call, for jitter. */
  readonly random: () => number;
  readonly policy: BackoffPolicy;
  readonly onChange: (state: CircuitState) => void;
}

/**
 * Holds all requests back while the service is unreachable or requires a delay: the circuit is then open. After the delay,
 * a single request is sent as a probe. Its outcome decides for all.
 */
export class CircuitBreaker {
  private failures = 0;
  private isOpen = false;
  /** The last argument of `onChange` while the circuit is open; null while it is closed. */
  private wait: { readonly error: CwError; readonly until: number } | null = null;
  private mayProbe = false;
  private probing = false;
  /** Counts how often the circuit has closed. A probe from before the last closing decides nothing. */
  private period = 0;
  private stopTimer = (): void => undefined;
  private waiters: (() => void)[] = [];

  constructor(private readonly options: CircuitBreakerOptions) {}

  get isClosed(): boolean {
    return !this.isOpen;
  }

  /**
   * Runs `attempt` once the circuit lets it pass. Its outcome opens or closes the circuit.
   * @throws {CancelledError} when `signal` fires while waiting
   * @throws {unknown} whatever `attempt` throws
   */
  async pass<T>(attempt: () => Promise<T>, signal: CancelSignal): Promise<T> {
    const probePeriod = await this.enter(signal);
    try {
      const result = await attempt();
      this.closeCircuit();
      return result;
    } catch (error) {
      const isProbe = probePeriod === this.period;
      if (isProbe) {
        this.probing = false;
      }
      if (error instanceof CwError && isServiceWide(error)) {
        this.openCircuit(error, isProbe);
      } else if (error instanceof CwError && error.status !== undefined) {
        this.closeCircuit();
      } else if (isProbe) {
        this.notify(false);
        this.releaseProbe();
      }
      throw error;
    }
  }

  /** Waits until the circuit is closed, without ever being the probe. @throws {CancelledError} */
  async whenClosed(signal: CancelSignal): Promise<void> {
    throwIfCancelled(signal);
    while (this.isOpen) {
      await this.nextChange(signal);
    }
  }

  /**
   * Ends the current delay early, at the user's request. If the probe fails, the next delay is as short as after a
   * first failure, so that a retry never prolongs the delay.
   */
  probeNow(): void {
    if (!this.isOpen) {
      return;
    }
    this.failures = 0;
    if (this.probing) {
      return;
    }
    this.stopTimer();
    this.releaseProbe();
  }

  /** Waits until a request may go out. Gives the current period if it is the probe, else null. */
  private async enter(signal: CancelSignal): Promise<number | null> {
    throwIfCancelled(signal);
    while (this.isOpen) {
      if (this.mayProbe && !this.probing) {
        this.probing = true;
        this.notify(true);
        return this.period;
      }
      await this.nextChange(signal);
    }
    return null;
  }

  private closeCircuit(): void {
    this.failures = 0;
    if (!this.isOpen) {
      return;
    }
    this.isOpen = false;
    this.wait = null;
    this.period += 1;
    this.probing = false;
    this.mayProbe = false;
    this.stopTimer();
    this.options.onChange({ kind: 'closed' });
    this.wakeAll();
  }

  private openCircuit(error: CwError, isProbe: boolean): void {
    // Requests from before the errors began add no information.
    if (this.isOpen && !isProbe) {
      return;
    }
    const { clock, random, policy } = this.options;
    this.failures += 1;
    this.isOpen = true;
    this.mayProbe = false;
    const wait = backoffDelay(policy, this.failures, random(), error.retryAfterMs);
    this.stopTimer();
    this.stopTimer = clock.startTimer(wait, () => {
      this.releaseProbe();
    });
    this.wait = { error, until: clock.now() + wait };
    this.notify(false);
  }

  private notify(trying: boolean): void {
    if (!this.wait) {
      return;
    }
    const state = { kind: 'waiting', ...this.wait } as const;
    this.options.onChange(trying ? { ...state, trying } : state);
  }

  private releaseProbe(): void {
    this.mayProbe = true;
    this.wakeAll();
  }

  private wakeAll(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const wake of waiters) {
      wake();
    }
  }

  private nextChange(signal: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        stopListening();
        resolve();
      };
      const stopListening = signal.onCancel(() => {
        this.waiters = this.waiters.filter((other) => other !== wake);
        reject(new CancelledError());
      });
      if (!signal.cancelled) {
        this.waiters.push(wake);
      }
    });
  }
}

/**
 * Statuses that concern one request. One of them is 204: a proxy has removed the service's headers from the response.
 */
const ABOUT_ONE: readonly number[] = [204, 408, 425, 500];

/** Whether any other request would fail in the same way. */
function isServiceWide(error: CwError): boolean {
  const { status } = error;
  return isTransient(error) && (status === undefined || !ABOUT_ONE.includes(status));
}
