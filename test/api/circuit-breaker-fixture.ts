import { expect } from '@jest/globals';
import { CircuitBreaker, type CircuitState } from '../../src/api/circuit-breaker.js';
import { NEVER_CANCELLED } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf, type Outcome } from '../support/outcome.js';

export const unreachable = new CwError('CW-301', 'unreachable');

/** Attempts the test ends by hand. */
class Attempts {
  readonly running: { resolve: () => void; reject: (error: Error) => void }[] = [];
  started = 0;

  readonly next = (): Promise<void> => {
    this.started += 1;
    return new Promise<void>((resolve, reject) => {
      const attempt = {
        resolve: () => {
          this.running.splice(this.running.indexOf(attempt), 1);
          resolve();
        },
        reject: (error: Error) => {
          this.running.splice(this.running.indexOf(attempt), 1);
          reject(error);
        },
      };
      this.running.push(attempt);
    });
  };

  get first(): { resolve: () => void; reject: (error: Error) => void } {
    const [attempt] = this.running;
    if (!attempt) throw new Error('nothing is being attempted');
    return attempt;
  }
}

/** A circuit breaker, its notifications, and the requests that it passed. */
export class CircuitBreakerFixture {
  readonly clock = new FakeClock();
  readonly states: CircuitState[] = [];
  readonly attempts = new Attempts();
  readonly breaker = new CircuitBreaker({
    clock: this.clock,
    random: () => 0,
    policy: { firstMs: 1000, longestMs: 60_000 },
    onChange: (state) => this.states.push(state),
  });

  pass(signal = NEVER_CANCELLED): Outcome<void> {
    return outcomeOf(this.breaker.pass(this.attempts.next, signal));
  }

  /** Opens the circuit by one failed attempt. */
  async open(error = unreachable): Promise<void> {
    const outcome = this.pass();
    await this.clock.settle();
    this.attempts.first.reject(error);
    await this.clock.settle();
    expect(outcome.error).toBe(error);
    expect(this.breaker.isClosed).toBe(false);
  }
}
