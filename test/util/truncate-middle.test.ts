import { describe, expect, it } from '@jest/globals';
import { truncateMiddle } from '../../src/util/truncate-middle.js';

/** Signs that are made of several code units, each with what must not be told apart in it. */
const SIGNS = {
  'an emoji': '\u{1f4f7}',
  'a family': '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
  'a skin tone': '\u{1f44d}\u{1f3fd}',
  'a flag': '\u{1f1e9}\u{1f1ea}',
  'the flag of Scotland': '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  'a heart in colour': '\u2764\ufe0f',
  'a keycap': '1\ufe0f\u20e3',
  'a combining mark, as macOS writes umlauts': 'u\u0308',
  'Hangul in its parts': '\u1112\u1161\u11ab',
  'a conjunct of Devanagari': '\u0915\u094d\u0937\u093f',
};

describe.each(Object.entries(SIGNS))('A name with %s', (_, sign) => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'keeps it whole, %i signs before the end',
    (after) => {
      const tail = `${'0123456789'.slice(0, after)}.jpg`;
      const name = `a wedding in the country ${sign.repeat(6)}${tail}`;
      const { start, end } = truncateMiddle(name);
      expect(start + end).toBe(name);
      expect(end).not.toBe('');
      // Without the whole signs nothing of one is left on either side.
      const [startRest, endRest] = [start, end].map((part) => part.split(sign).join(''));
      expect(`${startRest}${endRest}`).toBe(`a wedding in the country ${tail}`);
    },
  );

  it('is not cut at all where it fits', () => {
    expect(truncateMiddle(`${sign}${sign}.jpg`)).toEqual({ start: '', end: `${sign}${sign}.jpg` });
  });
});

describe('The cut of a name', () => {
  it('leaves short names whole and keeps number and ending of long ones', () => {
    expect(truncateMiddle('IMG_20260101.jpg')).toEqual({ start: '', end: 'IMG_20260101.jpg' });
    expect(truncateMiddle('Hochzeit Anna & Ben 0417.jpg')).toEqual({
      start: 'Hochzeit Anna & Ben',
      end: ' 0417.jpg',
    });
  });

  it('counts wide signs twice', () => {
    expect(truncateMiddle('結婚式の写真.jpg').start).toBe('');
    expect(truncateMiddle('二〇二六年の結婚式.jpg')).toEqual({
      start: '二〇二六年の結',
      end: '婚式.jpg',
    });
  });

  it('does not reorder what is read from right to left', () => {
    const name = 'חתונה של דנה ויוסי 0417.jpg';
    expect(truncateMiddle(name)).toEqual({ start: name, end: '' });
  });

  it('takes names of any kind', () => {
    for (const name of ['', '\ud83d', '\udc68'.repeat(40), 'x'.repeat(5000)]) {
      const { start, end } = truncateMiddle(name);
      expect(start + end).toBe(name);
    }
  });
});
