/**
 * Reads parameters in `application/x-www-form-urlencoded`: those of a query, or a form. Gives undefined
 * when they are no texts: percent-encoding that is broken, bytes that are not UTF-8 (half a character
 * counts as such), or a NUL, which no text of ours holds and which PostgreSQL cannot store. Later readers
 * are lenient, each in its own way; what passes here means the same to all of them.
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

/** @throws {URIError} */
function decode(text: string): string {
  return decodeURIComponent(text.replace(/\+/g, ' '));
}
