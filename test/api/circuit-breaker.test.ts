import { beforeEach, describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from '../../src/api/circuit-breaker.js';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf, type Outcome } from '../support/outcome.js';
import fc from '../support/properties.js';
import { seededRandom } from '../support/seeded-random.js';
import { GateRig, unreachable } from './circuit-breaker-fixture.js';

let rig: GateRig;

beforeEach(() => {
  rig = new GateRig();
});

describe('Gate', () => {
  it('lets everything through while it is open', async () => {
    const outcomes = [rig.pass(), rig.pass(), rig.pass()];
    await rig.clock.settle();
    expect(rig.attempts.running).toHaveLength(3);
    for (const attempt of [...rig.attempts.running]) attempt.resolve();
    await rig.clock.settle();
    expect(outcomes.map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved']);
    expect(rig.states).toEqual([]);
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
  ])('closes for all at %s', async (_name, error) => {
    await rig.close(error);
    expect(rig.states).toEqual([{ kind: 'waiting', error, until: rig.clock.now() + 1000 }]);
  });

  it.each([
    ['a refusal', new CwError('CW-603', 'no', { status: 400 })],
    ['a fault of one request', new CwError('CW-303', 'failed', { status: 500 })],
    ['a senseless answer', new CwError('CW-305', 'odd')],
    ['no session', new CwError('CW-201', 'not connected')],
    ['something unknown', new Error('?')],
    ['being cancelled', new CancelledError()],
  ])('stays open at %s', async (_name, error) => {
    const outcome = rig.pass();
    await rig.clock.settle();
    rig.attempts.first.reject(error);
    await rig.clock.settle();
    expect(outcome.error).toBe(error);
    expect(rig.gate.isOpen).toBe(true);
    expect(rig.clock.pending).toBe(0);
  });

  it('lets a single one through after the wait, and all when that succeeds', async () => {
    await rig.close();
    const outcomes = [rig.pass(), rig.pass(), rig.pass()];
    await rig.clock.advance(999);
    expect(rig.attempts.running).toHaveLength(0);
    await rig.clock.advance(1);
    expect(rig.attempts.running).toHaveLength(1);
    await rig.clock.advance(120_000);
    expect(rig.attempts.running).toHaveLength(1);
    rig.attempts.first.resolve();
    await rig.clock.settle();
    expect(rig.states.at(-1)).toEqual({ kind: 'open' });
    expect(rig.attempts.running).toHaveLength(2);
    for (const attempt of [...rig.attempts.running]) attempt.resolve();
    await rig.clock.settle();
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(rig.clock.pending).toBe(0);
  });

  it('waits longer after each failed probe, up to the longest wait, and from the start again once it was open', async () => {
    await rig.close();
    const waits: number[] = [];
    for (let probe = 0; probe < 8; probe += 1) {
      rig.pass();
      const before = rig.clock.elapsed;
      while (rig.attempts.running.length === 0) await rig.clock.advanceToNext();
      waits.push(rig.clock.elapsed - before);
      rig.attempts.first.reject(unreachable);
      await rig.clock.settle();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    rig.pass();
    await rig.clock.advanceToNext();
    rig.attempts.first.resolve();
    await rig.clock.settle();
    await rig.close();
    expect(rig.clock.untilNext).toBe(1000);
  });

  it('waits at least as long as the service asks', async () => {
    const error = new CwError('CW-303', 'busy', { status: 503, retryAfterMs: 90_000 });
    await rig.close(error);
    expect(rig.states.at(-1)).toEqual({ kind: 'waiting', error, until: rig.clock.now() + 90_000 });
    rig.pass();
    await rig.clock.advance(89_999);
    expect(rig.attempts.running).toHaveLength(0);
    await rig.clock.advance(1);
    expect(rig.attempts.running).toHaveLength(1);
  });

  it('ignores failures of requests that were active before it opened', async () => {
    rig.pass();
    rig.pass();
    rig.pass();
    await rig.clock.settle();
    for (const attempt of [...rig.attempts.running]) {
      attempt.reject(unreachable);
      await rig.clock.settle();
    }
    expect(rig.states).toHaveLength(1);
    expect(rig.clock.untilNext).toBe(1000);
    expect(rig.clock.pending).toBe(1);
  });

  it('opens when something that was under way before succeeds', async () => {
    const late = rig.pass();
    await rig.clock.settle();
    const old = rig.attempts.first;
    const failing = outcomeOf(rig.gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await rig.clock.settle();
    expect(failing.error).toBe(unreachable);
    const waiting = rig.pass();
    await rig.clock.settle();
    expect(rig.attempts.started).toBe(1);
    old.resolve();
    await rig.clock.settle();
    expect(late.state).toBe('resolved');
    expect(rig.gate.isOpen).toBe(true);
    rig.attempts.first.resolve();
    await rig.clock.settle();
    expect(waiting.state).toBe('resolved');
    expect(rig.clock.pending).toBe(0);
  });

  it('lets the wait go on when what was under way before ends without an answer', async () => {
    const late = rig.pass();
    await rig.clock.settle();
    const old = rig.attempts.first;
    const failing = outcomeOf(rig.gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await rig.clock.settle();
    expect(failing.error).toBe(unreachable);
    old.reject(new CancelledError());
    rig.pass();
    await rig.clock.advance(999);
    expect(late.state).toBe('rejected');
    expect(rig.attempts.started).toBe(1);
    expect(rig.states).toHaveLength(1);
    await rig.clock.advance(1);
    expect(rig.attempts.started).toBe(2);
  });

  it('releases a cancelled waiting request', async () => {
    await rig.close();
    const source = new CancelSource();
    const cancelled = rig.pass(source.signal);
    const other = rig.pass();
    await rig.clock.settle();
    source.cancel();
    await rig.clock.settle();
    expect(cancelled.error).toBeInstanceOf(CancelledError);
    await rig.clock.advance(1000);
    rig.attempts.first.resolve();
    await rig.clock.settle();
    expect(other.state).toBe('resolved');
    expect(rig.attempts.started).toBe(2);
  });

  it('attempts nothing for an already cancelled request', async () => {
    const source = new CancelSource();
    source.cancel();
    await expect(rig.gate.pass(rig.attempts.next, source.signal)).rejects.toBeInstanceOf(
      CancelledError,
    );
    expect(rig.attempts.started).toBe(0);
  });

  it('never has more than one probe and leaves no request waiting, whatever happens', async () => {
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
              // What was a probe is an ordinary request once the gate has opened.
              if (kind === 'open') for (const one of running) one.isProbe = false;
            },
          });
          const sources: CancelSource[] = [];
          const outcomes: Outcome<void>[] = [];
          const attempt = (): Promise<void> =>
            new Promise((resolve, reject) => {
              const one = {
                isProbe: !under.isOpen,
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
            if (!under.isOpen) {
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
