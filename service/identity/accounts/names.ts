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
