/**
 * A Retry-After header in milliseconds (RFC 9110 §10.2.3: seconds, or a date); undefined when it is
 * absent or makes no sense. At most a day.
 * @param now  wall-clock time in milliseconds, for the date form
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), 86_400_000) : undefined;
}
