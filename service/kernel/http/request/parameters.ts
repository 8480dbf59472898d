/**
 * Reads parameters in `application/x-www-form-urlencoded`: those of a query, or a form. It is strict, because later
 * readers are lenient, each in its own way: what passes here means the same to all of them.
 * @returns undefined if a name or a value is no text: its percent-encoding is broken, its bytes are not UTF-8, or it
 *   has a NUL, which PostgreSQL cannot store.
 */
export function readParameters(encoded: string): URLSearchParams | undefined {
  const pairs: [string, string][] = [];
  try {
    for (const piece of encoded.split('&')) {
      if (piece === '') {
        continue;
      }
      const equals = piece.indexOf('=');
      const name = equals === -1 ? piece : piece.slice(0, equals);
      const value = equals === -1 ? '' : piece.slice(equals + 1);
      pairs.push([decode(name), decode(value)]);
    }
  } catch {
    return undefined;
  }
  return pairs.some(([name, value]) => name.includes('\0') || value.includes('\0'))
    ? undefined
    : new URLSearchParams(pairs);
}

/** @throws {URIError} when the text is not well-formed percent-encoding of UTF-8. */
function decode(text: string): string {
  return decodeURIComponent(text.replace(/\+/g, ' '));
}
