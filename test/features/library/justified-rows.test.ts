import { describe, expect, it } from '@jest/globals';
import {
  bottomOf,
  GAP_PX,
  justifiedRows,
  pictureSize,
  shapeOf,
} from '../../../src/features/library/justified-rows.js';
import fc from '../../support/properties.js';
import { libraryFile, libraryFiles } from './files.js';

const sides = fc.option(fc.integer({ min: 1, max: 100_000 }));
const files = fc
  .array(fc.tuple(sides, sides), { maxLength: 60 })
  .map((sizes) =>
    sizes.map(([width, height], index) => libraryFile(`f${index}`, { width, height })),
  );

describe('rows of pictures', () => {
  it('have each file once, in order, and fill the width but for the last', () => {
    fc.assert(
      fc.property(files, fc.integer({ min: 150, max: 900 }), (listed, width) => {
        const rows = justifiedRows(listed, width);
        expect(rows.flatMap(({ tiles }) => tiles.map(({ file }) => file))).toEqual(listed);
        expect(rows.flatMap(({ tiles }) => tiles.map(({ index }) => index))).toEqual(
          listed.map((_, index) => index),
        );
        let top = 0;
        const faults = rows.filter((row, place) => {
          const gaps = (row.tiles.length - 1) * GAP_PX;
          const across = row.tiles.reduce((sum, tile) => sum + tile.width, gaps);
          const isInPlace = row.top === top;
          top = bottomOf(row);
          const isFull = place < rows.length - 1 ? across === width : across <= width;
          const areShown = row.tiles.every(({ width: tile, file }) => {
            const picture = pictureSize(shapeOf(file), { width: tile, height: row.height });
            const isInside = picture.width <= tile && picture.height <= row.height;
            const isSeen = Math.min(picture.width, picture.height) > 0;
            return tile >= Math.floor(row.height * 0.6) && isInside && isSeen;
          });
          return !isInPlace || !isFull || !areShown;
        });
        expect(faults).toEqual([]);
      }),
    );
  });

  it.each([206, 276, 456])('in a list of %d pixels have about the same height', (width) => {
    const rows = justifiedRows(libraryFiles(400), width).slice(0, -1);
    const heights = rows.map(({ height }) => height);
    expect(Math.max(...heights)).toBeLessThan(2.2 * Math.min(...heights));
    expect(heights.length).toBeGreaterThan(50);
  });

  it('keep the shape of a picture to within a few pixels', () => {
    for (const { height, tiles } of justifiedRows(libraryFiles(200), 276)) {
      for (const { file, width } of tiles) {
        const shape = shapeOf(file);
        const picture = pictureSize(shape, { width, height });
        const isFilled = picture.width === width && picture.height === height;
        const drawn = picture.width / picture.height;
        expect([isFilled, Math.abs(drawn / shape - 1) < (isFilled ? 0.12 : 0.05)]).toEqual([
          isFilled,
          true,
        ]);
      }
    }
  });

  it('do not stretch a single file', () => {
    const [row] = justifiedRows([libraryFile('a')], 456);
    expect(row?.height).toBeLessThan(140);
  });

  it('lay out ten thousand files in one pass', () => {
    let reads = 0;
    const listed = libraryFiles(10_000).map((file) => {
      const { width } = file;
      return Object.defineProperty({ ...file }, 'width', {
        get: () => {
          reads += 1;
          return width;
        },
      });
    });
    justifiedRows(listed, 276);
    expect(reads).toBeLessThan(10 * listed.length);
  });
});

it.each([
  [{ width: 6000, height: 4000 }, 1.5],
  [{ width: 1, height: 100_000 }, 0.05],
  [{ width: null, height: 4000 }, 1],
  [{ width: null, length: { kind: 'pages', pages: 3 } }, 0.71],
  [{ width: null, type: 'video/mp4' }, 16 / 9],
] as const)('the shape of %j is %d', (more, shape) => {
  expect(shapeOf(libraryFile('a', more))).toBe(shape);
});

it.each([
  [1.5, { width: 150, height: 100 }, { width: 150, height: 100 }],
  [1.5, { width: 153, height: 100 }, { width: 153, height: 100 }],
  [5, { width: 200, height: 100 }, { width: 200, height: 40 }],
  [0.5, { width: 66, height: 100 }, { width: 50, height: 100 }],
] as const)('a picture of %d in %j is %j', (shape, frame, size) => {
  expect(pictureSize(shape, frame)).toEqual(size);
});
