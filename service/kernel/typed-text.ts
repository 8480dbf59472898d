/** Dashes, minus signs, and the long vowel mark that a Japanese keyboard gives in the place of a dash. */
const DASH = /[\p{Pd}\u2212\u30fc]/gu;

/**
 * Normalizes typed text: full-width letters and digits become ASCII (NFKC), any dash becomes a hyphen, and surrounding
 * spaces are removed. For codes and usernames, which have only ASCII characters.
 */
export function foldTyped(text: string): string {
  return text.normalize('NFKC').replace(DASH, '-').trim();
}

/** A user name as it is stored: letter case does not matter. */
export function foldUsername(text: string): string {
  return foldTyped(text).toLowerCase();
}
