import { readParameters } from './parameters.js';

/** Where a request goes: read once, here, and the same for whoever handles the request. */
export interface RequestTarget {
  /** Begins with a slash. Holds nothing that could be decoded, normalised or read in two ways. */
  readonly path: string;
  /** The query with its question mark as it was sent; empty when there is none. */
  readonly search: string;
  readonly parameters: URLSearchParams;
  /** Host and port, when the target was a whole address; it then counts instead of `Host`. */
  readonly authority: string | undefined;
}

/** Why a target cannot be answered. */
export interface TargetProblem {
  readonly status: 400 | 404;
  /** What stands where a path should; empty when nothing does. */
  readonly path: string;
}

/**
 * All characters that paths of ours are made of
 * ([RFC 3986 §2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3), unreserved).
 */
const PATH = /^\/[\w.~/-]*$/;
/**
 * What may stand in a query ([RFC 3986 §3.4](https://www.rfc-editor.org/rfc/rfc3986#section-3.4)), and what
 * browsers leave in it unencoded.
 */
const SEARCH = /^\?[\x21\x22\x24-\x7e]*$/;
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^]*)$/i;
const AUTHORITY = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/**
 * Whether a text is a host with or without a port
 * ([RFC 3986 §3.2](https://www.rfc-editor.org/rfc/rfc3986#section-3.2)), and nothing besides.
 */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/**
 * Reads the target of a request in the origin form, `/path?query`, or the absolute form,
 * `http://host/path?query` ([RFC 9112 §3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2)). Any other
 * is a bad request. A path that holds percent-encoding, `..`, `//` or the like belongs to nothing here, and
 * nobody further on gets to interpret it: it is not found.
 */
export function readTarget(url: string): RequestTarget | TargetProblem {
  const absolute = ABSOLUTE.exec(url);
  const authority = absolute?.[1];
  const origin = absolute?.[2] ?? url;
  const mark = origin.indexOf('?');
  const written = mark === -1 ? origin : origin.slice(0, mark);
  const path = authority !== undefined && written === '' ? '/' : written;
  const search = mark === -1 ? '' : origin.slice(mark);
  if (!path.startsWith('/')) {
    return { status: 400, path: '' };
  }
  if (authority !== undefined && !isAuthority(authority)) {
    return { status: 400, path };
  }
  if (search !== '' && !SEARCH.test(search)) {
    return { status: 400, path };
  }
  if (!PATH.test(path) || hasOddSegment(path)) {
    return { status: 404, path };
  }
  const parameters = readParameters(search.slice(1));
  if (parameters === undefined) {
    return { status: 400, path };
  }
  return { path, search, parameters, authority };
}

/** Whether a segment is empty (but for the last one), or one that a reader might resolve. */
function hasOddSegment(path: string): boolean {
  const segments = path.slice(1).split('/');
  return segments.some(
    (segment, index) =>
      segment === '.' || segment === '..' || (segment === '' && index < segments.length - 1),
  );
}
