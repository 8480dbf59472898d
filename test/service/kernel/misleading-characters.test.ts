import { describe, expect, it } from '@jest/globals';
import { MISLEADING } from '../../../service/kernel/misleading-characters.js';

const mark = (text: string): string => text.replace(MISLEADING, '?');

describe('misleading characters', () => {
  it.each([
    ['control', 'a\u0007b', 'a?b'],
    ['direction override', 'gpj.\u202eexe', 'gpj.?exe'],
    ['direction isolate', '\u2066a\u2069', '?a?'],
    ['direction mark', 'a\u200eb\u061c', 'a?b?'],
    ['line separator', 'a\u2028b', 'a?b'],
    ['zero-width space', 'a\u200bb', 'a?b'],
    ['byte order mark', '\ufeffa', '?a'],
    ['soft hyphen', 'a\u00adb', 'a?b'],
    ['blank braille', '\u2800', '?'],
    ['joiner between Latin letters', 'a\u200db', 'a?b'],
    ['selector behind a Latin letter', 'a\ufe0fb', 'a?b'],
    ['tag', 'a\u{e0041}b', 'a?b'],
    ['unpaired surrogate', 'a\ud800b', 'a?b'],
  ])('include a %s', (_title, text, expected) => {
    expect(mark(text)).toBe(expected);
  });

  it.each([
    'Anna Müller',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '\u0915\u094d\u200d\u0937',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
    '\u2764\ufe0f',
    '\u845b\u{e0100}',
    '1\ufe0f\u20e3',
    '\u0635\u0648\u0631\u0629\u200f',
  ])('do not include those that a script or an emoji needs: %s', (text) => {
    expect(mark(text)).toBe(text);
  });
});
