const LONGEST_MS = 3_600_000;

/**
 * A Retry-After header in milliseconds ([RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3):
 * seconds, or a date); null when it is absent or makes no sense. At most an hour: a service that asks for a longer wait
 * is asked again once an hour.
 * @param now  wall-clock time in milliseconds, for the date form
 */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) {
    return null;
  }
  const wait = /^\d+$/.test(header)
    ? Number(header) * 1000
    : // Every form of an HTTP date begins with the day's name; Date.parse also takes other texts, such as "-5", as dates.
      /^(mon|tue|wed|thu|fri|sat|sun)/i.test(header)
      ? Date.parse(header) - now
      : NaN;
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), LONGEST_MS) : null;
}
