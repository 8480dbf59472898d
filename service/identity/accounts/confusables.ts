/** For each letter the characters that look like it; {@link confusableSkeleton} compares them in lower case. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ@ꭺᎪ4',
  b: 'ьвβʙᏏᖯ8',
  c: 'сϲᴄⅽᏟꮯ¢',
  d: 'ԁɗᴅⅾᏧꓒ',
  e: 'еєεɛҽᴇ℮ꭼᎬ3',
  f: 'ƒꞙϝ',
  g: 'ɡցԍɢᏀ9',
  h: 'һհнʜᏂᎻ',
  j: 'јϳᴊᎫ',
  k: 'кκᴋᏦ',
  l: 'i1|ıіιӏⅼʟɩɪǀӀᏞⵏ∣ا',
  m: 'мᴍⅿᎷ',
  n: 'ոпηɴ',
  o: '0оοօσᴏ٥०๐ჿ',
  p: 'рρᴘᏢ',
  q: 'ԛգ',
  r: 'гᴦʀᎡᏒ',
  s: 'ѕꜱᏕ5$',
  t: 'тτᴛᎢ7',
  u: 'υսᴜʋꞟ',
  v: 'ѵνᴠⅴᏙ',
  w: 'ԝաᴡωшᎳ',
  x: 'хχ×ⅹ',
  y: 'уүγʏყҮᎩ',
  z: 'ᴢᏃ2',
};

const PLAIN = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, others]) =>
    Array.from(others, (other) => [other.toLowerCase(), letter] as const),
  ),
);

/**
 * Removes case, accents, spaces, punctuation and differences between similar characters from a name. Names with the
 * same skeleton are easily confused.
 *
 * It works like UTS #39 §4, with a separate table of characters that imitate Latin letters. The protected names are
 * Latin, and the npm packages with Unicode's full list have had no update since 2020. Names that a careful reader can
 * distinguish may have the same skeleton, so use it only to refuse names.
 */
export function confusableSkeleton(name: string): string {
  // Replaced before the decomposition as well: NFKD turns the Greek letter that looks like a C (ϲ) into a sigma.
  return replaceLookAlikes(replaceLookAlikes(name.toLowerCase()).normalize('NFKD').toLowerCase())
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll('vv', 'w')
    .replaceAll('rn', 'm');
}

function replaceLookAlikes(text: string): string {
  return Array.from(text, (letter) => PLAIN.get(letter) ?? letter).join('');
}
