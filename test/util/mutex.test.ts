import { describe, expect, it } from '@jest/globals';
import { Mutex } from '../../src/util/mutex.js';
import { FakeClock } from '../support/fake-clock.js';
import { sleep } from '../../src/util/clock.js';
import fc from '../support/properties.js';

describe('SerialRunner', () => {
  it('runs steps one at a time in the order asked for, whatever each takes and however it ends', async () => {
    const step = fc.record({ takes: fc.nat(50), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const clock = new FakeClock();
        const runner = new Mutex();
        const order: number[] = [];
        let running = 0;
        let most = 0;
        const results = steps.map(({ takes, fails }, index) =>
          runner.run(async () => {
            running += 1;
            most = Math.max(most, running);
            order.push(index);
            await sleep(clock, takes);
            running -= 1;
            if (fails) throw new Error(`step ${index}`);
            return index;
          }),
        );
        const settled = Promise.allSettled(results);
        await clock.runUntil(settled, { stepMs: 500 });
        expect(order).toEqual(steps.map((_, index) => index));
        expect(most).toBeLessThanOrEqual(1);
        expect((await settled).map(({ status }) => status === 'rejected')).toEqual(
          steps.map(({ fails }) => fails),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('gives what the step gives', async () => {
    const runner = new Mutex();
    await expect(runner.run(() => Promise.resolve('value'))).resolves.toBe('value');
    await expect(runner.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(runner.run(() => Promise.resolve('again'))).resolves.toBe('again');
  });

  it('turns what a step throws at once into a rejection', async () => {
    const runner = new Mutex();
    await expect(
      runner.run(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    await expect(runner.run(() => Promise.resolve(1))).resolves.toBe(1);
  });
});
