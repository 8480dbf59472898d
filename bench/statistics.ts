/** Middle of the values; the mean of the middle two of an even number. NaN of none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * Value below which the share `part` (0 to 1) of the values lies, interpolated linearly between
 * neighbours (Hyndman and Fan, type 7). NaN of none.
 */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * Math.min(Math.max(part, 0), 1);
  const lower = sorted[Math.floor(place)];
  const upper = sorted[Math.ceil(place)];
  if (lower === undefined || upper === undefined) {
    return Number.NaN;
  }
  return lower + (upper - lower) * (place - Math.floor(place));
}

/** A straight line through points. */
export interface Line {
  readonly slope: number;
  readonly intercept: number;
}

/** Fits y = slope · x + intercept by least squares. The slope is NaN when all x are equal. */
export function fitLine(points: readonly (readonly [x: number, y: number])[]): Line {
  const count = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / count;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / count;
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = variance === 0 ? Number.NaN : covariance / variance;
  return { slope, intercept: meanY - slope * meanX };
}

/**
 * The power b of y = a · x^b, fitted on a logarithmic scale of both: 0 when y does not grow with x,
 * 1 when it grows in proportion. All values must be positive.
 */
export function growthExponent(points: readonly (readonly [x: number, y: number])[]): number {
  return fitLine(points.map(([x, y]) => [Math.log(x), Math.log(y)])).slope;
}
