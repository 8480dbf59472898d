import type { KoaContextWithOIDC } from 'oidc-provider';
import { requestRecords } from './request-records.js';

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/**
 * Adds what oidc-provider leaves out of the device grant
 * ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)):
 * - `interval` in the device authorization response (§3.2);
 * - `slow_down` for a client that polls faster than that (§3.5). It is "a variant of
 *   authorization_pending", so it replaces exactly that answer: a client that polls early after the
 *   person approved still gets its tokens.
 */
export function deviceResponses(intervalSeconds: number): Middleware {
  return async (ctx, next) => {
    await next();
    const body: unknown = ctx.body;
    if (!isRecord(body)) {
      return;
    }
    if (isRoute(ctx, 'device_authorization') && 'device_code' in body) {
      ctx.body = { ...body, interval: intervalSeconds };
    }
    const isPending = isRoute(ctx, 'token') && body['error'] === 'authorization_pending';
    if (isPending && requestRecords()?.isTooFast === true) {
      ctx.body = {
        error: 'slow_down',
        error_description: `polled faster than every ${intervalSeconds} seconds`,
      };
    }
  };
}

/** Whether oidc-provider handled the request under this name; `ctx.oidc` is missing otherwise. */
export function isRoute(ctx: KoaContextWithOIDC, route: string): boolean {
  const { oidc } = ctx as Partial<KoaContextWithOIDC>;
  return oidc?.route === route;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value);
}
