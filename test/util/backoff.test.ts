import { describe, expect, it } from '@jest/globals';
import { backoffDelay } from '../../src/util/backoff.js';
import fc from '../support/properties.js';

const policy = fc
  .tuple(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 1, max: 3_600_000 }))
  .map(([firstMs, more]) => ({ firstMs, longestMs: firstMs + more }));
const attempt = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1e9 }));
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('backoffDelay', () => {
  it.each([
    [1, 1000],
    [2, 2000],
    [3, 4000],
    [7, 60_000],
    [100, 60_000],
    [1e9, 60_000],
  ])('doubles up to the longest wait: repeat %d after %d ms', (number, wait) => {
    expect(backoffDelay({ firstMs: 1000, longestMs: 60_000 }, number, 0)).toBe(wait);
  });

  it('takes off at most a quarter, and is a whole number of milliseconds', () => {
    fc.assert(
      fc.property(policy, attempt, random, (p, n, r) => {
        const full = backoffDelay(p, n, 0);
        const wait = backoffDelay(p, n, r);
        expect(full).toBeLessThanOrEqual(p.longestMs);
        expect(full).toBeGreaterThanOrEqual(p.firstMs);
        expect(wait).toBeLessThanOrEqual(full);
        expect(wait).toBeGreaterThanOrEqual(Math.floor(full * 0.75));
        expect(Number.isInteger(wait)).toBe(true);
      }),
    );
  });

  it('never waits less after more failures', () => {
    fc.assert(
      fc.property(policy, attempt, random, (p, n, r) => {
        expect(backoffDelay(p, n + 1, r)).toBeGreaterThanOrEqual(backoffDelay(p, n, r));
      }),
    );
  });

  it('is never shorter than what the service asked for', () => {
    fc.assert(
      fc.property(policy, attempt, random, fc.nat(86_400_000), (p, n, r, asked) => {
        const wait = backoffDelay(p, n, r, asked);
        expect(wait).toBe(Math.max(asked, backoffDelay(p, n, r)));
      }),
    );
  });

  it('takes the jitter from the random number', () => {
    const p = { firstMs: 1000, longestMs: 60_000 };
    expect(backoffDelay(p, 1, 0.5)).toBe(875);
    expect(backoffDelay(p, 1, 0.999_999)).toBe(750);
  });
});
