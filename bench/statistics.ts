/** Middle of the values; the mean of the middle two of an even number. NaN of none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * The `part` quantile (0 to 1) of the values, interpolated linearly between
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
