import { describe, expect, it } from '@jest/globals';
import { isPageRange, placesIn, rangeText } from '../../src/host/page-range.js';

/** Front matter in Roman numbers, a chapter with a prefix, and a second page 1. */
const NAMES = ['i', 'ii', '1', '2', '3', 'A-1', 'A-2', '1'];

describe('a page range', () => {
  it.each([
    ['1', [2]],
    ['i-2', [0, 1, 2, 3]],
    ['3, 1', [2, 4]],
    ['2-3,1-2', [2, 3, 4]],
    ['A-2', [6]],
    ['A-1-A-2', [5, 6]],
    ['+8', [7]],
    ['+1-+3', [0, 1, 2]],
    ['3-', [4, 5, 6, 7]],
    ['-ii', [0, 1]],
    [' 1 – 3 ', [2, 3, 4]],
    ['1、3', [2, 4]],
  ])('of %j is the places %j', (text, places) => {
    expect(isPageRange(text)).toBe(true);
    expect(placesIn(text, NAMES)).toEqual(places);
  });

  it.each(['9', '+9', '+0', '3-1', '1-9', 'A-3', '1 3', '1.5'])(
    'of %j is not in the document',
    (text) => {
      expect(isPageRange(text)).toBe(true);
      expect(placesIn(text, NAMES)).toBeNull();
    },
  );

  it.each(['', ' ', '-', ',', '1,', '1,,2', '+', '--', '1'.repeat(101)])('cannot be %j', (text) => {
    expect(isPageRange(text)).toBe(false);
    expect(placesIn(text, NAMES)).toBeNull();
  });

  it('is written with its runs, and a sign before each number', () => {
    expect(rangeText([0, 1, 2, 4, 6, 7])).toBe('1-3,5,7-8');
    expect(rangeText([0, 1, 4], '+')).toBe('+1-+2,+5');
  });
});
