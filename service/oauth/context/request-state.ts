import type { KoaContextWithOIDC } from 'oidc-provider';

/** The values that middleware of one request shares in Koa's `ctx.state`. */
interface RequestState {
  /** The user code that was entered does not exist. */
  isWrongCode?: boolean;
  /** The response is a page of this service, not one of oidc-provider. */
  hasPage?: boolean;
  /** The user's decision is stored, in an authorization code or in the device code. */
  isDecided?: boolean;
  /** More members of the error response of the token endpoint. */
  errorMembers?: Readonly<Record<string, unknown>>;
}

export function stateOf(ctx: Pick<KoaContextWithOIDC, 'state'>): RequestState {
  return ctx.state;
}

/** Whether oidc-provider handles the request under this name; `ctx.oidc` is missing otherwise. */
export function isRoute(ctx: KoaContextWithOIDC, route: string): boolean {
  const { oidc } = ctx as Partial<KoaContextWithOIDC>;
  return oidc?.route === route;
}
