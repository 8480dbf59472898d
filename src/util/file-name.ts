/**
 * File names that every system takes.
 * @packageDocumentation
 */

/** Longest name without its ending, in UTF-16 code units. File systems take 255 bytes, some characters need three. */
const MAX_NAME_LENGTH = 80;

/** Characters that file names cannot have on one of the systems, control characters, and lone surrogates. */
const FORBIDDEN = /[\\/:*?"<>|\p{Cc}\p{Cs}]/gu;
/** Marks that change the direction of the text around them, line ends, and U+FEFF. */
const INVISIBLE = /[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;
/** Names of devices in Windows, with whatever ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i;

/** Whether a file name cannot have one of these characters. */
export function hasForbidden(text: string): boolean {
  return text.search(FORBIDDEN) >= 0 || text.search(INVISIBLE) >= 0;
}

/** A text as a part of a file name, on one line. */
export function cleanedPart(text: string): string {
  return text.replace(INVISIBLE, '').replace(FORBIDDEN, '-').replace(/\s+/g, ' ').trim();
}

/** A text as a file name without an ending; empty when nothing is left of it. */
export function asFileName(text: string): string {
  // A cut may leave half a character; the second cleaning removes it.
  const cut = cleanedPart(text)
    .slice(0, MAX_NAME_LENGTH)
    .replace(/[\ud800-\udbff]$/, '');
  // Short subject: it is cut.
  const name = cut.replace(/^[. ]+|[. ]+$/g, '');
  return DEVICE.test(name) ? `_${name}` : name;
}

/** Base and ending of a name, such as `Coast` and `.jpg`. The ending is empty when there is none. */
export function splitName(name: string): readonly [base: string, ending: string] {
  const [ending = ''] = /(?<=.)\.[a-z\d]{1,8}$/i.exec(name) ?? [];
  return [name.slice(0, name.length - ending.length), ending];
}

/** `Coast.jpg` for 1, `Coast (2).jpg` for 2. */
export function numberedName(name: string, number: number): string {
  const [base, ending] = splitName(name);
  return number === 1 ? name : `${base} (${number})${ending}`;
}
