/** The longest name in a ZIP, in bytes of UTF-8: the longest that Linux and macOS take. Windows takes more. */
export const MAX_NAME_BYTES = 255;

/** Room for the largest number that a name can get, with its brackets. */
const NUMBER_BYTES = ' (10000)'.length;

/** The longest ending, with its dot, that is kept when a name is shortened, in bytes. */
const MAX_ENDING_BYTES = 32;

/** Names of devices on Windows, whatever follows a dot: it makes no file that is called so. */
const DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?= *(?:\.|$))/iu;

/** A name without the characters that some file systems refuse. */
export function withoutRefused(name: string): string {
  return name.replace(/[\p{Cc}\\/:*?"<>|]/gu, '_');
}

/**
 * Chooses names for the files of one ZIP, so that any system unpacks all of them. None leads to another folder, has a
 * character that some file systems refuse, is the name of a device, or is longer than {@link MAX_NAME_BYTES}. None
 * occurs twice, where many systems do not distinguish small and capital letters, nor the composed and the decomposed
 * form of a letter.
 *
 * The time for a name depends only on its length, whatever the other names are.
 */
export class ZipNames {
  private readonly taken = new Set<string>();
  /** By name without its number, the next number to try: thousands of files may have one name. */
  private readonly next = new Map<string, number>();

  /**
   * Chooses the number of the next file.
   * @returns 1 when its name is free; otherwise the number that makes it free. {@link nameInZip} gives the name.
   */
  numberOf(name: string): number {
    const clean = cleaned(name);
    if (this.take(numbered(clean, 1))) {
      return 1;
    }
    const key = folded(numbered(clean, undefined));
    let number = this.next.get(key) ?? 2;
    while (!this.take(numbered(clean, number))) {
      number += 1;
    }
    this.next.set(key, number + 1);
    return number;
  }

  /** @returns whether the name was free. */
  private take(name: string): boolean {
    const before = this.taken.size;
    return this.taken.add(folded(name)).size > before;
  }
}

/** The name that a file has in a ZIP where it has this number. */
export function nameInZip(name: string, number: number): string {
  return numbered(cleaned(name), number);
}

/** A name that every file system accepts, except for its length. */
function cleaned(name: string): string {
  const plain = withoutRefused(name.normalize('NFC')).replace(/^\.+/u, '_').replace(DEVICE, '_$&');
  return withoutTrailing(plain);
}

/** Windows drops dots and spaces at the end. Not by an expression: that would try at each space in the middle. */
function withoutTrailing(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) {
    end -= 1;
  }
  return end === name.length ? name : `${name.slice(0, end)}_`;
}

/** @param number undefined: the name without its number, as short as if it had one. */
function numbered(clean: string, number: number | undefined): string {
  const dot = clean.lastIndexOf('.');
  const hasEnding = dot > 0 && Buffer.byteLength(clean.slice(dot)) <= MAX_ENDING_BYTES;
  const [stem, ending] = hasEnding ? [clean.slice(0, dot), clean.slice(dot)] : [clean, ''];
  const room = MAX_NAME_BYTES - Buffer.byteLength(ending);
  if (number === 1) {
    const short = shortened(stem, room);
    return ending === '' ? withoutTrailing(short) : short + ending;
  }
  const short = shortened(stem, room - NUMBER_BYTES);
  return short + (number === undefined ? '' : ` (${number})`) + ending;
}

/** The beginning of a text, without a part of a character. */
function shortened(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) {
    return text;
  }
  let end = maxBytes;
  // The second and later bytes of a character begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) {
    end -= 1;
  }
  return bytes.toString('utf8', 0, end);
}

/**
 * What two names have in common that some system takes for one. It may be the same for names that no system takes for
 * one: then the second gets a number that it does not need.
 */
function folded(name: string): string {
  return name
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFD')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC');
}
