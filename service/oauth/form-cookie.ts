import { randomBytes } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { FormTokens } from './form-tokens.js';

/** How long a form of somebody who is not signed in may stay open, in seconds. Each page begins anew. */
const FORM_SECONDS = 3600;

const NAME = 'cws_form';

type Cookies = KoaContextWithOIDC['cookies'];

/**
 * Reads the cookie that ties forms to a browser in which nobody is signed in. It is signed, has a random
 * value, and the service stores nothing of it. The forms carry a token made from the value (see
 * {@link FormTokens}), which another site cannot know.
 * @returns the value that came with the request, or undefined when none came or its signature is wrong.
 */
function formCookie(cookies: Cookies): string | undefined {
  const value = cookies.get(NAME, { signed: true });
  return value === undefined || value === '' ? undefined : value;
}

/** Like {@link formCookie}, for an answer that shows a form: gives the browser a value if it has none. */
export function keepFormCookie(cookies: Cookies): string {
  const value = formCookie(cookies) ?? randomBytes(18).toString('base64url');
  cookies.set(NAME, value, {
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
export function blocksCookies(cookies: Cookies, shownAt: unknown, now: number): boolean {
  const age =
    typeof shownAt === 'string' && /^\d{1,12}$/.test(shownAt) ? now - Number(shownAt) : -1;
  return cookies.get(NAME, { signed: false }) === undefined && age >= 0 && age < FORM_SECONDS;
}

/** What the form of the code page must carry, when it comes from a browser with these cookies. */
export function deviceFormToken(cookies: Cookies, formTokens: FormTokens): string {
  // Without a cookie no token can be right: it is made from a value that nobody knows.
  return formTokens.make('device', formCookie(cookies) ?? randomBytes(18).toString('base64url'));
}
