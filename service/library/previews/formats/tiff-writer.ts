/** Types of the entries of a TIFF file. */
export const SHORT = 3;
export const LONG = 4;
const UNDEFINED = 7;

const TYPE_BYTES: Readonly<Record<number, number>> = { [SHORT]: 2, [LONG]: 4, [UNDEFINED]: 1 };

/** The length of the header of a TIFF file. */
export const HEADER_BYTES = 8;

/** The tag of an ICC profile. */
const PROFILE = 34_675;

export type Entry = readonly [tag: number, type: number, value: Buffer];

/**
 * A big-endian TIFF file without its pixels, which are to be written behind its header.
 * @param size of the pixels, in bytes
 * @param entries of its only directory, in the order of their tags
 * @param profile an ICC profile
 */
export function tiffAround(
  size: number,
  entries: readonly Entry[],
  profile: Buffer | undefined,
): { readonly tiff: Buffer; readonly pixels: Buffer } {
  const start = HEADER_BYTES + size + (size % 2);
  const directory = directoryAt(
    start,
    profile === undefined ? entries : [...entries, [PROFILE, UNDEFINED, profile]],
  );
  const tiff = Buffer.alloc(start + directory.length);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(start, 4);
  directory.copy(tiff, start);
  return { tiff, pixels: tiff.subarray(HEADER_BYTES, HEADER_BYTES + size) };
}

/** A directory, and the values that do not fit in it. */
function directoryAt(start: number, entries: readonly Entry[]): Buffer {
  const directory = Buffer.alloc(2 + 12 * entries.length + 4);
  directory.writeUInt16BE(entries.length, 0);
  const values: Buffer[] = [];
  let at = start + directory.length;
  for (const [index, [tag, type, value]] of entries.entries()) {
    const place = 2 + 12 * index;
    directory.writeUInt16BE(tag, place);
    directory.writeUInt16BE(type, place + 2);
    directory.writeUInt32BE(value.length / (TYPE_BYTES[type] ?? 1), place + 4);
    if (value.length <= 4) {
      value.copy(directory, place + 8);
    } else {
      directory.writeUInt32BE(at, place + 8);
      values.push(value, Buffer.alloc(value.length % 2));
      at += value.length + (value.length % 2);
    }
  }
  return Buffer.concat([directory, ...values]);
}

export function uint16s(numbers: readonly number[]): Buffer {
  return Buffer.from(numbers.flatMap((one) => [one >> 8, one & 255]));
}

export function uint32s(numbers: readonly number[] | Uint32Array): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((one, index) => bytes.writeUInt32BE(one, 4 * index));
  return bytes;
}
