/**
 * The one kind of QR code this plugin needs (ISO/IEC 18004): bytes, error correction level L, versions 1 to 5, which
 * hold an address of up to 106 bytes in a single block. Libraries are larger
 * (docs/decisions/0001-small-code-in-the-plugin.md). Tests compare this output with that of one of them.
 * @packageDocumentation
 */

/** Data codewords and error correction codewords of each version, from 1. */
const VERSIONS: readonly (readonly [number, number])[] = [
  [19, 7],
  [34, 10],
  [55, 15],
  [80, 20],
  [108, 26],
];

/** The format information for level L and mask 0, with its error correction bits and its own mask (ISO/IEC 18004). */
const FORMAT = 0x77c4;

/** Whether a text fits: 1 to 106 characters of printable ASCII. */
export function fitsQrCode(text: string): boolean {
  return /^[ -~]{1,106}$/.test(text);
}

/**
 * The modules of a code, row by row, true for dark; without the light border.
 * @throws {RangeError} for a text that does not fit
 */
export function qrModules(text: string): readonly (readonly boolean[])[] {
  const index = VERSIONS.findIndex(([data]) => text.length + 2 <= data);
  const sizes = VERSIONS[index];
  if (!sizes || !fitsQrCode(text)) {
    throw new RangeError('this text does not fit a QR code');
  }
  const data = dataCodewords(text, sizes[0]);
  return arrange(index + 1, [...data, ...correction(data, sizes[1])]);
}

/** The data codewords: the mode "bytes", the length, the bytes, and padding up to `count`. */
function dataCodewords(text: string, count: number): readonly number[] {
  const bytes = Array.from(text, (sign) => sign.charCodeAt(0));
  // Mode and length take twelve bits, so every byte straddles two codewords.
  const nibbles = [4, bytes.length >> 4, bytes.length & 15];
  for (const byte of bytes) {
    nibbles.push(byte >> 4, byte & 15);
  }
  nibbles.push(0); // the terminator
  const words: number[] = [];
  for (let at = 0; at < nibbles.length; at += 2) {
    words.push(((nibbles[at] ?? 0) << 4) | (nibbles[at + 1] ?? 0));
  }
  for (let pad = 0; words.length < count; pad += 1) {
    words.push(pad % 2 === 0 ? 0xec : 0x11);
  }
  return words;
}

/** The `count` error correction codewords: Reed-Solomon over GF(256) with the polynomial 0x11d. */
function correction(data: readonly number[], count: number): readonly number[] {
  let generator = [1];
  for (let power = 0, root = 1; power < count; power += 1, root = times(root, 2)) {
    const next = [...generator, 0];
    generator.forEach((factor, at) => {
      next[at + 1] = (next[at + 1] ?? 0) ^ times(factor, root);
    });
    generator = next;
  }
  const rest = [...data, ...generator.slice(1).map(() => 0)];
  data.forEach((_, at) => {
    const factor = rest[at] ?? 0;
    generator.forEach((by, offset) => {
      rest[at + offset] = (rest[at + offset] ?? 0) ^ times(by, factor);
    });
  });
  return rest.slice(data.length);
}

function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ (product > 127 ? 0x11d : 0);
    if ((b >> bit) & 1) {
      product ^= a;
    }
  }
  return product;
}

function arrange(version: number, words: readonly number[]): readonly (readonly boolean[])[] {
  const square = new Square(17 + 4 * version);
  drawPatterns(square, version);
  drawFormat(square);
  drawData(square, words);
  return square.modules;
}

/** The modules of a code while they are drawn. */
class Square {
  /** Null where nothing was drawn yet. */
  private readonly rows: (boolean | null)[][];

  constructor(readonly size: number) {
    this.rows = Array.from({ length: size }, () => Array.from({ length: size }, () => null));
  }

  get modules(): readonly (readonly boolean[])[] {
    return this.rows.map((row) => row.map((dark) => dark === true));
  }

  isFree(x: number, y: number): boolean {
    return this.rows[y]?.[x] === null;
  }

  /** Draws a module; nothing outside of the square. */
  set(x: number, y: number, dark: boolean): void {
    const row = this.rows[y];
    if (row && x >= 0 && x < this.size) {
      row[x] = dark;
    }
  }

  /** Draws square rings around a centre; `isDark` selects them by their distance from it. */
  rings(x: number, y: number, radius: number, isDark: (ring: number) => boolean): void {
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) {
        this.set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  }
}

/** The fixed parts of every code of this version: timing patterns, finder patterns, the alignment pattern. */
function drawPatterns(square: Square, version: number): void {
  const { size } = square;
  for (let at = 0; at < size; at += 1) {
    square.set(6, at, at % 2 === 0);
    square.set(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    square.rings(x, y, 4, (ring) => ring !== 2 && ring !== 4);
  }
  if (version > 1) {
    square.rings(size - 7, size - 7, 2, (ring) => ring !== 1);
  }
}

/** Draws the format information twice: around the first finder pattern, and next to the other two. */
function drawFormat(square: Square): void {
  const { size } = square;
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = ((FORMAT >> bit) & 1) === 1;
    if (bit < 8) {
      square.set(8, bit < 6 ? bit : bit + 1, dark);
      square.set(size - 1 - bit, 8, dark);
    } else {
      square.set(bit === 8 ? 7 : 14 - bit, 8, dark);
      square.set(8, size - 15 + bit, dark);
    }
  }
  square.set(8, size - 8, true);
}

/**
 * Draws the bits, masked, in pairs of columns from the right, upwards and downwards; skips the timing pattern's column.
 */
function drawData(square: Square, words: readonly number[]): void {
  const { size } = square;
  let place = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) {
      right = 5;
    }
    for (let step = 0; step < size; step += 1) {
      const upwards = ((right + 1) & 2) === 0;
      const y = upwards ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (!square.isFree(x, y)) {
          continue;
        }
        const bit = ((words[place >> 3] ?? 0) >> (7 - (place & 7))) & 1;
        square.set(x, y, (bit === 1) !== ((x + y) % 2 === 0));
        place += 1;
      }
    }
  }
}
