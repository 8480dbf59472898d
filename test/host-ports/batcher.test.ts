import { beforeEach, describe, expect, it } from '@jest/globals';
import { Batcher } from '../../src/host/browser/batcher.js';

describe('the batcher', () => {
  let calls: (readonly number[])[];
  let isRefused: (numbers: readonly number[]) => boolean;
  const batcher = new Batcher<number, number>((numbers) => {
    calls.push(numbers);
    return isRefused(numbers)
      ? Promise.reject(new Error(`${String(numbers)} refused`))
      : Promise.resolve(numbers.map((number) => 10 * number));
  });

  beforeEach(() => {
    calls = [];
    isRefused = () => false;
  });

  it('runs what is requested in one turn together, and gives each its result', async () => {
    const results = [1, 2, 3].map((number) => batcher.run(number));
    expect(await Promise.all(results)).toEqual([10, 20, 30]);
    expect(await batcher.run(4)).toBe(40);
    expect(calls).toEqual([[1, 2, 3], [4]]);
  });

  it('runs each alone when they fail together, so that only the refused one fails', async () => {
    isRefused = (numbers) => numbers.includes(2);
    const results = [1, 2, 3].map((number) => batcher.run(number));
    expect(await Promise.allSettled(results)).toEqual([
      { status: 'fulfilled', value: 10 },
      { status: 'rejected', reason: new Error('2 refused') },
      { status: 'fulfilled', value: 30 },
    ]);
    expect(calls).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it('runs a single one that fails once', async () => {
    isRefused = () => true;
    await expect(batcher.run(5)).rejects.toThrow('5 refused');
    expect(calls).toEqual([[5]]);
  });
});
