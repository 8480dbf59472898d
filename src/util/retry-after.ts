const MAX_MS = 3_600_000;

/**
 * A Retry-After header in milliseconds ([RFC 9110 §10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3):
 * seconds, or a date); null when it is absent or malformed. At most an hour: longer values become hourly requests.
 * @param date  the `Date` header of the same response: a date is measured against it, since the local clock may be
 *   wrong
 * @param now  local wall-clock time in milliseconds, for a date in a response without a `Date`
 */
export function parseRetryAfter(
  header: string | null,
  date: string | null,
  now: number,
): number | null {
  if (header === null) {
    return null;
  }
  const wait = /^\d+$/.test(header)
    ? Number(header) * 1000
    : (parseHttpDate(header) ?? NaN) - (parseHttpDate(date ?? '') ?? now);
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), MAX_MS) : null;
}

/**
 * An HTTP date in any of its three forms ([RFC 9110 §5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)), in
 * milliseconds since 1970; null for anything else. Only one form names its zone, but all are in UTC.
 */
function parseHttpDate(text: string): number | null {
  // Every form begins with the day's name; Date.parse also takes other texts, such as "-5", as dates.
  if (!/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) {
    return null;
  }
  const time = Date.parse(/(gmt|utc|[+-]\d{4})\s*$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}
