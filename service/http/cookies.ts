import type { IncomingMessage } from 'node:http';

/** The value of a cookie in a request, as it was sent; empty when the request has no such cookie. */
export function cookieIn(request: IncomingMessage, name: string): string {
  const pairs = (request.headers.cookie ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/**
 * How a browser keeps a cookie of ours. No cookie of ours can be read by scripts (`HttpOnly`). A request that another
 * site causes carries it only when somebody follows a link (`SameSite=Lax`).
 */
export interface CookieLife {
  readonly path: string;
  /** In seconds; without it the cookie lives until the browser is closed. */
  readonly maxAge?: number | undefined;
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean;
}

/** A cookie as the value of a `Set-Cookie` header. */
export function cookieHeader(
  name: string,
  value: string,
  { path, maxAge, isSecure }: CookieLife,
): string {
  const life = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=${path}${life}; HttpOnly; SameSite=Lax${secure}`;
}
