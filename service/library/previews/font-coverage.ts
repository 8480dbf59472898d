/** Formats of the subtables of `cmap`. */
const SEGMENTED = 4;
const GROUPED = 12;

/**
 * The characters that a TrueType font can draw, from its
 * [cmap](https://learn.microsoft.com/en-us/typography/opentype/spec/cmap) table. Without a font that has a character, the
 * image library draws a box in its place.
 */
export function charactersOf(font: Buffer): (codePoint: number) => boolean {
  const cmap = tableOf(font, 'cmap');
  const ranges = cmap === undefined ? [] : rangesIn(cmap);
  return (codePoint) => ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
}

function tableOf(font: Buffer, wanted: string): Buffer | undefined {
  for (let index = 0; index < font.readUInt16BE(4); index += 1) {
    const at = 12 + 16 * index;
    if (font.toString('latin1', at, at + 4) === wanted) {
      const offset = font.readUInt32BE(at + 8);
      return font.subarray(offset, offset + font.readUInt32BE(at + 12));
    }
  }
  return undefined;
}

type Range = readonly [first: number, last: number];

/** The ranges of all subtables. The font that we use has no gaps within a range. */
function rangesIn(cmap: Buffer): Range[] {
  return Array.from({ length: cmap.readUInt16BE(2) }).flatMap((_, index) => {
    const table = cmap.subarray(cmap.readUInt32BE(4 + 8 * index + 4));
    const format = table.readUInt16BE(0);
    return format === SEGMENTED ? segments(table) : format === GROUPED ? groups(table) : [];
  });
}

function segments(table: Buffer): Range[] {
  const count = table.readUInt16BE(6) / 2;
  return Array.from({ length: count }, (_, index): Range => {
    const last = table.readUInt16BE(14 + 2 * index);
    return [table.readUInt16BE(16 + 2 * count + 2 * index), last];
  }).filter(([first]) => first !== 0xffff);
}

function groups(table: Buffer): Range[] {
  return Array.from({ length: table.readUInt32BE(12) }, (_, index): Range => {
    const at = 16 + 12 * index;
    return [table.readUInt32BE(at), table.readUInt32BE(at + 4)];
  });
}
