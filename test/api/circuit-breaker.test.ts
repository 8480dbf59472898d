import { beforeEach, describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from '../../src/api/circuit-breaker.js';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf, type Outcome } from '../support/outcome.js';
import fc from '../support/properties.js';
import { seededRandom } from '../support/seeded-random.js';
import { CircuitBreakerFixture, unreachable } from './circuit-breaker-fixture.js';

let fixture: CircuitBreakerFixture;

beforeEach(() => {
  fixture = new CircuitBreakerFixture();
});

describe('CircuitBreaker', () => {
  it('passes every request while it is closed', async () => {
    const outcomes = [fixture.pass(), fixture.pass(), fixture.pass()];
    await fixture.clock.settle();
    expect(fixture.attempts.running).toHaveLength(3);
    for (const attempt of [...fixture.attempts.running]) attempt.resolve();
    await fixture.clock.settle();
    expect(outcomes.map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved']);
    expect(fixture.states).toEqual([]);
  });

  it.each([
    ['no connection', unreachable],
    ['silence', new CwError('CW-302', 'silence')],
    ['429', new CwError('CW-303', 'busy', { status: 429 })],
    ['502', new CwError('CW-303', 'busy', { status: 502 })],
    ['503', new CwError('CW-303', 'busy', { status: 503 })],
    ['504', new CwError('CW-303', 'busy', { status: 504 })],
    ['a fresh token refused', new CwError('CW-303', 'odd', { status: 401 })],
    ['a refresh that has to wait', new CwError('CW-303', 'waiting', { retryAfterMs: 1 })],
  ])('opens for all requests at %s', async (_name, error) => {
    await fixture.open(error);
    expect(fixture.states).toEqual([{ kind: 'waiting', error, until: fixture.clock.now() + 1000 }]);
  });

  it.each([
    ['a refusal', new CwError('CW-603', 'no', { status: 400 })],
    ['a fault of one request', new CwError('CW-303', 'failed', { status: 500 })],
    ['a senseless answer', new CwError('CW-305', 'odd')],
    ['no session', new CwError('CW-201', 'not connected')],
    ['something unknown', new Error('?')],
    ['being cancelled', new CancelledError()],
  ])('stays closed at %s', async (_name, error) => {
    const outcome = fixture.pass();
    await fixture.clock.settle();
    fixture.attempts.first.reject(error);
    await fixture.clock.settle();
    expect(outcome.error).toBe(error);
    expect(fixture.breaker.isClosed).toBe(true);
    expect(fixture.clock.pending).toBe(0);
  });

  it('passes one request after the wait, and all after its success', async () => {
    await fixture.open();
    const outcomes = [fixture.pass(), fixture.pass(), fixture.pass()];
    await fixture.clock.advance(999);
    expect(fixture.attempts.running).toHaveLength(0);
    await fixture.clock.advance(1);
    expect(fixture.attempts.running).toHaveLength(1);
    await fixture.clock.advance(120_000);
    expect(fixture.attempts.running).toHaveLength(1);
    fixture.attempts.first.resolve();
    await fixture.clock.settle();
    expect(fixture.states.at(-1)).toEqual({ kind: 'closed' });
    expect(fixture.attempts.running).toHaveLength(2);
    for (const attempt of [...fixture.attempts.running]) attempt.resolve();
    await fixture.clock.settle();
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(fixture.clock.pending).toBe(0);
  });

  it('doubles the wait after each failed probe up to a maximum, and resets it once closed', async () => {
    await fixture.open();
    const waits: number[] = [];
    for (let probe = 0; probe < 8; probe += 1) {
      fixture.pass();
      const before = fixture.clock.elapsed;
      while (fixture.attempts.running.length === 0) await fixture.clock.advanceToNext();
      waits.push(fixture.clock.elapsed - before);
      fixture.attempts.first.reject(unreachable);
      await fixture.clock.settle();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    fixture.pass();
    await fixture.clock.advanceToNext();
    fixture.attempts.first.resolve();
    await fixture.clock.settle();
    await fixture.open();
    expect(fixture.clock.untilNext).toBe(1000);
  });

  it('waits at least for Retry-After', async () => {
    const error = new CwError('CW-303', 'busy', { status: 503, retryAfterMs: 90_000 });
    await fixture.open(error);
    expect(fixture.states.at(-1)).toEqual({
      kind: 'waiting',
      error,
      until: fixture.clock.now() + 90_000,
    });
    fixture.pass();
    await fixture.clock.advance(89_999);
    expect(fixture.attempts.running).toHaveLength(0);
    await fixture.clock.advance(1);
    expect(fixture.attempts.running).toHaveLength(1);
  });

  it('ignores failures of requests that started before it opened', async () => {
    fixture.pass();
    fixture.pass();
    fixture.pass();
    await fixture.clock.settle();
    for (const attempt of [...fixture.attempts.running]) {
      attempt.reject(unreachable);
      await fixture.clock.settle();
    }
    expect(fixture.states).toHaveLength(1);
    expect(fixture.clock.untilNext).toBe(1000);
    expect(fixture.clock.pending).toBe(1);
  });

  it('closes when an earlier request succeeds', async () => {
    const late = fixture.pass();
    await fixture.clock.settle();
    const old = fixture.attempts.first;
    const failing = outcomeOf(
      fixture.breaker.pass(() => Promise.reject(unreachable), NEVER_CANCELLED),
    );
    await fixture.clock.settle();
    expect(failing.error).toBe(unreachable);
    const waiting = fixture.pass();
    await fixture.clock.settle();
    expect(fixture.attempts.started).toBe(1);
    old.resolve();
    await fixture.clock.settle();
    expect(late.state).toBe('resolved');
    expect(fixture.breaker.isClosed).toBe(true);
    fixture.attempts.first.resolve();
    await fixture.clock.settle();
    expect(waiting.state).toBe('resolved');
    expect(fixture.clock.pending).toBe(0);
  });

  it('continues to wait when an earlier request ends without a response', async () => {
    const late = fixture.pass();
    await fixture.clock.settle();
    const old = fixture.attempts.first;
    const failing = outcomeOf(
      fixture.breaker.pass(() => Promise.reject(unreachable), NEVER_CANCELLED),
    );
    await fixture.clock.settle();
    expect(failing.error).toBe(unreachable);
    old.reject(new CancelledError());
    fixture.pass();
    await fixture.clock.advance(999);
    expect(late.state).toBe('rejected');
    expect(fixture.attempts.started).toBe(1);
    expect(fixture.states).toHaveLength(1);
    await fixture.clock.advance(1);
    expect(fixture.attempts.started).toBe(2);
  });

  it('releases a cancelled waiting request', async () => {
    await fixture.open();
    const source = new CancelSource();
    const cancelled = fixture.pass(source.signal);
    const other = fixture.pass();
    await fixture.clock.settle();
    source.cancel();
    await fixture.clock.settle();
    expect(cancelled.error).toBeInstanceOf(CancelledError);
    await fixture.clock.advance(1000);
    fixture.attempts.first.resolve();
    await fixture.clock.settle();
    expect(other.state).toBe('resolved');
    expect(fixture.attempts.started).toBe(2);
  });

  it('attempts nothing for an already cancelled request', async () => {
    const source = new CancelSource();
    source.cancel();
    await expect(fixture.breaker.pass(fixture.attempts.next, source.signal)).rejects.toBeInstanceOf(
      CancelledError,
    );
    expect(fixture.attempts.started).toBe(0);
  });

  it('never has more than one probe and leaves no request waiting, for random events', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1 }),
        fc.integer({ min: 5, max: 60 }),
        async (seed, steps) => {
          const random = seededRandom(seed);
          const own = new FakeClock();
          const running: { end: (error: Error | null) => void; isProbe: boolean }[] = [];
          const under = new CircuitBreaker({
            clock: own,
            random,
            policy: { firstMs: 1000, longestMs: 60_000 },
            onChange: ({ kind }) => {
              // A probe is an ordinary request once the circuit is closed again.
              if (kind === 'closed') for (const one of running) one.isProbe = false;
            },
          });
          const sources: CancelSource[] = [];
          const outcomes: Outcome<void>[] = [];
          const attempt = (): Promise<void> =>
            new Promise((resolve, reject) => {
              const one = {
                isProbe: !under.isClosed,
                end: (error: Error | null) => {
                  running.splice(running.indexOf(one), 1);
                  if (error) reject(error);
                  else resolve();
                },
              };
              running.push(one);
            });
          const errors = [
            unreachable,
            new CwError('CW-303', 'busy', { status: 503 }),
            new CwError('CW-603', 'no', { status: 400 }),
            new CwError('CW-201', 'not connected'),
            new CancelledError(),
          ];
          const pick = <T>(list: readonly T[]): T | undefined =>
            list[Math.floor(random() * list.length)];
          for (let step = 0; step < steps; step += 1) {
            const what = random();
            if (what < 0.35) {
              const source = new CancelSource();
              sources.push(source);
              outcomes.push(outcomeOf(under.pass(attempt, source.signal)));
            } else if (what < 0.6) pick(running)?.end(pick(errors) ?? null);
            else if (what < 0.75) pick(running)?.end(null);
            else if (what < 0.85) pick(sources)?.cancel();
            else if (what < 0.9) under.probeNow();
            else await own.advance(Math.floor(random() * 5000));
            await own.settle();
            if (!under.isClosed) {
              const probes = running.filter(({ isProbe }) => isProbe);
              expect(probes.length).toBeLessThanOrEqual(1);
            }
          }
          for (
            let round = 0;
            round < 500 && outcomes.some(({ state }) => state === 'pending');
            round += 1
          ) {
            running[0]?.end(null);
            await own.advance(60_000);
          }
          expect(outcomes.filter(({ state }) => state === 'pending')).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
