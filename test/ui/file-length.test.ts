import { describe, expect, it } from '@jest/globals';
import { lengthText } from '../../src/ui/file-length.js';
import type { FileLength } from '../../src/host/photo-source.js';
import { en, stringsIn } from './i18n/translations.js';

const pages = (count: number): FileLength => ({ kind: 'pages', pages: count });
const duration = (seconds: number): FileLength => ({ kind: 'duration', seconds });

describe('the length of a file', () => {
  it.each([
    [pages(1), '1 page'],
    [pages(24), '24 pages'],
    [pages(1200), '1,200 pages'],
    [duration(0.2), '0:01'],
    [duration(7), '0:07'],
    [duration(92.4), '1:32'],
    [duration(59.6), '1:00'],
    [duration(3723), '1:02:03'],
    [duration(36_000), '10:00:00'],
  ])('of %j is %s', (length, text) => {
    expect(lengthText(en, length)).toBe(text);
  });

  it('is in the language of the panel', () => {
    expect(lengthText(stringsIn('ja'), pages(24))).toBe('24ページ');
  });
});
