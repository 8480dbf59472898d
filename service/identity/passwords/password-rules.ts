import { message, type Message } from '../../kernel/i18n/message.js';
import { DEMO_ACCOUNT } from '../accounts/demo.js';
import { isSamePassword } from '../../kernel/password-hash.js';

/** The minimum length of a password, in characters. */
export const MIN_PASSWORD_LENGTH = 10;
/** The maximum length of a password, in UTF-16 units as browsers count `maxlength`. */
export const MAX_PASSWORD_LENGTH = 1024;

/** A password with fewer different characters counts as a pattern. */
const MIN_DIFFERENT = 5;
/** A password must have this many characters in addition to the user's names and common words. */
const MIN_OWN_CHARACTERS = 4;
/** The words that are guessed first. */
const TRIED_FIRST = [
  'creativeworkspace',
  'creative',
  'workspace',
  'password',
  'passwort',
  'contraseña',
  'motdepasse',
  'senha',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  '09876543210',
];

/** A new password as it was entered, twice. */
export interface PasswordEntry {
  readonly password: string;
  readonly again: string;
}

/** Reads the fields of a new password from a form. */
export function readPasswordEntry(form: URLSearchParams): PasswordEntry {
  return {
    password: form.get('new_password') ?? '',
    again: form.get('new_password_again') ?? '',
  };
}

/**
 * Checks a new password. Its length counts most (NIST SP 800-63B §3.1.1). It must also be more than the user's name or
 * common words.
 * @returns the problem, in one sentence for the user; undefined if it is valid.
 */
export function newPasswordProblem(
  { password, again }: PasswordEntry,
  { username, displayName }: { readonly username: string; readonly displayName: string },
): Message | undefined {
  const characters = Array.from(password.normalize('NFKC').toLowerCase());
  if (characters.length < MIN_PASSWORD_LENGTH) {
    return message('passwordTooShort', { min: MIN_PASSWORD_LENGTH });
  }
  if (password.length > MAX_PASSWORD_LENGTH) {
    return message('passwordTooLong', { max: MAX_PASSWORD_LENGTH });
  }
  const known = [username, displayName, ...displayName.split(/\s+/), ...TRIED_FIRST];
  const isEasy =
    new Set(characters).size < MIN_DIFFERENT ||
    isSamePassword(password, DEMO_ACCOUNT.password) ||
    withoutAny(characters.join(''), known).length < MIN_OWN_CHARACTERS;
  if (isEasy) {
    return message('passwordTooEasy');
  }
  return isSamePassword(password, again) ? undefined : message('passwordsDiffer');
}

/** A text without these words, and without up to four digits or signs at each end, which users often add. */
function withoutAny(text: string, words: readonly string[]): string {
  const longestFirst = words
    .map((word) => word.normalize('NFKC').toLowerCase())
    .filter((word) => word.length > 2)
    .sort((one, other) => other.length - one.length);
  let rest = text;
  for (const word of longestFirst) {
    rest = rest.replaceAll(word, '');
  }
  return rest.replace(/^[^\p{L}]{1,4}|[^\p{L}]{1,4}$/gu, '');
}
