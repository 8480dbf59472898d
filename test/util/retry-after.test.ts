import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from '../../src/util/retry-after.js';
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
    expect(parseRetryAfter(header, null, now)).toBe(wait);
  });

  const DAY = 24 * HOUR;

  it.each([
    ['a day fast', DAY],
    ['a day slow', -DAY],
    ['right', 0],
  ])('measures a date against the response’s own Date where the local clock is %s', (_, wrong) => {
    const date = new Date(now).toUTCString();
    const until = new Date(now + 90_000).toUTCString();
    expect(parseRetryAfter(until, date, now + wrong)).toBe(90_000);
    expect(parseRetryAfter('120', date, now + wrong)).toBe(120_000);
  });

  it.each([
    ['as most write it', 'Thu, 15 Jan 2026 12:01:30 GMT'],
    ['of RFC 850', 'Thursday, 15-Jan-26 12:01:30 GMT'],
    ['of asctime, which names no zone', 'Thu Jan 15 12:01:30 2026'],
  ])('reads a date %s', (_, until) => {
    expect(parseRetryAfter(until, 'Thu, 15 Jan 2026 12:00:00 GMT', now - DAY)).toBe(90_000);
    expect(parseRetryAfter(until, null, now)).toBe(90_000);
  });

  it.each(['', 'soon', '5', 'Thu, 99 Jan 2026 12:00:00 GMT'])(
    'measures a date against the local clock where the response’s Date is %j',
    (date) => {
      expect(parseRetryAfter(new Date(now + 90_000).toUTCString(), date, now)).toBe(90_000);
    },
  );

  it('gives null or a wait of at most an hour, for any header', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.date().map(String), fc.integer().map(String)),
        (header) => {
          const wait = parseRetryAfter(header, null, now);
          if (wait === null) return;
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(HOUR);
        },
      ),
    );
  });
});
