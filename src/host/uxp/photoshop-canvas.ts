/**
 * Where a spot of an exported picture is in the document now. Photoshop reports neither crops nor rotations, so the canvas and
 * the layers at the export are compared with those of now.
 * @packageDocumentation
 */
import { isJsonObject, parseJsonObject } from '../../util/json.js';
import { writeSource } from './file-source.js';
import type { PhotoshopBounds, PhotoshopDocument } from './photoshop-module.js';
import type { PhotoshopTarget } from './photoshop-export.js';

/** How many layers are noted: a few are enough to find a crop or a rotation. */
const MAX_LAYERS = 16;

/** How far a layer may be from its place, in pixels: bounds are whole numbers, and resampling moves edges. */
const TOLERANCE = 1.5;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Left, top, right, bottom. */
type Rect = readonly [number, number, number, number];

interface Canvas {
  readonly size: readonly [width: number, height: number];
  /** The part of the canvas that the picture shows. */
  readonly part: Rect;
  readonly layers: ReadonlyMap<number, Rect>;
}

/** From a spot of the picture (0 to 1) to pixels of the document now. */
export interface CanvasMap {
  readonly isCertain: boolean;
  toDocument(spot: Point): Point;
}

/** What is noted about an export, as {@link PhotoSource.source}; null when Photoshop does not give it. */
export function canvasOf({ document, artboard }: PhotoshopTarget): string | null {
  try {
    const { width, height } = document;
    return writeSource({
      canvas: [width, height],
      ...(artboard && { part: rectOf(artboard.bounds) }),
      layers: Array.from(document.layers)
        .slice(0, MAX_LAYERS)
        .map(({ id, boundsNoEffects }) => [id, ...rectOf(boundsNoEffects)]),
    });
  } catch {
    return null;
  }
}

/** Null when the document has changed so that no place can be found. */
export function mapOf(source: string | null, document: PhotoshopDocument): CanvasMap | null {
  const { width, height } = document;
  const then = readCanvas(source);
  if (!then) {
    return { isCertain: false, toDocument: ({ x, y }) => ({ x: x * width, y: y * height }) };
  }
  const fit = fitOf(then, { size: [width, height], layers: layersOf(document) });
  const [left, top, right, bottom] = then.part;
  return (
    fit && {
      isCertain: fit.isCertain,
      toDocument: ({ x, y }) =>
        fit.map({ x: left + x * (right - left), y: top + y * (bottom - top) }),
    }
  );
}

function layersOf({ layers }: PhotoshopDocument): ReadonlyMap<number, Rect> {
  return new Map(Array.from(layers, ({ id, boundsNoEffects }) => [id, rectOf(boundsNoEffects)]));
}

function rectOf({ left, top, right, bottom }: PhotoshopBounds): Rect {
  const [l = 0, t = 0, r = 0, b = 0] = [left, top, right, bottom].map(Math.round);
  return [l, t, r, b];
}

function readCanvas(source: string | null): Canvas | null {
  const body = parseJsonObject(source ?? '');
  const [width, height] = numbersIn(body?.['canvas'], 2);
  if (!body || width === undefined || height === undefined || width <= 0 || height <= 0) {
    return null;
  }
  const [left = 0, top = 0, right = width, bottom = height] = numbersIn(body['part'], 4);
  const listed: unknown = body['layers'];
  const layers = Array.isArray(listed) ? listed.map((layer: unknown) => numbersIn(layer, 5)) : [];
  return {
    size: [width, height],
    part: [left, top, right, bottom],
    layers: new Map(
      layers.flatMap(([id, l, t, r, b]) =>
        id !== undefined && l !== undefined && t !== undefined && r !== undefined && b !== undefined
          ? [[id, [l, t, r, b]] as const]
          : [],
      ),
    ),
  };
}

/** Exactly so many numbers; else none. */
function numbersIn(value: unknown, count: number): readonly number[] {
  const list: readonly unknown[] = Array.isArray(value) && !isJsonObject(value) ? value : [];
  const numbers = list.filter((one) => typeof one === 'number' && Number.isFinite(one));
  return numbers.length === count && list.length === count ? (numbers as number[]) : [];
}

/** The four rotations, clockwise, and the same after a flip. The first is upright. */
const TURNS = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** A point of a canvas of this size after a turn. */
function turned({ x, y }: Point, turn: number, [width, height]: Canvas['size']): Point {
  const from = turn >= 4 ? { x: width - x, y } : { x, y };
  switch (turn % 4) {
    case 1:
      return { x: height - from.y, y: from.x };
    case 2:
      return { x: width - from.x, y: height - from.y };
    case 3:
      return { x: from.y, y: width - from.x };
    default:
      return from;
  }
}

function turnedRect([left, top, right, bottom]: Rect, turn: number, size: Canvas['size']): Rect {
  const one = turned({ x: left, y: top }, turn, size);
  const other = turned({ x: right, y: bottom }, turn, size);
  return [
    Math.min(one.x, other.x),
    Math.min(one.y, other.y),
    Math.max(one.x, other.x),
    Math.max(one.y, other.y),
  ];
}

interface Fit {
  readonly isCertain: boolean;
  map(point: Point): Point;
}

/** A turn, followed by a scale and a move. */
interface Candidate {
  readonly turn: number;
  readonly scale: number;
  readonly move: Point;
  /** How many layers it explains, and the canvas as one more. */
  readonly support: number;
}

function fitOf(then: Canvas, now: Pick<Canvas, 'size' | 'layers'>): Fit | null {
  const pairs = [...then.layers].flatMap(([id, before]) => {
    const after = now.layers.get(id);
    return after && areaOf(before) > 0 && areaOf(after) > 0 ? [{ before, after }] : [];
  });
  const [width, height] = then.size;
  const whole: Rect = [0, 0, width, height];
  const canvas = { before: whole, after: [0, 0, ...now.size] as Rect };
  const candidates = TURNS.flatMap((turn) =>
    [...pairs, canvas].flatMap(
      (basis) => candidateFor(turn, basis, pairs, canvas, then.size) ?? [],
    ),
  );
  const most = Math.max(0, ...candidates.map(({ support }) => support));
  const best = candidates.filter(({ support }) => support === most);
  // Of several turns that explain the same, upright is the most likely.
  const chosen = best.find(({ turn }) => turn === 0) ?? best[0];
  if (!chosen) {
    return null;
  }
  const isSameSize = now.size.every((side, index) => side === then.size[index]);
  const isOnlyTurn = best.every(({ turn }) => turn === chosen.turn);
  // Nothing but a canvas of the same size speaks for an unchanged document, and a turn needs two witnesses.
  const isUnchanged = chosen.turn === 0 && isSameSize && chosen.scale === 1;
  const isCertain = isUnchanged
    ? most * 2 > pairs.length
    : isOnlyTurn && most >= 2 && most * 2 > pairs.length;
  if (!isCertain && pairs.length <= 1 && chosen.turn !== 0) {
    return null;
  }
  return {
    isCertain,
    map: (point) => {
      const { x, y } = turned(point, chosen.turn, then.size);
      return { x: x * chosen.scale + chosen.move.x, y: y * chosen.scale + chosen.move.y };
    },
  };
}

interface Pair {
  readonly before: Rect;
  readonly after: Rect;
}

/** The candidate that brings `basis` to its place; null when it would have to be distorted. */
function candidateFor(
  turn: number,
  basis: Pair,
  pairs: readonly Pair[],
  canvas: Pair,
  size: Canvas['size'],
): Candidate | null {
  const from = turnedRect(basis.before, turn, size);
  const across = (basis.after[2] - basis.after[0]) / (from[2] - from[0]);
  const down = (basis.after[3] - basis.after[1]) / (from[3] - from[1]);
  const longer = Math.max(from[2] - from[0], from[3] - from[1]);
  if (Math.abs(across - down) * longer > 2 * TOLERANCE) {
    return null;
  }
  const exact = from[2] - from[0] >= from[3] - from[1] ? across : down;
  const scale = Math.abs(exact - 1) * longer <= TOLERANCE ? 1 : exact;
  const move = { x: basis.after[0] - from[0] * scale, y: basis.after[1] - from[1] * scale };
  const isExplained = ({ before, after }: Pair): boolean => {
    const there = turnedRect(before, turn, size);
    return there.every((side, index) => {
      const by = index % 2 === 0 ? move.x : move.y;
      return Math.abs(side * scale + by - (after[index] ?? Number.NaN)) <= TOLERANCE;
    });
  };
  const support = pairs.filter(isExplained).length + (isExplained(canvas) ? 1 : 0);
  return support > 0 ? { turn, scale, move, support } : null;
}

function areaOf([left, top, right, bottom]: Rect): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}
