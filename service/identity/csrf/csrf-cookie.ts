import { randomBytes } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { cookieName } from '../../kernel/cookies.js';
import type { CsrfTokens } from './csrf.js';

/** How long a form may stay open in a signed-out browser, in seconds. Each page restarts the time. */
const FORM_SECONDS = 3600;

/** The cookies of a request and its answer, and whether browsers reach the service by https. */
type Context = Pick<KoaContextWithOIDC, 'cookies' | 'secure'>;

const nameIn = ({ secure }: Context): string => cookieName('cws_form', secure);

/**
 * Reads the cookie that binds forms to a signed-out browser. It is signed and has a random value; the service does not
 * store it. The forms carry a token derived from the value (see {@link CsrfTokens}), which other sites cannot guess.
 * @returns the value in the request; undefined when it is missing or its signature is wrong.
 */
function formCookie(context: Context): string | undefined {
  const value = context.cookies.get(nameIn(context), { signed: true });
  return value === undefined || value === '' ? undefined : value;
}

/** Like {@link formCookie}, for an answer that shows a form: gives the browser a value if it has none. */
export function ensureCsrfCookie(context: Context): string {
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
 * Whether a browser rejects cookies: it submits a form without the cookie, although the cookie cannot have expired yet.
 * @param shownAt when the form was shown, in seconds since 1970. It comes from the form and is used for nothing else.
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

/** The form token of the code page that belongs to the cookies of this request. */
export function deviceFormToken(context: Context, formTokens: CsrfTokens): string {
  // Without a cookie, tokens are made from an unknown value, so none can match.
  return formTokens.make('device', formCookie(context) ?? randomBytes(18).toString('base64url'));
}
