import { collectGraphemes } from 'unicode-segmenter/grapheme';

/** A name in two parts. The end is always shown whole; the start is shown as far as there is room. */
export interface TruncatedName {
  readonly start: string;
  readonly end: string;
}

/** How many columns fit into the narrowest panel, and how many of them a name's end gets. A Latin letter takes one. */
const WHOLE_COLUMNS = 16;
const END_COLUMNS = 9;
/** From this code point on (Hangul, kana, Han, emoji) a character is about twice as wide. */
const FIRST_WIDE = 0x1100;
/** Hebrew, Arabic and their relatives: two boxes side by side would show their parts in the wrong order. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/**
 * Where a file's name may be cut in its middle: names often differ at their end only. A visible character stays whole
 * (extended grapheme clusters, Unicode Standard Annex #29). A library finds them, because the host has no
 * `Intl.Segmenter`. A name that always fits is all end; a right-to-left name is all start.
 */
export function truncateMiddle(name: string): TruncatedName {
  if (RIGHT_TO_LEFT.test(name)) {
    return { start: name, end: '' };
  }
  const signs = collectGraphemes(name);
  let columns = 0;
  let endAt = signs.length;
  for (let index = signs.length - 1; index >= 0; index -= 1) {
    columns += (signs[index]?.codePointAt(0) ?? 0) < FIRST_WIDE ? 1 : 2;
    if (columns <= END_COLUMNS) {
      endAt = index;
    }
    if (columns > WHOLE_COLUMNS) {
      return { start: signs.slice(0, endAt).join(''), end: signs.slice(endAt).join('') };
    }
  }
  return { start: '', end: name };
}
