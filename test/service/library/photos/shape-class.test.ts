import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  shapeClass,
  SHAPE_STEP,
  SHAPE_STEPS,
} from '../../../../service/library/photos/pages/shape-class.js';

const CSS = readFileSync('service/client/shapes.css', 'utf8');
const shapes = new Map(
  [...CSS.matchAll(/\.([\w-]+) \{\s+--shape: ([\d.]+);\s+\}/g)].map(([, name = '', shape]) => [
    name,
    Number(shape),
  ]),
);

describe('the class for the shape of a picture', () => {
  it.each([
    [6000, 4000],
    [4000, 6000],
    [6000, 3375],
    [3000, 4000],
    [5000, 5000],
    [4000, 5000],
    [7952, 5304],
    [1000, 3999],
    [3999, 1000],
  ])('differs from %i × %i by one per cent at most', (width, height) => {
    const shape = shapes.get(shapeClass(width, height)) ?? 0;
    expect(Math.abs(shape / (width / height) - 1)).toBeLessThan(0.0101);
  });

  it.each([
    [20_000, 1000, 'wide-70 whole'],
    [1, 1000, 'tall-70 whole'],
    [undefined, undefined, shapeClass(3, 2)],
  ])('of %p × %p is %s', (width, height, expected) => {
    expect(shapeClass(width, height)).toBe(expected);
  });

  it('is in the style sheet', () => {
    expect(shapes.size).toBe(2 * SHAPE_STEPS + 1);
    expect(shapes.get('wide-10')).toBeCloseTo(SHAPE_STEP ** 10, 3);
  });
});
