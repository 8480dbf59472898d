/**
 * Resolves a reference against an absolute address
 * ([RFC 3986 §5.2](https://www.rfc-editor.org/rfc/rfc3986#section-5.2)). The result is not checked here: the caller has
 * to check its origin.
 */
export function resolveUrl(reference: string, base: string): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(reference)) {
    return reference;
  }
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^([^:/?#]+:)(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?/.exec(base) ?? [];
  if (reference.startsWith('//')) {
    return scheme + reference;
  }
  const [, ownPath = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(reference) ?? [];
  if (ownPath === '') {
    return scheme + authority + path + (rest.startsWith('?') ? rest : query + rest);
  }
  const whole = ownPath.startsWith('/')
    ? ownPath
    : path.slice(0, path.lastIndexOf('/') + 1) + ownPath;
  return scheme + authority + withoutDots(whole) + rest;
}

/** Takes `.` and `..` out of a path that begins with `/`. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  segments.forEach((segment, index) => {
    if (segment === '..') {
      kept.pop();
    } else if (segment !== '.') {
      kept.push(segment);
    }
    if (index === segments.length - 1 && (segment === '.' || segment === '..')) {
      kept.push('');
    }
  });
  return `/${kept.join('/')}`;
}

/**
 * Takes the place of the library url-parse in the bundle (webpack.config.js). tus-js-client uses only these members of
 * it, and most of the library's 6 KB reads addresses that are refused here anyway.
 */
export default class Reference {
  constructor(
    private readonly reference: string,
    private readonly base: string,
  ) {}

  toString(): string {
    return resolveUrl(this.reference, this.base);
  }
}
