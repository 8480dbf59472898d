import type { KoaContextWithOIDC } from 'oidc-provider';
import { METADATA_PATH, ROUTES } from './routes.js';

/**
 * Puts right where oidc-provider answers otherwise than the RFCs, or than our pages can bear:
 * - a client that uses a grant it is not registered for is told `unauthorized_client` (RFC 6749 §5.2)
 *   instead of `invalid_request`;
 * - the only response mode is `query`. The others need a script or put the answer in a fragment, and
 *   oidc-provider would even tell the refusal of such a mode in that mode.
 */
export async function protocolCorrections(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  if (ctx.path === ROUTES.authorization) {
    const mode = ctx.query['response_mode'];
    if (mode !== undefined && mode !== 'query') {
      ctx.query = { ...ctx.query, response_mode: 'unsupported' };
    }
  }
  await next();
  const body: unknown = ctx.body;
  if (typeof body !== 'object' || body === null) return;
  if (ctx.path === METADATA_PATH) {
    ctx.body = { ...body, response_modes_supported: ['query'] };
  } else if (ctx.path === ROUTES.token || ctx.path === ROUTES.device_authorization) {
    const description = 'error_description' in body ? String(body.error_description) : '';
    if (description.endsWith(' not allowed for this client')) {
      ctx.body = { ...body, error: 'unauthorized_client' };
    }
  }
}
