/** Letters whose scripts use the zero-width joiner and non-joiner, and what is joined in emoji. */
const BEFORE_JOINER =
  '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}' +
  '\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}' +
  '\\p{Script=Sinhala}\\p{Script=Khmer}\\p{M}\\p{Extended_Pictographic}\\p{Emoji_Modifier}';

/** What a variation selector can follow: an ideograph, as in Japanese names, a sign or the digit of a keycap. */
const BEFORE_SELECTOR = '\\p{Script=Han}\\p{Script=Mongolian}\\p{S}\\p{Extended_Pictographic}\\d#*';

/**
 * Characters that make a text look different from what it is: control characters, unpaired surrogates, Unicode line
 * breaks, characters that change the direction, and invisible ones. A joiner or a variation selector matches only where
 * no script and no emoji uses it.
 */
export const MISLEADING = new RegExp(
  String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u2800]` +
    String.raw`|(?![\u200c\u200d])(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}` +
    String.raw`|(?<![${BEFORE_JOINER}])[\u200c\u200d]` +
    String.raw`|(?<![${BEFORE_SELECTOR}])\p{Variation_Selector}`,
  'gu',
);
