/** A text without its case, and with accents encoded in one way (NFC): file systems encode them in two. */
export function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
