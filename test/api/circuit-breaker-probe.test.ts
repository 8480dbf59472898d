import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import { outcomeOf } from '../support/outcome.js';
import { CircuitBreakerFixture, unreachable } from './circuit-breaker-fixture.js';

let fixture: CircuitBreakerFixture;

beforeEach(() => {
  fixture = new CircuitBreakerFixture();
});

describe('CircuitBreaker, probes', () => {
  it('closes when the probe fails for a reason that concerns only the probe', async () => {
    await fixture.open();
    const probe = fixture.pass();
    const other = fixture.pass();
    await fixture.clock.advance(1000);
    fixture.attempts.first.reject(new CwError('CW-603', 'no', { status: 400 }));
    await fixture.clock.settle();
    expect(probe.error).toMatchObject({ code: 'CW-603' });
    expect(fixture.breaker.isClosed).toBe(true);
    fixture.attempts.first.resolve();
    await fixture.clock.settle();
    expect(other.state).toBe('resolved');
  });

  it.each([
    ['was cancelled', new CancelledError()],
    ['had no session', new CwError('CW-201', 'not connected')],
    ['failed in an unknown way', new Error('?')],
  ])('sends the next request as the probe at once when the probe %s', async (_name, error) => {
    await fixture.open();
    const probe = fixture.pass();
    const other = fixture.pass();
    await fixture.clock.advance(1000);
    fixture.attempts.first.reject(error);
    await fixture.clock.settle();
    expect(probe.error).toBe(error);
    expect(fixture.breaker.isClosed).toBe(false);
    expect(fixture.attempts.running).toHaveLength(1);
    fixture.attempts.first.resolve();
    await fixture.clock.settle();
    expect(other.state).toBe('resolved');
    expect(fixture.breaker.isClosed).toBe(true);
  });

  it.each([
    ['fails for all', unreachable],
    ['fails in an unknown way', new Error('?')],
    ['is cancelled', new CancelledError()],
  ])('has one probe only, also when an earlier one %s', async (_name, error) => {
    const late = fixture.pass();
    await fixture.clock.settle();
    const old = fixture.attempts.first;
    const failing = outcomeOf(
      fixture.breaker.pass(() => Promise.reject(unreachable), NEVER_CANCELLED),
    );
    await fixture.clock.settle();
    expect(failing.error).toBe(unreachable);
    fixture.pass();
    await fixture.clock.advance(1000);
    expect(fixture.attempts.started).toBe(2);
    old.reject(error);
    await fixture.clock.settle();
    expect(late.error).toBe(error);
    fixture.pass();
    await fixture.clock.advance(120_000);
    expect(fixture.attempts.started).toBe(2);
    expect(fixture.states.at(-1)).toMatchObject({ kind: 'waiting', trying: true });
  });

  it('has no timer left that allows a second probe after an immediate one', async () => {
    await fixture.open();
    fixture.pass();
    fixture.breaker.probeNow();
    await fixture.clock.settle();
    expect(fixture.clock.pending).toBe(0);
    await fixture.clock.advance(500);
    fixture.attempts.first.reject(unreachable);
    fixture.pass();
    await fixture.clock.advance(999);
    expect(fixture.attempts.started).toBe(2);
    await fixture.clock.advance(1);
    expect(fixture.attempts.started).toBe(3);
  });

  it('ignores a probe from before it closed', async () => {
    fixture.pass();
    await fixture.clock.settle();
    const old = fixture.attempts.first;
    const failing = outcomeOf(
      fixture.breaker.pass(() => Promise.reject(unreachable), NEVER_CANCELLED),
    );
    await fixture.clock.settle();
    expect(failing.error).toBe(unreachable);
    fixture.pass();
    await fixture.clock.advance(1000);
    const outdatedProbe = fixture.attempts.running[1];
    old.resolve();
    await fixture.clock.settle();
    expect(fixture.breaker.isClosed).toBe(true);
    void outcomeOf(fixture.breaker.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await fixture.clock.settle();
    fixture.pass();
    fixture.pass();
    await fixture.clock.advance(1000);
    expect(fixture.attempts.running).toHaveLength(2);
    outdatedProbe?.reject(unreachable);
    await fixture.clock.advance(120_000);
    // Only the probe of now: it alone decides.
    expect(fixture.attempts.running).toHaveLength(1);
  });

  it('makes the first request after the wait the probe', async () => {
    await fixture.open();
    await fixture.clock.advance(5000);
    const late = fixture.pass();
    const later = fixture.pass();
    await fixture.clock.settle();
    expect(fixture.attempts.running).toHaveLength(1);
    fixture.attempts.first.resolve();
    await fixture.clock.settle();
    fixture.attempts.first.resolve();
    await fixture.clock.settle();
    expect([late.state, later.state]).toEqual(['resolved', 'resolved']);
  });

  it('probes at once on request, but never more than one at a time', async () => {
    await fixture.open();
    fixture.pass();
    fixture.pass();
    await fixture.clock.settle();
    fixture.breaker.probeNow();
    await fixture.clock.settle();
    expect(fixture.attempts.running).toHaveLength(1);
    fixture.breaker.probeNow();
    await fixture.clock.settle();
    expect(fixture.attempts.running).toHaveLength(1);
    fixture.attempts.first.reject(unreachable);
    await fixture.clock.settle();
    expect(fixture.attempts.running).toHaveLength(0);
    expect(fixture.clock.pending).toBe(1);
    expect(fixture.clock.untilNext).toBe(1000);
  });

  it('never waits longer after a requested probe, and reports while it probes', async () => {
    await fixture.open();
    for (let probe = 0; probe < 4; probe += 1) {
      fixture.pass();
      await fixture.clock.advanceToNext();
      fixture.attempts.first.reject(unreachable);
      await fixture.clock.settle();
    }
    const before = fixture.clock.untilNext ?? 0;
    expect(before).toBe(16_000);
    for (let press = 0; press < 5; press += 1) {
      fixture.pass();
      fixture.breaker.probeNow();
      await fixture.clock.settle();
      expect(fixture.states.at(-1)).toMatchObject({ kind: 'waiting', trying: true });
      fixture.attempts.first.reject(unreachable);
      await fixture.clock.settle();
      expect(fixture.states.at(-1)).not.toHaveProperty('trying');
      expect(fixture.clock.untilNext).toBe(1000);
    }
    // A Retry-After of the service still counts.
    fixture.pass();
    fixture.breaker.probeNow();
    await fixture.clock.settle();
    fixture.attempts.first.reject(
      new CwError('CW-303', 'busy', { status: 503, retryAfterMs: 90_000 }),
    );
    await fixture.clock.settle();
    expect(fixture.clock.untilNext).toBe(90_000);
  });

  it('no longer reports a probe when it was cancelled', async () => {
    await fixture.open();
    const source = new CancelSource();
    const probe = outcomeOf(
      fixture.breaker.pass(
        () =>
          new Promise<void>((_resolve, reject) =>
            source.signal.onCancel(() => {
              reject(new CancelledError());
            }),
          ),
        source.signal,
      ),
    );
    await fixture.clock.advance(1000);
    expect(fixture.states.at(-1)).toMatchObject({ trying: true });
    source.cancel();
    await fixture.clock.settle();
    expect(probe.error).toBeInstanceOf(CancelledError);
    expect(fixture.states.at(-1)).not.toHaveProperty('trying');
  });

  it('ignores probeNow while it is closed', async () => {
    fixture.breaker.probeNow();
    expect(fixture.breaker.isClosed).toBe(true);
    expect(fixture.states).toEqual([]);
    fixture.pass();
    await fixture.clock.settle();
    expect(fixture.attempts.running).toHaveLength(1);
  });
});
