import type { IncomingMessage } from 'node:http';

/** The cookies of the service: where a browser sends each, to every page or below one path. */
const COOKIES = {
  cws_session: 'every page',
  cws_form: 'every page',
  cws_known: 'every page',
  cws_user: 'every page',
  cws_language: 'every page',
  cws_language_asked: 'every page',
  cws_interaction: 'one path',
  cws_resume: 'one path',
  cws_invite: 'one path',
  cws_reset: 'one path',
  cws_email: 'one path',
  cws_company: 'one path',
  cws_choose: 'one path',
  cws_identity: 'one path',
  cws_share: 'one path',
  cws_guest: 'one path',
} as const;

/** A cookie of the service, by its name without a prefix. */
export type CookieName = keyof typeof COOKIES;

/**
 * The name under which a browser keeps a cookie. Over https it has a prefix
 * ([RFC 6265bis §4.1.3](https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3)). With
 * `__Host-` no other host of the same domain can set the cookie, but `Path` must be `/`. The cookies of one path have
 * `__Secure-`: no answer over http can set them.
 * @param isSecure whether browsers reach the service by https.
 */
export function cookieName(cookie: CookieName, isSecure: boolean): string {
  if (!isSecure) {
    return cookie;
  }
  return `${COOKIES[cookie] === 'every page' ? '__Host-' : '__Secure-'}${cookie}`;
}

/**
 * The value of a cookie in a request, as it was sent; empty when the request has no such cookie.
 * @param isSecure whether browsers reach the service by https.
 */
export function cookieIn(request: IncomingMessage, cookie: CookieName, isSecure: boolean): string {
  const beginning = `${cookieName(cookie, isSecure)}=`;
  const pairs = (request.headers.cookie ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(beginning))?.slice(beginning.length) ?? '';
}

/**
 * The cookies of a request whose names begin with this one.
 * @param isSecure whether browsers reach the service by https.
 */
export function cookiesIn(
  request: IncomingMessage,
  cookie: CookieName,
  isSecure: boolean,
): { readonly suffix: string; readonly value: string }[] {
  const beginning = cookieName(cookie, isSecure);
  return (request.headers.cookie ?? '').split(/; */).flatMap((pair) => {
    const [, suffix, value] = /^(|_[\w-]{16})=(.*)$/.exec(pair.slice(beginning.length)) ?? [];
    return pair.startsWith(beginning) && suffix !== undefined && value !== undefined
      ? [{ suffix, value }]
      : [];
  });
}

/**
 * The attributes of our cookies. Scripts cannot read them (`HttpOnly`). Requests from other sites carry them only when
 * the user follows a link (`SameSite=Lax`).
 */
export interface CookieLife {
  /** A part behind the name, for one of several cookies; see {@link cookiesIn}. */
  readonly suffix?: string;
  /** `/` for a cookie of every page. */
  readonly path: string;
  /** In seconds; without it the cookie lives until the browser is closed. */
  readonly maxAge?: number | undefined;
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean;
}

/** A cookie as the value of a `Set-Cookie` header. */
export function cookieHeader(
  cookie: CookieName,
  value: string,
  { path, maxAge, isSecure, suffix = '' }: CookieLife,
): string {
  const life = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  const secure = isSecure ? '; Secure' : '';
  const name = cookieName(cookie, isSecure);
  return `${name}${suffix}=${value}; Path=${path}${life}; HttpOnly; SameSite=Lax${secure}`;
}
