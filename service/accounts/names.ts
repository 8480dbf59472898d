import { sentence, type PlainKey, type Sentence } from '../pages/sentence.js';

/** Of a person or a workspace. */
export const MAX_NAME_LENGTH = 80;

/** The longest run of accents and other marks upon one letter; Vietnamese needs two, Hebrew three. */
const MAX_MARKS = 4;

/** What a name must not hold, each with the words for it. */
const FORBIDDEN: readonly (readonly [RegExp, PlainKey])[] = [
  [/\p{Cc}/u, 'nameControls'],
  // They reorder the text around them, so that a page reads otherwise than it is.
  [/\p{Bidi_Control}/u, 'nameDirection'],
  // Variation selectors only say whether a sign is shown as text or as a picture.
  [/(?![\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}|\u2800/u, 'nameInvisible'],
  [/\p{Zl}|\p{Zp}/u, 'nameLineBreaks'],
  [/\p{Cs}|\p{Co}|\p{Cn}|\p{Cf}/u, 'nameNotText'],
  [new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u'), 'nameAccents'],
];

/** The joiner that makes one picture of several, such as a family: between pictures it is not invisible. */
const JOINED_PICTURES =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?)\u200D(?=\p{Extended_Pictographic})/gu;

/**
 * What is wrong with a name that people will read on pages and command lines (of an app, a token, a
 * person, a workspace), for a sentence that says what should have the name, or
 * nothing. Such a name looks like what it is: no character in it is invisible or moves others.
 * @param max greatest length, in UTF-16 units as browsers count `maxlength`.
 */
export function nameProblem(name: string, max: number): Sentence | undefined {
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) {
    return sentence('nameEmpty');
  }
  if (name.length > max) {
    return sentence('nameTooLong', { max });
  }
  const plain = name.replace(JOINED_PICTURES, '');
  const forbidden = FORBIDDEN.find(([pattern]) => pattern.test(plain));
  return forbidden && sentence(forbidden[1]);
}

/** What is wrong with a username, in one sentence for people, or nothing. Capital letters do not matter in it. */
export function usernameProblem(username: string): Sentence | undefined {
  return /^[a-z0-9][a-z0-9._@-]{1,63}$/i.test(username) ? undefined : sentence('usernameRule');
}

/** Characters that look like these letters, after compatibility decomposition and lower case. */
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
 * What is left of a name when case, accents, spaces, punctuation and the difference between
 * characters that look alike are taken away: two names with the same skeleton can be taken for each
 * other. In the manner of UTS #39 §4, with a table that covers what Latin letters are imitated with
 * (the names to protect are Latin); the packages that carry the whole of Unicode's list are left alone
 * since 2020. It may find names alike that a careful reader can tell apart; it is used to refuse.
 */
export function nameSkeleton(name: string): string {
  // Before the decomposition as well: it would make a sigma of the Greek letter that looks like a C.
  return replaceLookAlikes(replaceLookAlikes(name.toLowerCase()).normalize('NFKD').toLowerCase())
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll('vv', 'w')
    .replaceAll('rn', 'm');
}

function replaceLookAlikes(text: string): string {
  return Array.from(text, (letter) => PLAIN.get(letter) ?? letter).join('');
}
