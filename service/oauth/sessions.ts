import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { FormTokens } from './form-tokens.js';
import { deviceFormToken } from './form-cookie.js';
import { ROUTES } from './routes.js';

type Session = InstanceType<Provider['Session']>;

/** The context of a request, as far as it exists where a session is opened. */
type RequestContext = Parameters<Provider['Session']['get']>[0];

/** The methods of oidc-provider's Session model that are replaced. */
interface SessionMethods {
  save: (this: Session, ttl: number) => Promise<string>;
  persist: (this: Session) => Promise<string>;
  resetIdentifier: (this: Session) => void;
}

/**
 * Makes the provider keep sessions of people who are signed in, and of nobody else. So a stranger who opens
 * pages leaves no row behind, and the identifier that a browser had before a sign-in is worth nothing.
 *
 * - A session in which nobody is signed in is not stored.
 * - The identifier of a stored session stays: it was made at the sign-in of the same person. The library
 *   would change it at every answer, and two answers at once would end the session.
 * - The token of the code page's form comes from a cookie (form-cookie.ts). The library compares it with a
 *   secret in the session, so that is put there when a form arrives; it is not stored.
 * @throws {Error} when a version of oidc-provider keeps its sessions in another way.
 */
export function keepSessionsOfPeople(provider: Provider, formTokens: FormTokens): void {
  const model: object = provider.Session.prototype;
  if (!keepsSessions(model)) {
    throw new Error('oidc-provider no longer keeps sessions as expected');
  }
  const { save, persist, resetIdentifier } = model;
  model.save = async function (ttl) {
    return this.accountId === undefined ? '' : save.call(this, ttl);
  };
  model.persist = async function () {
    return this.accountId === undefined ? '' : persist.call(this);
  };
  model.resetIdentifier = function () {
    if (!isStored(this)) {
      resetIdentifier.call(this);
    }
  };
  const get = provider.Session.get.bind(provider.Session);
  provider.Session.get = async (ctx: RequestContext): Promise<Session> => {
    const session = await get(ctx);
    if (ctx.method === 'POST' && ctx.path === ROUTES.code_verification) {
      session.state = { secret: deviceFormToken(ctx, formTokens) };
    }
    return session;
  };
}

/**
 * Takes the session cookie out of an answer to somebody who is not signed in. It would name no session, and
 * could replace the cookie of a sign-in that the same browser makes at that moment.
 */
export async function noCookieForNobody(
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

/** Whether a session was stored; then somebody is signed in with it. */
export function isStored(session: Session): boolean {
  const expiry: unknown = session.exp;
  return typeof expiry === 'number';
}

function keepsSessions(model: object): model is SessionMethods {
  return ['save', 'persist', 'resetIdentifier'].every((name) => {
    const method: unknown = Reflect.get(model, name);
    return typeof method === 'function';
  });
}
