import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';

const failures = new WeakMap<IncomingMessage, { readonly error: unknown }>();

/** What went wrong while oidc-provider worked on this request, unless that was the client's fault. */
export function failureOf(request: IncomingMessage): { readonly error: unknown } | undefined {
  return failures.get(request);
}

/**
 * When something of ours fails, makes oidc-provider leave the answer to its caller. By itself it would
 * answer 500 to everything that it does not know, and plain text where it did not expect a failure at all.
 * Call before any middleware is added: this one goes around them.
 */
export function keepFailures(provider: Provider): void {
  const keep = (ctx: { readonly req: IncomingMessage }, error: unknown): void => {
    failures.set(ctx.req, { error });
  };
  provider.on('server_error', keep);
  provider.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      keep(ctx, error);
    }
    // Koa then writes nothing.
    if (failures.has(ctx.req)) {
      ctx.respond = false;
    }
  });
}
