import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { deviceFormToken, companyOf, isStored, type CsrfTokens } from '../../identity/index.js';
import { ROUTES } from '../../site/addresses/oauth-paths.js';

/** Stores that a browser uses a session. @param id the identifier in the cookie */
export type TouchSession = (accountId: string, id: string) => Promise<void>;

/** Whether the company account of a workspace still opens an account. */
export type OpensAccount = (workspaceId: string, accountId: string) => Promise<boolean>;

/**
 * Keeps oidc-provider's sessions for signed-in users only. So signed-out visitors leave no rows behind, and the
 * identifier from before a sign-in is useless.
 *
 * - A session without a user is not stored.
 * - The identifier of a stored session does not change: it was made at the sign-in of the same user. The library would
 *   change it at every response, and two concurrent responses would end the session.
 * - The token of the code page's form comes from a cookie (csrf-cookie.ts). The library compares it with a secret in
 *   the session. So the secret is put into the session when a form is submitted; it is not stored.
 * - A session that a company opened ends with the link of the company account, also if it was stored after that.
 */
export function sessionModel(
  provider: Provider,
  formTokens: CsrfTokens,
  touchSession: TouchSession,
  opensAccount: OpensAccount,
): Provider['Session'] {
  return class Session extends provider.Session {
    static override async get(...[ctx]: Parameters<Provider['Session']['get']>): Promise<Session> {
      let session = await super.get(ctx);
      const company = companyOf(session.amr);
      if (company !== undefined && !(await opensAccount(company, session.accountId ?? ''))) {
        await session.destroy();
        session = await super.get(ctx);
      }
      if (ctx.method === 'POST' && ctx.path === ROUTES.code_verification) {
        session.state = { secret: deviceFormToken(ctx, formTokens) };
      }
      return session;
    }

    override async save(ttl: number): Promise<string> {
      const { accountId } = this;
      if (accountId === undefined) {
        return '';
      }
      const saved = await super.save(ttl);
      await touchSession(accountId, this.jti);
      return saved;
    }

    override async persist(): Promise<string> {
      return this.accountId === undefined ? '' : super.persist();
    }

    override resetIdentifier(): void {
      if (!isStored(this)) {
        super.resetIdentifier();
      }
    }
  };
}

/**
 * Removes the session cookie from a response to a signed-out browser. It would name no session, and could replace the
 * cookie of a concurrent sign-in in the same browser.
 */
export async function skipAnonymousCookie(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  await next();
  const { oidc } = ctx as Partial<KoaContextWithOIDC>;
  if (oidc?.session === undefined || oidc.session.accountId !== undefined) {
    return;
  }
  const name = oidc.provider.cookieName('session');
  const cookies = [ctx.response.headers['set-cookie'] ?? []].flat();
  const kept = cookies.filter(
    (cookie) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`),
  );
  if (kept.length === 0) {
    ctx.remove('Set-Cookie');
  } else {
    ctx.set('Set-Cookie', kept);
  }
}
