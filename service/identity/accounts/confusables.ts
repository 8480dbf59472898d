import { message, type PlainKey, type Message } from '../../kernel/i18n/message.js';

/** The longest name of a user or a workspace, in UTF-16 units. */
export const MAX_NAME_LENGTH = 80;

/** How many accents and other marks may follow one letter. Vietnamese needs two, Hebrew three. */
const MAX_MARKS = 4;

/** What a name must not contain, each with the key of its message. */
const FORBIDDEN: readonly (readonly [RegExp, PlainKey])[] = [
  [/\p{Cc}/u, 'nameControls'],
  // These characters reorder the text around them, so that a page shows a misleading text.
  [/\p{Bidi_Control}/u, 'nameDirection'],
  // Allowed: two variation selectors, which only say whether a sign is shown as text or as a picture.
  [/(?![\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}|\u2800/u, 'nameInvisible'],
  [/\p{Zl}|\p{Zp}/u, 'nameLineBreaks'],
  [/\p{Cs}|\p{Co}|\p{Cn}|\p{Cf}/u, 'nameNotText'],
  [new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u'), 'nameAccents'],
];

/** The zero-width joiner between two emoji, which makes one picture of them, such as a family. Allowed only there. */
const JOINED_PICTURES =
  /(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?)\u200D(?=\p{Extended_Pictographic})/gu;

/**
 * Checks a display name for pages and command lines: of an app, a token, a user, a workspace or a project. No character
 * in it may be invisible or change the position of others.
 * @param max greatest length, in UTF-16 units as browsers count `maxlength`.
 * @returns the problem, as a part of a sentence that begins with the kind of name; undefined if it is valid.
 */
export function validateName(name: string, max: number): Message | undefined {
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) {
    return message('nameEmpty');
  }
  if (name.length > max) {
    return message('nameTooLong', { max });
  }
  const plain = name.replace(JOINED_PICTURES, '');
  const forbidden = FORBIDDEN.find(([pattern]) => pattern.test(plain));
  return forbidden && message(forbidden[1]);
}

/** The problem with a username, in one sentence for the user; undefined if it is valid. Letter case does not matter. */
export function usernameProblem(username: string): Message | undefined {
  return /^[a-z0-9][a-z0-9._@-]{1,63}$/i.test(username) ? undefined : message('usernameRule');
}

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
