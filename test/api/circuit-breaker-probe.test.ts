import { beforeEach, describe, expect, it } from '@jest/globals';
import { CancelledError, CancelSource, NEVER_CANCELLED } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import { outcomeOf } from '../support/outcome.js';
import { GateRig, unreachable } from './circuit-breaker-fixture.js';

let rig: GateRig;

beforeEach(() => {
  rig = new GateRig();
});

describe('Gate', () => {
  it('closes when the probe fails for a reason of its own only', async () => {
    await rig.close();
    const probe = rig.pass();
    const other = rig.pass();
    await rig.clock.advance(1000);
    rig.attempts.first.reject(new CwError('CW-603', 'no', { status: 400 }));
    await rig.clock.settle();
    expect(probe.error).toMatchObject({ code: 'CW-603' });
    expect(rig.gate.isOpen).toBe(true);
    rig.attempts.first.resolve();
    await rig.clock.settle();
    expect(other.state).toBe('resolved');
  });

  it.each([
    ['was cancelled', new CancelledError()],
    ['had no session', new CwError('CW-201', 'not connected')],
    ['failed in an unknown way', new Error('?')],
  ])('sends the next one as the probe at once when the probe %s', async (_name, error) => {
    await rig.close();
    const probe = rig.pass();
    const other = rig.pass();
    await rig.clock.advance(1000);
    rig.attempts.first.reject(error);
    await rig.clock.settle();
    expect(probe.error).toBe(error);
    expect(rig.gate.isOpen).toBe(false);
    expect(rig.attempts.running).toHaveLength(1);
    rig.attempts.first.resolve();
    await rig.clock.settle();
    expect(other.state).toBe('resolved');
    expect(rig.gate.isOpen).toBe(true);
  });

  it.each([
    ['fails for all', unreachable],
    ['fails in an unknown way', new Error('?')],
    ['is cancelled', new CancelledError()],
  ])('has one probe only, also when one from before %s', async (_name, error) => {
    const late = rig.pass();
    await rig.clock.settle();
    const old = rig.attempts.first;
    const failing = outcomeOf(rig.gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await rig.clock.settle();
    expect(failing.error).toBe(unreachable);
    rig.pass();
    await rig.clock.advance(1000);
    expect(rig.attempts.started).toBe(2);
    old.reject(error);
    await rig.clock.settle();
    expect(late.error).toBe(error);
    rig.pass();
    await rig.clock.advance(120_000);
    expect(rig.attempts.started).toBe(2);
    expect(rig.states.at(-1)).toMatchObject({ kind: 'waiting', trying: true });
  });

  it('has no timer left that allows a second probe after an immediate one', async () => {
    await rig.close();
    rig.pass();
    rig.gate.probeNow();
    await rig.clock.settle();
    expect(rig.clock.pending).toBe(0);
    await rig.clock.advance(500);
    rig.attempts.first.reject(unreachable);
    rig.pass();
    await rig.clock.advance(999);
    expect(rig.attempts.started).toBe(2);
    await rig.clock.advance(1);
    expect(rig.attempts.started).toBe(3);
  });

  it('no longer heeds a probe from before it opened', async () => {
    rig.pass();
    await rig.clock.settle();
    const old = rig.attempts.first;
    const failing = outcomeOf(rig.gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await rig.clock.settle();
    expect(failing.error).toBe(unreachable);
    rig.pass();
    await rig.clock.advance(1000);
    const outdatedProbe = rig.attempts.running[1];
    old.resolve();
    await rig.clock.settle();
    expect(rig.gate.isOpen).toBe(true);
    void outcomeOf(rig.gate.pass(() => Promise.reject(unreachable), NEVER_CANCELLED));
    await rig.clock.settle();
    rig.pass();
    rig.pass();
    await rig.clock.advance(1000);
    expect(rig.attempts.running).toHaveLength(2);
    outdatedProbe?.reject(unreachable);
    await rig.clock.advance(120_000);
    // Only the probe of now: it alone decides.
    expect(rig.attempts.running).toHaveLength(1);
  });

  it('makes the first request after the wait the probe', async () => {
    await rig.close();
    await rig.clock.advance(5000);
    const late = rig.pass();
    const later = rig.pass();
    await rig.clock.settle();
    expect(rig.attempts.running).toHaveLength(1);
    rig.attempts.first.resolve();
    await rig.clock.settle();
    rig.attempts.first.resolve();
    await rig.clock.settle();
    expect([late.state, later.state]).toEqual(['resolved', 'resolved']);
  });

  it('probes at once on request, but never more than one at a time', async () => {
    await rig.close();
    rig.pass();
    rig.pass();
    await rig.clock.settle();
    rig.gate.probeNow();
    await rig.clock.settle();
    expect(rig.attempts.running).toHaveLength(1);
    rig.gate.probeNow();
    await rig.clock.settle();
    expect(rig.attempts.running).toHaveLength(1);
    rig.attempts.first.reject(unreachable);
    await rig.clock.settle();
    expect(rig.attempts.running).toHaveLength(0);
    expect(rig.clock.pending).toBe(1);
    expect(rig.clock.untilNext).toBe(1000);
  });

  it('never waits longer after a requested probe, and reports while it probes', async () => {
    await rig.close();
    for (let probe = 0; probe < 4; probe += 1) {
      rig.pass();
      await rig.clock.advanceToNext();
      rig.attempts.first.reject(unreachable);
      await rig.clock.settle();
    }
    const before = rig.clock.untilNext ?? 0;
    expect(before).toBe(16_000);
    for (let press = 0; press < 5; press += 1) {
      rig.pass();
      rig.gate.probeNow();
      await rig.clock.settle();
      expect(rig.states.at(-1)).toMatchObject({ kind: 'waiting', trying: true });
      rig.attempts.first.reject(unreachable);
      await rig.clock.settle();
      expect(rig.states.at(-1)).not.toHaveProperty('trying');
      expect(rig.clock.untilNext).toBe(1000);
    }
    // What the service itself asks for is heeded all the same.
    rig.pass();
    rig.gate.probeNow();
    await rig.clock.settle();
    rig.attempts.first.reject(new CwError('CW-303', 'busy', { status: 503, retryAfterMs: 90_000 }));
    await rig.clock.settle();
    expect(rig.clock.untilNext).toBe(90_000);
  });

  it('no longer reports a probe when it was cancelled', async () => {
    await rig.close();
    const source = new CancelSource();
    const probe = outcomeOf(
      rig.gate.pass(
        () =>
          new Promise<void>((_resolve, reject) =>
            source.signal.onCancel(() => {
              reject(new CancelledError());
            }),
          ),
        source.signal,
      ),
    );
    await rig.clock.advance(1000);
    expect(rig.states.at(-1)).toMatchObject({ trying: true });
    source.cancel();
    await rig.clock.settle();
    expect(probe.error).toBeInstanceOf(CancelledError);
    expect(rig.states.at(-1)).not.toHaveProperty('trying');
  });

  it('does nothing when asked to try at once while it is open', async () => {
    rig.gate.probeNow();
    expect(rig.gate.isOpen).toBe(true);
    expect(rig.states).toEqual([]);
    rig.pass();
    await rig.clock.settle();
    expect(rig.attempts.running).toHaveLength(1);
  });
});
