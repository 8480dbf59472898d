import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { ProviderRequest } from './provider-request.js';

/**
 * Makes oidc-provider leave the response to its caller when the service fails (for instance the database). Otherwise it
 * would answer 500, in plain text for unexpected errors. The error is in {@link ProviderRequest.failure}. Call it
 * before any other middleware is added: it must be the outermost.
 */
export function captureErrors(provider: Provider): void {
  provider.on('server_error', capture);
  provider.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      capture(ctx, error);
    }
    // Koa then writes nothing.
    if (requestOf(ctx).failure !== undefined) {
      ctx.respond = false;
    }
  });
}

function capture(ctx: Pick<KoaContextWithOIDC, 'req'>, error: unknown): void {
  requestOf(ctx).failure = { error };
}

function requestOf({ req }: Pick<KoaContextWithOIDC, 'req'>): ProviderRequest {
  if (!(req instanceof ProviderRequest)) {
    throw new TypeError('a request reached oidc-provider without provider-handler.ts');
  }
  return req;
}
