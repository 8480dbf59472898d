import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';

const failures = new WeakMap<IncomingMessage, { readonly error: unknown }>();

/** The error that failed this request in oidc-provider; undefined where there was none, or the client's only. */
export function failureOf(request: IncomingMessage): { readonly error: unknown } | undefined {
  return failures.get(request);
}

/**
 * Makes oidc-provider leave the answer to its caller when something of ours fails (the database, for one). By
 * itself it would answer 500, in plain text where it did not expect a failure. Call it before any other
 * middleware is added: it must be the outermost.
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
