import type { BrowserSession } from '../session/browser-session.js';
import { epochSeconds } from '../session/oidc-record.js';

/** How the user of a session signed in ([RFC 8176](https://www.rfc-editor.org/rfc/rfc8176)). */
export const METHODS = {
  password: ['pwd'],
  passwordAndCode: ['pwd', 'otp', 'mfa'],
  /** A passkey verifies its user. */
  passkey: ['pop', 'user', 'mfa'],
} as const;

/** How recent a second factor must be before an app is allowed, in seconds. */
export const SECOND_FACTOR_SECONDS = 5 * 60;

/** How recent a sign-in must be for changes to the sign-in itself, in seconds. */
const SIGN_IN_SECONDS = 15 * 60;

/** When and how the user of a session signed in. */
interface SignInTime {
  /** In seconds since 1970. */
  readonly loginTs?: number | undefined;
  /** See {@link METHODS}. */
  readonly amr?: readonly string[] | undefined;
}

/** Whether a time is at most this old. @param at in seconds since 1970. */
export function isWithin(at: number | undefined, seconds: number): boolean {
  const now = epochSeconds();
  return at !== undefined && at <= now && now - at <= seconds;
}

/**
 * Whether a user must sign in again before they change how they sign in.
 * @param hasAuthenticator whether a password alone is not enough for this user.
 */
export function mustSignInAgain(
  { signedInAt, methods }: Pick<BrowserSession, 'signedInAt' | 'methods'>,
  hasAuthenticator: boolean,
): boolean {
  const isEnough = !hasAuthenticator || methods.includes('mfa');
  return !isEnough || !isWithin(signedInAt, SIGN_IN_SECONDS);
}

/** Whether a user has just signed in with a second factor. */
export function isRecent({ loginTs, amr }: SignInTime, seconds = SECOND_FACTOR_SECONDS): boolean {
  return amr?.includes('mfa') === true && isWithin(loginTs, seconds);
}
