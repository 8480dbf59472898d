import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from '../../src/base/retry-after.js';
import fc from '../support/properties.js';

const now = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;

describe('parseRetryAfter', () => {
  it.each([
    ['absent', null, null],
    ['seconds', '120', 120_000],
    ['none', '0', 0],
    ['a date ahead', new Date(now + 90_000).toUTCString(), 90_000],
    ['a date past', new Date(now - 90_000).toUTCString(), 0],
    ['too many seconds', '999999999999', HOUR],
    ['more digits than a number has', '9'.repeat(400), null],
    ['a date too far ahead', 'Fri, 31 Dec 2999 23:59:59 GMT', HOUR],
    ['empty', '', null],
    ['a word', 'soon', null],
    ['a signed number', '-5', null],
    ['a fraction', '1.5', null],
    ['a number with a unit', '5s', null],
  ])('%s', (_name, header, wait) => {
    expect(parseRetryAfter(header, now)).toBe(wait);
  });

  it('gives null or a wait of at most an hour, whatever the header says', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.date().map(String), fc.integer().map(String)),
        (header) => {
          const wait = parseRetryAfter(header, now);
          if (wait === null) return;
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(HOUR);
        },
      ),
    );
  });
});
