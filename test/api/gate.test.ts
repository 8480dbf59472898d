import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Gate, type GateState } from '../../src/api/gate.js';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../../src/base/cancel.js';
import { CwError } from '../../src/base/errors.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf, type Outcome } from '../support/outcome.js';
import { seededRandom } from '../support/seeded-random.js';

const unreachable = new CwError('CW-301', 'unreachable');

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

describe('Gate', () => {
  let clock: FakeClock;
  let states: GateState[];
  let attempts: Attempts;
  let gate: Gate;

  beforeEach(() => {
    clock = new FakeClock();
    states = [];
    attempts = new Attempts();
    gate = new Gate({
      clock,
      random: () => 0,
      policy: { firstMs: 1000, longestMs: 60_000 },
      onChange: (state) => states.push(state),
    });
  });

  function pass(signal = NEVER_CANCELLED): Outcome<void> {
    return outcomeOf(gate.pass(attempts.next, signal));
  }

  /** Closes the gate by one failed attempt. */
  async function close(error = unreachable): Promise<void> {
    const outcome = pass();
    await clock.settle();
    attempts.first.reject(error);
    await clock.settle();
    expect(outcome.error).toBe(error);
    expect(gate.isOpen).toBe(false);
  }

  it('lets everything through while it is open', async () => {
    const outcomes = [pass(), pass(), pass()];
    await clock.settle();
    expect(attempts.running).toHaveLength(3);
    for (const attempt of [...attempts.running]) attempt.resolve();
    await clock.settle();
    expect(outcomes.map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved']);
    expect(states).toEqual([]);
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
    await close(error);
    expect(states).toEqual([{ kind: 'waiting', error, until: clock.now() + 1000 }]);
  });

  it.each([
    ['a refusal', new CwError('CW-603', 'no', { status: 400 })],
    ['a fault of one request', new CwError('CW-303', 'failed', { status: 500 })],
    ['a senseless answer', new CwError('CW-305', 'odd')],
    ['no session', new CwError('CW-201', 'not connected')],
    ['something unknown', new Error('?')],
    ['being cancelled', new CancelledError()],
  ])('stays open at %s', async (_name, error) => {
    const outcome = pass();
    await clock.settle();
    attempts.first.reject(error);
    await clock.settle();
    expect(outcome.error).toBe(error);
    expect(gate.isOpen).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('lets a single one through after the wait, and all when that succeeds', async () => {
    await close();
    const outcomes = [pass(), pass(), pass()];
    await clock.advance(999);
    expect(attempts.running).toHaveLength(0);
    await clock.advance(1);
    expect(attempts.running).toHaveLength(1);
    await clock.advance(120_000);
    expect(attempts.running).toHaveLength(1);
    attempts.first.resolve();
    await clock.settle();
    expect(states.at(-1)).toEqual({ kind: 'open' });
    expect(attempts.running).toHaveLength(2);
    for (const attempt of [...attempts.running]) attempt.resolve();
    await clock.settle();
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('waits longer after each failed probe, up to the longest wait, and from the start again once it was open', async () => {
    await close();
    const waits: number[] = [];
    for (let probe = 0; probe < 8; probe += 1) {
      pass();
      const before = clock.elapsed;
      while (attempts.running.length === 0) await clock.advanceToNext();
      waits.push(clock.elapsed - before);
      attempts.first.reject(unreachable);
      await clock.settle();
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    pass();
    await clock.advanceToNext();
    attempts.first.resolve();
    await clock.settle();
    await close();
    expect(clock.untilNext).toBe(1000);
  });

  it('waits at least as long as the service asks', async () => {
    const error = new CwError('CW-303', 'busy', { status: 503, retryAfterMs: 90_000 });
    await close(error);
    expect(states.at(-1)).toEqual({ kind: 'waiting', error, until: clock.now() + 90_000 });
    pass();
    await clock.advance(89_999);
    expect(attempts.running).toHaveLength(0);
    await clock.advance(1);
    expect(attempts.running).toHaveLength(1);
  });

  it('learns nothing new from failures of what was under way before', async () => {
    pass();
    pass();
    pass();
    await clock.settle();
    for (const attempt of [...attempts.running]) {
      attempt.reject(unreachable);
      await clock.settle();
    }
    expect(states).toHaveLength(1);
    expect(clock.untilNext).toBe(1000);
    expect(clock.pending).toBe(1);
  });

  it('opens when something that was under way before succeeds', async () => {
    const late = pass();
    await clock.settle();
    const old = attempts.first;
    const failing = outcomeOf(gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await clock.settle();
    expect(failing.error).toBe(unreachable);
    const waiting = pass();
    await clock.settle();
    expect(attempts.started).toBe(1);
    old.resolve();
    await clock.settle();
    expect(late.state).toBe('resolved');
    expect(gate.isOpen).toBe(true);
    attempts.first.resolve();
    await clock.settle();
    expect(waiting.state).toBe('resolved');
    expect(clock.pending).toBe(0);
  });

  it('opens when the probe meets a trouble of its own only: the service answers', async () => {
    await close();
    const probe = pass();
    const other = pass();
    await clock.advance(1000);
    attempts.first.reject(new CwError('CW-603', 'no', { status: 400 }));
    await clock.settle();
    expect(probe.error).toMatchObject({ code: 'CW-603' });
    expect(gate.isOpen).toBe(true);
    attempts.first.resolve();
    await clock.settle();
    expect(other.state).toBe('resolved');
  });

  it.each([
    ['was cancelled', new CancelledError()],
    ['had no session', new CwError('CW-201', 'not connected')],
    ['failed in an unknown way', new Error('?')],
  ])('sends the next one as the probe at once when the probe %s', async (_name, error) => {
    await close();
    const probe = pass();
    const other = pass();
    await clock.advance(1000);
    attempts.first.reject(error);
    await clock.settle();
    expect(probe.error).toBe(error);
    expect(gate.isOpen).toBe(false);
    expect(attempts.running).toHaveLength(1);
    attempts.first.resolve();
    await clock.settle();
    expect(other.state).toBe('resolved');
    expect(gate.isOpen).toBe(true);
  });

  it.each([
    ['fails for all', unreachable],
    ['fails in an unknown way', new Error('?')],
    ['is cancelled', new CancelledError()],
  ])('has one probe only, also when one from before %s', async (_name, error) => {
    const late = pass();
    await clock.settle();
    const old = attempts.first;
    const failing = outcomeOf(gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await clock.settle();
    expect(failing.error).toBe(unreachable);
    pass();
    await clock.advance(1000);
    expect(attempts.started).toBe(2);
    old.reject(error);
    await clock.settle();
    expect(late.error).toBe(error);
    pass();
    await clock.advance(120_000);
    expect(attempts.started).toBe(2);
    expect(states.at(-1)).toMatchObject({ kind: 'waiting', trying: true });
  });

  it('lets the wait go on when what was under way before ends without an answer', async () => {
    const late = pass();
    await clock.settle();
    const old = attempts.first;
    const failing = outcomeOf(gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await clock.settle();
    expect(failing.error).toBe(unreachable);
    old.reject(new CancelledError());
    pass();
    await clock.advance(999);
    expect(late.state).toBe('rejected');
    expect(attempts.started).toBe(1);
    expect(states).toHaveLength(1);
    await clock.advance(1);
    expect(attempts.started).toBe(2);
  });

  it('has no timer left that lets a second one through after it was asked to try at once', async () => {
    await close();
    pass();
    gate.openSoon();
    await clock.settle();
    expect(clock.pending).toBe(0);
    await clock.advance(500);
    attempts.first.reject(unreachable);
    pass();
    await clock.advance(999);
    expect(attempts.started).toBe(2);
    await clock.advance(1);
    expect(attempts.started).toBe(3);
  });

  it('no longer heeds a probe from before it opened', async () => {
    pass();
    await clock.settle();
    const old = attempts.first;
    const failing = outcomeOf(gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await clock.settle();
    expect(failing.error).toBe(unreachable);
    pass();
    await clock.advance(1000);
    const outdatedProbe = attempts.running[1];
    old.resolve();
    await clock.settle();
    expect(gate.isOpen).toBe(true);
    void outcomeOf(gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await clock.settle();
    pass();
    pass();
    await clock.advance(1000);
    expect(attempts.running).toHaveLength(2);
    outdatedProbe?.reject(unreachable);
    await clock.advance(120_000);
    // Only the probe of now: it alone decides.
    expect(attempts.running).toHaveLength(1);
  });

  it('makes whoever comes after the wait the probe', async () => {
    await close();
    await clock.advance(5000);
    const late = pass();
    const later = pass();
    await clock.settle();
    expect(attempts.running).toHaveLength(1);
    attempts.first.resolve();
    await clock.settle();
    attempts.first.resolve();
    await clock.settle();
    expect([late.state, later.state]).toEqual(['resolved', 'resolved']);
  });

  it('tries at once when asked to, though never more than one', async () => {
    await close();
    pass();
    pass();
    await clock.settle();
    gate.openSoon();
    await clock.settle();
    expect(attempts.running).toHaveLength(1);
    gate.openSoon();
    await clock.settle();
    expect(attempts.running).toHaveLength(1);
    attempts.first.reject(unreachable);
    await clock.settle();
    expect(attempts.running).toHaveLength(0);
    expect(clock.pending).toBe(1);
    expect(clock.untilNext).toBe(1000);
  });

  it('never waits longer because somebody asked, and says while it tries', async () => {
    await close();
    for (let probe = 0; probe < 4; probe += 1) {
      pass();
      await clock.advanceToNext();
      attempts.first.reject(unreachable);
      await clock.settle();
    }
    const before = clock.untilNext ?? 0;
    expect(before).toBe(16_000);
    for (let press = 0; press < 5; press += 1) {
      pass();
      gate.openSoon();
      await clock.settle();
      expect(states.at(-1)).toMatchObject({ kind: 'waiting', trying: true });
      attempts.first.reject(unreachable);
      await clock.settle();
      expect(states.at(-1)).not.toHaveProperty('trying');
      expect(clock.untilNext).toBe(1000);
    }
    // What the service itself asks for is heeded all the same.
    pass();
    gate.openSoon();
    await clock.settle();
    attempts.first.reject(new CwError('CW-303', 'busy', { status: 503, retryAfterMs: 90_000 }));
    await clock.settle();
    expect(clock.untilNext).toBe(90_000);
  });

  it('no longer says that it tries when what it tried with was cancelled', async () => {
    await close();
    const source = new CancelSource();
    const probe = outcomeOf(
      gate.pass(
        () =>
          new Promise<void>((_resolve, reject) =>
            source.signal.onCancel(() => {
              reject(new CancelledError());
            }),
          ),
        source.signal,
      ),
    );
    await clock.advance(1000);
    expect(states.at(-1)).toMatchObject({ trying: true });
    source.cancel();
    await clock.settle();
    expect(probe.error).toBeInstanceOf(CancelledError);
    expect(states.at(-1)).not.toHaveProperty('trying');
  });

  it('does nothing when asked to try at once while it is open', async () => {
    gate.openSoon();
    expect(gate.isOpen).toBe(true);
    expect(states).toEqual([]);
    pass();
    await clock.settle();
    expect(attempts.running).toHaveLength(1);
  });

  it('lets go of who is cancelled while waiting', async () => {
    await close();
    const source = new CancelSource();
    const cancelled = pass(source.signal);
    const other = pass();
    await clock.settle();
    source.cancel();
    await clock.settle();
    expect(cancelled.error).toBeInstanceOf(CancelledError);
    await clock.advance(1000);
    attempts.first.resolve();
    await clock.settle();
    expect(other.state).toBe('resolved');
    expect(attempts.started).toBe(2);
  });

  it('attempts nothing for who is cancelled already', async () => {
    const source = new CancelSource();
    source.cancel();
    await expect(gate.pass(attempts.next, source.signal)).rejects.toBeInstanceOf(CancelledError);
    expect(attempts.started).toBe(0);
  });

  it('never has more than one probe under way and leaves nobody waiting, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1 }),
        fc.integer({ min: 5, max: 60 }),
        async (seed, steps) => {
          const random = seededRandom(seed);
          const own = new FakeClock();
          const running: { end: (error: Error | null) => void; isProbe: boolean }[] = [];
          const under = new Gate({
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
            else if (what < 0.9) under.openSoon();
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
