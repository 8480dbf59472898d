import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Queryable } from '../database/database.js';
import type { FormTokens } from './form-tokens.js';

/** A browser that only looked at the sign-in page is forgotten after this time, in seconds. */
const ANONYMOUS_SECONDS = 3600;

/** The sign-in of one browser, for pages that no OAuth request leads to. */
export interface BrowserSession {
  /** Who is signed in, if anybody. */
  readonly accountId: string | undefined;
  /** Belongs into every form; see {@link FormTokens}. Another one after each sign-in. */
  readonly csrf: string;
  /** Signs this person in, under a new session identifier (a known one must not become valuable). */
  signIn(accountId: string): Promise<void>;
  signOut(): Promise<void>;
}

/**
 * Opens the session that oidc-provider keeps for a browser, so that one sign-in serves for connecting
 * apps and for Settings. A browser without one gets one: its sign-in form needs an anti-forgery token.
 * @param lifeSeconds how long a sign-in lasts.
 */
export async function openBrowserSession(
  provider: Provider,
  tokens: FormTokens,
  lifeSeconds: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<BrowserSession> {
  const ctx = provider.createContext(request, response);
  const session = await provider.Session.get(ctx);
  const cookie = provider.cookieName('session');
  const options = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  const save = async (seconds: number): Promise<void> => {
    await session.save(seconds);
    ctx.cookies.set(cookie, session.jti, { ...options, maxAge: seconds * 1000 });
  };
  const isStored = typeof session.exp === 'number' && session.exp > Date.now() / 1000;
  if (!isStored) await save(ANONYMOUS_SECONDS);
  return {
    accountId: session.accountId,
    csrf: tokens.make(
      'settings',
      session.uid,
      session.accountId ?? '',
      String(session.loginTs ?? ''),
    ),
    signIn: async (accountId) => {
      session.loginAccount({ accountId });
      session.resetIdentifier();
      await save(lifeSeconds);
    },
    signOut: async () => {
      await session.destroy();
      ctx.cookies.set(cookie, null, options);
    },
  };
}

/**
 * Marks the browser sessions of a person as ended, see {@link ENDED_SESSION}, and forgets the sign-ins
 * that have been checked but not yet finished: each would become a session. Call it in a transaction.
 * @returns how many sessions there were.
 */
export async function endBrowserSessionsOf(
  transaction: Queryable,
  accountId: string,
): Promise<number> {
  await transaction.query(
    `DELETE FROM oidc_records
      WHERE kind = 'Interaction' AND $1 IN (
        payload -> 'session' ->> 'accountId', payload -> 'result' -> 'login' ->> 'accountId',
        payload -> 'lastSubmission' -> 'login' ->> 'accountId')`,
    [accountId],
  );
  const ended = await transaction.query(
    `UPDATE oidc_records SET ${ENDED_SESSION}
      WHERE kind = 'Session' AND payload ->> 'accountId' = $1 RETURNING id`,
    [accountId],
  );
  return ended.length;
}

/**
 * What becomes of the row of a session that ends. It stays until it expires, as a mark: oidc-provider
 * writes a session back after each request, and one that was under way meanwhile must not revive it.
 */
export const ENDED_SESSION = `payload = '{}', session_uid = NULL, consumed_at = now()`;
