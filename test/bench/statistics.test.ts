import { describe, expect, it } from '@jest/globals';

import { median, quantile } from '../../bench/statistics.js';

describe('statistics of the benchmark', () => {
  it('finds the median of an odd and an even number of values, in any order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('does not change the values', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('interpolates quantiles between neighbours', () => {
    expect(quantile([10, 20, 30, 40, 50], 0)).toBe(10);
    expect(quantile([10, 20, 30, 40, 50], 0.9)).toBeCloseTo(46);
    expect(quantile([10, 20, 30, 40, 50], 1)).toBe(50);
    expect(quantile([7], 0.99)).toBe(7);
  });
});
