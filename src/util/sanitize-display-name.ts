/** Control characters, lone surrogates, line ends, U+FEFF, and marks that change the direction of text around them. */
const MISLEADING = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Makes a name from elsewhere safe to show: one line, without characters that change how the text around it looks.
 * @returns null when nothing is left of it, or it is longer than `longest` UTF-16 code units
 */
export function sanitizeDisplayName(text: string, longest: number): string | null {
  if (text.length > longest) {
    return null;
  }
  const shown = text.replace(MISLEADING, ' ').replace(/\s+/g, ' ').trim();
  return shown === '' ? null : shown;
}
