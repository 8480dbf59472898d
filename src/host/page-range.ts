/**
 * Page ranges as users write them in layout apps: `3-7, 12`, `iv`, `A-2`, `+5` for the fifth page, `9-` to the last one.
 * @packageDocumentation
 */

/** Longest text, in UTF-16 code units. */
export const MAX_PAGE_RANGE_LENGTH = 100;

/** Whether a text may be a page range of some document. */
export function isPageRange(text: string): boolean {
  const parts = partsOf(text);
  return (
    text.length <= MAX_PAGE_RANGE_LENGTH &&
    parts.every((part) => part !== '' && !/^[-+\s]+$/.test(part))
  );
}

/**
 * The places of pages, from 0, in the order of the document and each once.
 * @param names  of all pages of the document, in order. Several pages may have the same name: then the first one counts
 * @returns null when the document does not have one of the pages, or a range ends before it starts
 */
export function placesIn(text: string, names: readonly string[]): readonly number[] | null {
  const places = new Set<number>();
  for (const part of partsOf(text)) {
    const range = rangeOf(part, names);
    if (!range) {
      return null;
    }
    for (let place = range.first; place <= range.last; place += 1) {
      places.add(place);
    }
  }
  return [...places].sort((one, other) => one - other);
}

/** Places as a text with numbers from 1, such as `3-7,12`. @param sign  before each number */
export function rangeText(places: readonly number[], sign = ''): string {
  const parts: { first: number; last: number }[] = [];
  for (const place of places) {
    const open = parts[parts.length - 1];
    if (open?.last === place - 1) {
      open.last = place;
    } else {
      parts.push({ first: place, last: place });
    }
  }
  const text = (place: number): string => `${sign}${place + 1}`;
  return parts
    .map(({ first, last }) => (first === last ? text(first) : `${text(first)}-${text(last)}`))
    .join(',');
}

function partsOf(text: string): readonly string[] {
  return text
    .replace(/[\u2010-\u2015\uff0d]/g, '-')
    .split(/[,\u3001\uff0c]/)
    .map((part) => part.trim());
}

/** A name may contain a hyphen, so each hyphen is tried. */
function rangeOf(
  part: string,
  names: readonly string[],
): { readonly first: number; readonly last: number } | null {
  const only = placeOf(part, names);
  if (only !== null) {
    return { first: only, last: only };
  }
  for (let at = part.indexOf('-'); at >= 0; at = part.indexOf('-', at + 1)) {
    const [from, to] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    const first = from === '' ? 0 : placeOf(from, names);
    const last = to === '' ? names.length - 1 : placeOf(to, names);
    if (from + to !== '' && first !== null && last !== null) {
      return first <= last ? { first, last } : null;
    }
  }
  return null;
}

function placeOf(text: string, names: readonly string[]): number | null {
  const place = /^\+\d{1,6}$/.test(text) ? Number(text) - 1 : names.indexOf(text);
  return place >= 0 && place < names.length ? place : null;
}
