import type { IncomingMessage } from 'node:http';
import { isAuthority } from './request-target.js';

/** Headers that may come only once: of two, one program could use the first and another the second. */
const SINGLE = ['host', 'authorization', 'content-type', 'dpop'];

/**
 * The problem with the headers of a request, as text for the response; undefined if they are valid
 * ([RFC 9112 §3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2),
 * [RFC 9110 §5.3](https://www.rfc-editor.org/rfc/rfc9110#section-5.3)).
 */
export function headerProblem(request: IncomingMessage): string | undefined {
  const names = request.rawHeaders
    .filter((_text, index) => index % 2 === 0)
    .map((name) => name.toLowerCase());
  const repeated = SINGLE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated !== undefined) {
    return `there is more than one ${repeated} header`;
  }
  const { host } = request.headers;
  return host === undefined || isAuthority(host) ? undefined : 'the Host header is malformed';
}

/**
 * The headers for handlers. Scheme and host are those of the base URL, whatever the client or a proxy sends. Some
 * handlers use them to build URLs and to set cookies.
 */
export function headersAtBaseUrl(
  headers: NodeJS.Dict<string | string[]>,
  { host, protocol }: URL,
): NodeJS.Dict<string | string[]> {
  return {
    ...headers,
    host,
    'x-forwarded-proto': protocol.replace(':', ''),
    'x-forwarded-host': undefined,
  };
}
