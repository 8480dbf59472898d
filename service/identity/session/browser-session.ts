import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Queryable } from '../../kernel/database/database.js';
import { ensureCsrfCookie } from '../csrf/csrf-cookie.js';
import type { CsrfTokens } from '../csrf/csrf.js';
import { isStored } from './oidc-record.js';

/** The sign-in of one browser, for pages that no OAuth request leads to. */
export interface BrowserSession {
  /** Account id of the signed-in user, if any. */
  readonly accountId: string | undefined;
  /** When the user signed in, in seconds since 1970. */
  readonly signedInAt: number | undefined;
  /** The workspace whose company account the user signed in with; undefined for their own sign-in. */
  readonly company: string | undefined;
  /** How the user signed in, see `METHODS` in recent-sign-in.ts. */
  readonly methods: readonly string[];
  /** Include it in every form of a signed-in user; see {@link CsrfTokens}. */
  readonly csrf: string;
  /** Include it in the sign-in form. It stays valid if another user signs in before the form is submitted. */
  signInCsrf(): string;
  /**
   * Include it in the form on the page of a one-time link, also in a signed-out browser. It differs for each link and
   * after each sign-in.
   * @param id the id of the link.
   */
  linkCsrf(purpose: 'invitation' | 'reset' | 'email' | 'company', id: string): string;
  /**
   * Signs this user in with a new session. The old identifier may be known to others (session fixation), so it must not
   * become the session of a signed-in user.
   * @param company the workspace whose company account the user signed in with; undefined for their own.
   * @param methods see {@link methods}.
   */
  signIn(accountId: string, company?: string, methods?: readonly string[]): Promise<void>;
  signOut(): Promise<void>;
}

/** How long a browser stays signed in. */
export const SESSION_SECONDS = 14 * 24 * 3600;

interface BrowserSessionDeps {
  readonly provider: Provider;
  readonly formTokens: CsrfTokens;
}

/** The session of a browser that is open, as the pages need it. */
export interface OpenSession extends Pick<
  InstanceType<Provider['Session']>,
  'accountId' | 'loginTs' | 'uid'
> {
  /** See {@link companyOf}. */
  readonly amr?: string[] | undefined;
  /** In seconds since 1970; undefined when the session is not stored. */
  readonly exp?: number | undefined;
  destroy(): Promise<unknown>;
}

/**
 * Opens the session that oidc-provider keeps for a browser, so that one sign-in works for connecting apps and for
 * Settings. A signed-out browser has no session, and none is stored for it.
 */
export async function openBrowserSession(
  deps: BrowserSessionDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<BrowserSession> {
  const { provider } = deps;
  const session = await provider.Session.get(provider.createContext(request, response));
  return browserSession(deps, request, response, session);
}

/**
 * The sign-in of a browser whose session was read already.
 * @param session undefined for a browser that has none
 */
export function browserSession(
  { provider, formTokens }: BrowserSessionDeps,
  request: IncomingMessage,
  response: ServerResponse,
  session: OpenSession = new provider.Session(),
): BrowserSession {
  const ctx = provider.createContext(request, response);
  const cookie = provider.cookieName('session');
  const options = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  return {
    accountId: session.accountId,
    signedInAt: session.loginTs,
    company: companyOf(session.amr),
    methods: session.amr ?? [],
    csrf: formTokens.make(
      'settings',
      session.uid,
      session.accountId ?? '',
      String(session.loginTs ?? ''),
    ),
    signInCsrf: () => formTokens.make('sign-in', ensureCsrfCookie(ctx)),
    linkCsrf: (purpose, id) => {
      const uid = isStored(session) ? session.uid : '';
      return formTokens.make(purpose, id, uid, ensureCsrfCookie(ctx));
    },
    signIn: async (accountId, company, methods = []) => {
      const fresh = new provider.Session();
      const amr = company === undefined ? [...methods] : [COMPANY_METHOD + company, ...methods];
      fresh.loginAccount({ accountId, ...(amr.length > 0 && { amr }) });
      await fresh.save(SESSION_SECONDS);
      if (isStored(session)) {
        await session.destroy();
      }
      ctx.cookies.set(cookie, fresh.jti, { ...options, maxAge: SESSION_SECONDS * 1000 });
    },
    signOut: async () => {
      if (isStored(session)) {
        await session.destroy();
      }
      ctx.cookies.set(cookie, null, options);
    },
  };
}

/**
 * Marks the browser sessions of a user as ended, see {@link ENDED_SESSION}. Ends their sign-in and consent pages as
 * well: a sign-in that was checked but not yet finished would become a session. Call it in a transaction.
 * @param exceptSessionId the row of a session that stays
 * @returns how many sessions there were.
 */
export async function endBrowserSessionsOf(
  transaction: Queryable,
  accountId: string,
  exceptSessionId = '',
): Promise<number> {
  await transaction.query(
    `UPDATE oidc_records SET ${ENDED_INTERACTION},
        payload = payload || '{"result":{"${ENDED_BY_OWNER}":true}}'::jsonb
      WHERE kind = 'Interaction' AND consumed_at IS NULL AND $1 IN (
        payload -> 'session' ->> 'accountId', payload -> 'result' -> 'login' ->> 'accountId',
        payload -> 'lastSubmission' -> 'login' ->> 'accountId')`,
    [accountId],
  );
  const ended = await transaction.query(
    `UPDATE oidc_records SET ${ENDED_SESSION}
      WHERE kind = 'Session' AND payload ->> 'accountId' = $1 AND id <> $2 RETURNING id`,
    [accountId, exceptSessionId],
  );
  return ended.length;
}

/** The authentication method of a session that a company account opened begins with this; the workspace follows. */
const COMPANY_METHOD = 'company:';

/** The workspace whose company account opened a session. @param amr the authentication methods of the session. */
export function companyOf(amr: readonly string[] | undefined): string | undefined {
  return amr?.find((method) => method.startsWith(COMPANY_METHOD))?.slice(COMPANY_METHOD.length);
}

/** Whether the company account of a workspace still opens an account. */
export async function opensAccount(
  database: Queryable,
  workspaceId: string,
  accountId: string,
): Promise<boolean> {
  const found = await database.query(
    'SELECT 1 FROM account_identities WHERE workspace_id = $1 AND account_id = $2 LIMIT 1',
    [workspaceId, accountId],
  );
  return found.length > 0;
}

/** Like {@link opensAccount}; an end of the link waits until the transaction ends. */
export async function holdLink(
  transaction: Queryable,
  workspaceId: string,
  accountId: string,
): Promise<boolean> {
  const held = await transaction.query(
    `SELECT 1 FROM account_identities WHERE workspace_id = $1 AND account_id = $2 FOR KEY SHARE`,
    [workspaceId, accountId],
  );
  return held.length > 0;
}

/**
 * Marks the browser sessions that the company account of a workspace opened as ended. Call it in a transaction.
 * @param accountId only those of this user; undefined for all.
 * @param exceptSessionId the row of a session that stays
 * @returns how many sessions there were.
 */
export async function endCompanySessions(
  transaction: Queryable,
  workspaceId: string,
  accountId?: string,
  exceptSessionId = '',
): Promise<number> {
  const ended = await transaction.query(
    `UPDATE oidc_records SET ${ENDED_SESSION}
      WHERE kind = 'Session' AND payload -> 'amr' ? $1
        AND payload ->> 'accountId' = COALESCE($2, payload ->> 'accountId') AND id <> $3 RETURNING id`,
    [COMPANY_METHOD + workspaceId, accountId ?? null, exceptSessionId],
  );
  return ended.length;
}

/**
 * The change to the row of a session that ends. The row stays, marked, until it expires: oidc-provider writes
 * a session back after each request, and a request in progress must not restore it.
 */
export const ENDED_SESSION = `payload = '{}', session_uid = NULL, consumed_at = now()`;

/** The result of a sign-in or consent page that {@link endBrowserSessionsOf} ended. */
export const ENDED_BY_OWNER = 'endedForThem';

/**
 * The change to the row of a sign-in or consent page that ends. Its payload is kept, as it contains the answer
 * (finished-interactions.ts).
 */
export const ENDED_INTERACTION = `consumed_at = now()`;
