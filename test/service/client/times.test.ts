import { describe, expect, it } from '@jest/globals';
import { localDay, localTime } from '../../../service/client/times.js';

/** In the time zone of the machine, as browsers read it. */
const at = (day: number, hour: number): Date => new Date(2026, 5, day, hour, 5);

describe('a time on a page', () => {
  it.each([
    ['en', at(10, 14), 'today 14:05'],
    ['en', at(10, 0), 'today 00:05'],
    ['en', at(9, 23), 'yesterday 23:05'],
    ['en', at(8, 23), 'Jun 8, 2026, 23:05'],
    ['en', at(11, 0), 'Jun 11, 2026, 00:05'],
    ['de', at(10, 14), 'heute 14:05'],
    ['fr', at(9, 14), 'hier 14:05'],
    ['es', at(9, 14), 'ayer 14:05'],
    ['ja', at(10, 14), '今日 14:05'],
    ['pt-BR', at(9, 14), 'ontem 14:05'],
  ])('in %s at %s is “%s” on the 10th', (language, time, words) => {
    expect(localTime(time, at(10, 15), language)).toBe(words);
  });

  it.each([
    ['en', at(10, 23), 'Jun 10, 23:05'],
    ['fr', at(11, 0), '11 juin, 00:05'],
    ['en', at(12, 0), 'Jun 12'],
    ['de', at(12, 0), '12. Juni'],
    ['ja', new Date(2027, 0, 2), '2027年1月2日'],
  ])('in %s at %s is the day “%s” on the 10th', (language, time, words) => {
    expect(localDay(time, at(10, 15), language)).toBe(words);
  });

  it('is of yesterday also across the change of the year', () => {
    const now = new Date(2027, 0, 1, 0, 5);
    expect(localTime(new Date(2026, 11, 31, 23, 59), now, 'en')).toBe('yesterday 23:59');
  });
});
