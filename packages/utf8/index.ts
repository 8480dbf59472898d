/**
 * UTF-8 by hand: the host documents neither TextEncoder nor TextDecoder, and libraries are less strict
 * (docs/decisions/0001-small-code-in-the-plugin.md).
 * @packageDocumentation
 */

/** Encodes text as UTF-8; a lone surrogate becomes U+FFFD, as the Encoding Standard has it. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const character of text) {
    let point = character.codePointAt(0) ?? 0xfffd;
    if (point >= 0xd800 && point <= 0xdfff) {
      point = 0xfffd;
    }
    if (point < 0x80) {
      bytes.push(point);
    } else if (point < 0x800) {
      bytes.push(0xc0 | (point >> 6), 0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
      bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f));
    } else {
      bytes.push(
        0xf0 | (point >> 18),
        0x80 | ((point >> 12) & 0x3f),
        0x80 | ((point >> 6) & 0x3f),
        0x80 | (point & 0x3f),
      );
    }
  }
  return Uint8Array.from(bytes);
}

/** Decodes UTF-8. Gives null for bytes that are not valid UTF-8 (overlong forms and surrogates included). */
export function decodeUtf8(bytes: Uint8Array): string | null {
  const parts: string[] = [];
  let index = 0;
  while (index < bytes.length) {
    const first = bytes[index] ?? 0;
    let length: number;
    let point: number;
    let least: number;
    if (first < 0x80) {
      [length, point, least] = [1, first, 0];
    } else if (first >= 0xc2 && first < 0xe0) {
      [length, point, least] = [2, first & 0x1f, 0x80];
    } else if (first >= 0xe0 && first < 0xf0) {
      [length, point, least] = [3, first & 0x0f, 0x800];
    } else if (first >= 0xf0 && first < 0xf5) {
      [length, point, least] = [4, first & 0x07, 0x10000];
    } else {
      return null;
    }
    if (index + length > bytes.length) {
      return null;
    }
    for (let offset = 1; offset < length; offset += 1) {
      const next = bytes[index + offset] ?? 0;
      if ((next & 0xc0) !== 0x80) {
        return null;
      }
      point = (point << 6) | (next & 0x3f);
    }
    if (point < least || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
      return null;
    }
    parts.push(String.fromCodePoint(point));
    index += length;
  }
  return parts.join('');
}
