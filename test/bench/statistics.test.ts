import { describe, expect, it } from '@jest/globals';

import { fitLine, growthExponent, median, quantile } from '../../bench/statistics.js';

describe('statistics of the benchmark', () => {
  it('finds the middle of an odd and of an even number of values, in any order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('leaves the values as they were', () => {
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

  it('fits a line by least squares', () => {
    // The classical example: y = 3.5 + 1.4 x for these four points.
    const { slope, intercept } = fitLine([
      [1, 6],
      [2, 5],
      [3, 7],
      [4, 10],
    ]);
    expect(slope).toBeCloseTo(1.4);
    expect(intercept).toBeCloseTo(3.5);
    expect(
      fitLine([
        [2, 1],
        [2, 5],
      ]).slope,
    ).toBeNaN();
  });

  it('tells constant, linear and quadratic growth apart', () => {
    const grown = (power: number): number =>
      growthExponent([10, 100, 1000].map((x) => [x, 3 * x ** power]));
    expect(grown(0)).toBeCloseTo(0);
    expect(grown(1)).toBeCloseTo(1);
    expect(grown(2)).toBeCloseTo(2);
  });
});
