import { randomBytes } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { cookieName } from '../../platform/http/cookies.js';
import type { CsrfTokens } from './csrf.js';

/** How long a form of somebody who is not signed in may stay open, in seconds. Each page begins anew. */
const FORM_SECONDS = 3600;

/** The cookies of a request and its answer, and whether browsers reach the service by https. */
type Context = Pick<KoaContextWithOIDC, 'cookies' | 'secure'>;

const nameIn = ({ secure }: Context): string => cookieName('cws_form', secure);

/**
 * Reads the cookie that ties forms to a browser in which nobody is signed in. It is signed, has a random
 * value, and the service stores nothing of it. The forms carry a token made from the value (see
 * {@link CsrfTokens}), which another site cannot know.
 * @returns the value that came with the request, or undefined when none came or its signature is wrong.
 */
function formCookie(context: Context): string | undefined {
  const value = context.cookies.get(nameIn(context), { signed: true });
  return value === undefined || value === '' ? undefined : value;
}

/** Like {@link formCookie}, for an answer that shows a form: gives the browser a value if it has none. */
export function keepCsrfCookie(context: Context): string {
  const value = formCookie(context) ?? randomBytes(18).toString('base64url');
  context.cookies.set(nameIn(context), value, {
    httpOnly: true,
    sameSite: 'lax',
    signed: true,
    overwrite: true,
    maxAge: FORM_SECONDS * 1000,
  });
  return value;
}

/**
 * Whether a browser does not keep cookies: a form that it was given less than the life of the cookie ago comes back
 * without the cookie.
 * @param shownAt when the form was shown, in seconds since 1970, as the form says; nothing else depends on it.
 * @param now in seconds since 1970.
 */
export function blocksCookies(context: Context, shownAt: unknown, now: number): boolean {
  const age =
    typeof shownAt === 'string' && /^\d{1,12}$/.test(shownAt) ? now - Number(shownAt) : -1;
  return (
    context.cookies.get(nameIn(context), { signed: false }) === undefined &&
    age >= 0 &&
    age < FORM_SECONDS
  );
}

/** What the form of the code page must carry, when it comes with the cookies of this request. */
export function deviceFormToken(context: Context, formTokens: CsrfTokens): string {
  // Without a cookie no token can be right: it is made from a value that nobody knows.
  return formTokens.make('device', formCookie(context) ?? randomBytes(18).toString('base64url'));
}
