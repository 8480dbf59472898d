import type { LibraryFile } from './library-file.js';

/** A tile: a file with its place. */
export interface Tile {
  readonly file: LibraryFile;
  /** Place in the list, from 0. */
  readonly index: number;
  /** In CSS pixels. */
  readonly width: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A row of tiles of one height that fills the width, except for the last. */
export interface TileRow {
  readonly tiles: readonly Tile[];
  /** Of the tiles, without the space below. CSS pixels. */
  readonly height: number;
  /** From the top of the list. */
  readonly top: number;
}

/** Space between two tiles, and below a row: for the name. CSS pixels, as the style sheet has them. */
export const GAP_PX = 6;
export const CAPTION_PX = 26;

/** The narrowest and the widest tile, by its height. A picture of another shape has space beside it. */
const NARROWEST = 0.66;
const WIDEST = 2.6;
/** The shape of a file whose picture has no known size. */
const SHAPES = { document: 0.71, video: 16 / 9, other: 1 } as const;

/**
 * Lays files out in rows as wide as the list, each picture in its own shape.
 * @param width  of the list, in CSS pixels
 */
export function justifiedRows(files: readonly LibraryFile[], width: number): readonly TileRow[] {
  const rows: TileRow[] = [];
  for (let index = 0, top = 0; index < files.length;) {
    const row = rowFrom(files, index, width, top);
    rows.push(row);
    top = bottomOf(row);
    index += row.tiles.length;
  }
  return rows;
}

/** Where the space below a row ends. */
export function bottomOf({ top, height }: TileRow): number {
  return top + height + CAPTION_PX;
}

/** The height that rows have about, in a list of this width: two pictures side by side in the narrowest panel. */
function usualHeight(width: number): number {
  return Math.round(Math.min(132, 52 + width * 0.2));
}

function rowFrom(files: readonly LibraryFile[], from: number, width: number, top: number): TileRow {
  const usual = usualHeight(width);
  const heightOf = (shapes: number, count: number): number =>
    (width - (count - 1) * GAP_PX) / shapes;
  let shapes = 0;
  let count = 0;
  let height = usual;
  while (from + count < files.length) {
    const file = files[from + count];
    const next = shapes + (file ? tileShape(file) : 1);
    const nextHeight = heightOf(next, count + 1);
    // The row is full: with this file or without it, whichever is nearer to the usual height.
    if (nextHeight < usual) {
      if (count === 0 || usual - nextHeight <= height - usual) {
        height = nextHeight;
        count += 1;
      }
      break;
    }
    shapes = next;
    height = nextHeight;
    count += 1;
  }
  const isLast = from + count === files.length;
  // The last row is not stretched.
  const tileHeight = Math.floor(isLast ? Math.min(height, usual) : height);
  return { top, height: tileHeight, tiles: tilesOf(files, from, count, width, tileHeight, isLast) };
}

function tilesOf(
  files: readonly LibraryFile[],
  from: number,
  count: number,
  width: number,
  height: number,
  isLast: boolean,
): readonly Tile[] {
  const shown = files.slice(from, from + count);
  const widths = shown.map((file) => Math.floor(tileShape(file) * height));
  const space = width - (count - 1) * GAP_PX - widths.reduce((sum, one) => sum + one, 0);
  return shown.map((file, place) => {
    // What rounding leaves is given to the last tiles, a pixel each; more than that is a row that is not full.
    const isFilled = !isLast || space < count;
    const more = isFilled ? Math.ceil(Math.max(0, space - place) / count) : 0;
    const tileWidth = (widths[place] ?? height) + more;
    return {
      file,
      index: from + place,
      width: tileWidth,
    };
  });
}

/** The largest size of this shape in a frame. A difference of a few pixels fills the frame. */
export function pictureSize(shape: number, frame: Size): Size {
  const height = Math.min(frame.height, Math.round(frame.width / shape));
  const width = Math.min(frame.width, Math.round(frame.height * shape));
  return {
    width: frame.width - width < 8 ? frame.width : width,
    height: frame.height - height < 8 ? frame.height : height,
  };
}

/** Width by height of a file's picture. */
export function shapeOf({ width, height, length, type }: LibraryFile): number {
  if (width !== null && height !== null) {
    return Math.min(20, Math.max(0.05, width / height));
  }
  const isVideo = length?.kind === 'duration' || type?.startsWith('video/') === true;
  const isDocument = length?.kind === 'pages' || type === 'application/pdf';
  return isVideo ? SHAPES.video : isDocument ? SHAPES.document : SHAPES.other;
}

function tileShape(file: LibraryFile): number {
  return Math.min(WIDEST, Math.max(NARROWEST, shapeOf(file)));
}
