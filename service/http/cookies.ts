import type { IncomingMessage } from 'node:http';

/** The value of a cookie that came with a request, as it was sent; empty when it did not come. */
export function cookieIn(request: IncomingMessage, name: string): string {
  const pairs = (request.headers.cookie ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/**
 * How a cookie of ours is kept. Scripts never see it. Of requests that another site causes, only a followed link sends
 * it along.
 */
export interface CookieLife {
  readonly path: string;
  /** In seconds; left out: until the browser is closed. */
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
