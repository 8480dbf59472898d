import { describe, expect, it } from '@jest/globals';
import { CancelledError, CancelSource } from '../../src/util/cancel.js';
import { sleep } from '../../src/util/clock.js';
import { FakeClock } from '../support/fake-clock.js';

/** The state of a promise: 'pending', 'resolved' or the error it was rejected with. */
function watch(promise: Promise<unknown>): { outcome: unknown } {
  const watched: { outcome: unknown } = { outcome: 'pending' };
  promise.then(
    () => (watched.outcome = 'resolved'),
    (error: unknown) => (watched.outcome = error),
  );
  return watched;
}

describe('sleep', () => {
  it('ends after its time and not before', async () => {
    const clock = new FakeClock();
    const watched = watch(sleep(clock, 1000));
    await clock.advance(999);
    expect(watched.outcome).toBe('pending');
    await clock.advance(1);
    await clock.settle();
    expect(watched.outcome).toBe('resolved');
    expect(clock.pending).toBe(0);
  });

  it('does not heed the wall clock', async () => {
    const clock = new FakeClock();
    const watched = watch(sleep(clock, 1000));
    clock.jumpWall(86_400_000);
    await clock.settle();
    expect(watched.outcome).toBe('pending');
    clock.jumpWall(-2 * 86_400_000);
    await clock.advance(1000);
    expect(watched.outcome).toBe('resolved');
  });

  it('takes a negative time as none', async () => {
    const clock = new FakeClock();
    const watched = watch(sleep(clock, -5));
    await clock.advance(0);
    expect(watched.outcome).toBe('resolved');
  });

  it('rejects as soon as it is cancelled, and leaves no timer', async () => {
    const clock = new FakeClock();
    const source = new CancelSource();
    const watched = watch(sleep(clock, 1000, source.signal));
    source.cancel();
    await clock.settle();
    expect(watched.outcome).toBeInstanceOf(CancelledError);
    expect(clock.pending).toBe(0);
  });

  it('does not begin when it is cancelled already', async () => {
    const clock = new FakeClock();
    const source = new CancelSource();
    source.cancel();
    await expect(sleep(clock, 1000, source.signal)).rejects.toBeInstanceOf(CancelledError);
    expect(clock.started).toEqual([]);
  });

  it('stops listening when it ends', async () => {
    const clock = new FakeClock();
    let listening = 0;
    const signal = {
      cancelled: false,
      onCancel: () => {
        listening += 1;
        return () => {
          listening -= 1;
        };
      },
    };
    const sleeping = sleep(clock, 10, signal);
    expect(listening).toBe(1);
    await clock.advance(10);
    await sleeping;
    expect(listening).toBe(0);
  });
});

describe('the clock of the tests', () => {
  it('shows the time of what it was run for, not a step later', async () => {
    const clock = new FakeClock();
    let isOver = false;
    const arrivesBeforeTheNextStep = (): boolean => {
      setTimeout(() => (isOver = true), 1);
      return isOver;
    };
    await clock.runUntil(arrivesBeforeTheNextStep, { stepMs: 100 });
    expect(clock.elapsed).toBe(0);
  });
});
