import type { Slice } from './slice.js';

/** An element of [EBML](https://www.rfc-editor.org/rfc/rfc8794), as in Matroska and WebM. */
export interface Element<S> {
  /** With the marker of its length, as documents write it: `0x1a45dfa3`. */
  readonly id: number;
  /** Where it begins, where its data begin, and where the next one does. */
  readonly at: number;
  readonly dataAt: number;
  readonly end: number;
  /** Up to the end of what surrounds it where the file is cut short, or no length was written. */
  readonly data: S;
}

/** The elements that several readers search for: [Matroska](https://www.rfc-editor.org/rfc/rfc9559#section-5). */
export const EBML = {
  header: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  track: 0xae,
  trackType: 0x83,
  cluster: 0x1f43b675,
} as const;

/** The longest head of an element: four bytes of id, eight of length. */
const HEAD_BYTES = 12;

/**
 * The elements of a file or of an element one after another, up to the first that is none. A cluster without a length has
 * no data here: its elements follow it.
 */
export async function* elementsIn<S extends Slice<S>>(file: S): AsyncGenerator<Element<S>> {
  for (let at = 0; at < file.size;) {
    file.step();
    const head = await file.read(at, Math.min(HEAD_BYTES, file.size - at));
    const id = head && numberAt(head, 0, 4, true);
    const length = head && id && numberAt(head, id.bytes, 8, false);
    if (!id || !length) {
      return;
    }
    const dataAt = at + id.bytes + length.bytes;
    const left = file.size - dataAt;
    const withoutLength = id.value === EBML.cluster ? 0 : left;
    const size = Math.min(length.isUnknown ? withoutLength : length.value, left);
    const data = file.part(dataAt, size);
    if (!data) {
      return;
    }
    yield { id: id.value, at, dataAt, end: dataAt + size, data };
    at = dataAt + size;
  }
}

interface VariableNumber {
  readonly value: number;
  readonly bytes: number;
  /** Whether all its bits are set. */
  readonly isUnknown: boolean;
}

/** A number whose first bits give its length. It is not exact above 2^53. Null where there is none. */
function numberAt(
  bytes: Uint8Array,
  at: number,
  maxBytes: number,
  keepsMarker: boolean,
): VariableNumber | null {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > maxBytes || at + length > bytes.length) {
    return null;
  }
  const mask = 0xff >> length;
  let value = keepsMarker ? first : first & mask;
  let isUnknown = (first & mask) === mask;
  for (const byte of bytes.subarray(at + 1, at + length)) {
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { value, bytes: length, isUnknown };
}

/** An unsigned number of up to eight bytes; null for longer data. */
export async function unsignedIn<S extends Slice<S>>(data: S): Promise<number | null> {
  const bytes = data.size <= 8 ? await data.read(0, data.size) : null;
  return bytes?.reduce((value, byte) => value * 256 + byte, 0) ?? null;
}
