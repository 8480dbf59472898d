/** Dashes, minus signs, and the long vowel mark that a Japanese keyboard gives in the place of a dash. */
const DASH = /[\p{Pd}\u2212\u30fc]/gu;

/**
 * What a person has typed, in the characters that they mean: full-width letters and digits become usual ones (NFKC), any
 * dash becomes a hyphen, and spaces around it are left out. For codes and user names, which have only ASCII characters.
 */
export function foldTyped(text: string): string {
  return text.normalize('NFKC').replace(DASH, '-').trim();
}

/** A user name as it is stored: letter case does not matter. */
export function foldUsername(text: string): string {
  return foldTyped(text).toLowerCase();
}
