/** The bytes of a file or of a part of one. */
export interface ByteSource {
  readonly size: number;
  /** Bytes `start` (included) to `end` (excluded), which are inside the file. */
  read(start: number, end: number): Promise<Uint8Array>;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Text whose characters are bytes (ISO 8859-1). */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = '';
  for (let at = start; at < end && at < bytes.length; at += 1) {
    text += String.fromCharCode(bytes[at] ?? 0);
  }
  return text;
}

export function bytesOfLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    bytes[at] = text.charCodeAt(at);
  }
  return bytes;
}

export function uint16(bytes: Uint8Array, at = 0, isLittle = false): number {
  return viewOf(bytes).getUint16(at, isLittle);
}

export function uint32(bytes: Uint8Array, at = 0, isLittle = false): number {
  return viewOf(bytes).getUint32(at, isLittle);
}

/** A number with the highest byte first. It is not exact above 2^53. */
export function uint64(bytes: Uint8Array, at = 0): number {
  return uint32(bytes, at) * 2 ** 32 + uint32(bytes, at + 4);
}

/** Where a word begins in bytes; -1 where it does not. Words are short, so the work is linear in the bytes. */
export function indexOfBytes(bytes: Uint8Array, word: Uint8Array, from = 0): number {
  const first = word[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    let same = 1;
    while (same < word.length && bytes[at + same] === word[same]) {
      same += 1;
    }
    if (same === word.length) {
      return at;
    }
  }
  return -1;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A number with the highest byte first, unless it is for a little-endian file. */
export function bytesOfNumber(value: number, length: 2 | 4, isLittle = false): Uint8Array {
  const bytes = new Uint8Array(length);
  if (length === 2) {
    viewOf(bytes).setUint16(0, value, isLittle);
  } else {
    viewOf(bytes).setUint32(0, value, isLittle);
  }
  return bytes;
}
