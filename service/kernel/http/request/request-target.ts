import { readParameters } from './parameters.js';

/** Where a request goes. It is read once, so that all parts of the service understand it in the same way. */
export interface RequestTarget {
  /** Begins with a slash. Has nothing in it that could be decoded, normalised or understood in two ways. */
  readonly path: string;
  /** The query as it was sent, with its question mark; empty when there is none. */
  readonly search: string;
  readonly parameters: URLSearchParams;
  /** Host and port, if the target was a whole address. They then count instead of the `Host` header. */
  readonly authority: string | undefined;
}

/** Why a target cannot be answered. */
export interface TargetProblem {
  readonly status: 400 | 404;
  /** The text in place of the path; empty if it does not begin with a slash. */
  readonly path: string;
}

/**
 * A path of the only characters that our paths are made of
 * ([RFC 3986 §2.3](https://www.rfc-editor.org/rfc/rfc3986#section-2.3), unreserved).
 */
const PATH = /^\/[\w.~/-]*$/;
/**
 * A query of the characters that may be in one ([RFC 3986 §3.4](https://www.rfc-editor.org/rfc/rfc3986#section-3.4)),
 * and of others that browsers do not encode.
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
 * `http://host/path?query` ([RFC 9112 §3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2)).
 * @returns the target; a problem with 400 for any other form. A path with percent-encoding, `..`, `//` or the like is
 *   none of ours: it gets 404 here, so that no later code interprets it.
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

/** Whether a segment of the path is `.` or `..`, which some programs resolve, or is empty without being the last. */
function hasOddSegment(path: string): boolean {
  const segments = path.slice(1).split('/');
  return segments.some(
    (segment, index) =>
      segment === '.' || segment === '..' || (segment === '' && index < segments.length - 1),
  );
}
