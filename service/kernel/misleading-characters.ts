/** Letters whose scripts use the zero-width joiner and non-joiner, and what is joined in emoji. */
const BEFORE_JOINER =
  '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}' +
  '\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}' +
  '\\p{Script=Sinhala}\\p{Script=Khmer}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}';

/** What a variation selector can follow: an ideograph, as in Japanese names, a sign or the digit of a keycap. */
const BEFORE_SELECTOR = '\\p{Script=Han}\\p{Script=Mongolian}\\p{S}\\p{Extended_Pictographic}\\d#*';

/** Letters that are written from right to left: names of files hold direction marks behind them. */
const BEFORE_MARK =
  '\\p{Script=Arabic}\\p{Script=Hebrew}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}';

/**
 * Characters that make a text look different from what it is: control characters, unpaired surrogates, Unicode line
 * breaks, characters that change the direction, and invisible ones. A joiner, a variation selector or a direction mark matches only
 * where no script and no emoji uses it.
 */
export const MISLEADING = new RegExp(
  String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u2800]` +
    String.raw`|(?![\u061c\u200c-\u200f])(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}` +
    String.raw`|(?<![${BEFORE_MARK}])[\u061c\u200e\u200f]` +
    String.raw`|(?<![${BEFORE_JOINER}])[\u200c\u200d]` +
    String.raw`|(?<![${BEFORE_SELECTOR}])\p{Variation_Selector}`,
  'gu',
);
