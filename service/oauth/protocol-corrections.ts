import type { KoaContextWithOIDC } from 'oidc-provider';
import { showedEmptySecret } from './empty-secret.js';
import { METADATA_PATH, ROUTES } from './routes.js';
import { ALL_SCOPES, TOLERATED_SCOPE } from './scopes.js';

/**
 * Corrects oidc-provider where its answers differ from the RFCs, or do not work with our pages:
 * - a client that uses a grant it is not registered for is told `unauthorized_client`
 *   ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)) instead of `invalid_request`;
 * - the only response mode is `query`. The others need a script or put the answer in a fragment, and
 *   oidc-provider would even tell the refusal of such a mode in that mode. For the same reason a response
 *   type that is not understood (`token`) is told in the query:
 *   [RFC 6749 §3.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-3.1.1) sends the error as §4.1.2.1 says, and the
 *   fragment of §4.2.2.1 belongs to a grant that is not offered;
 * - parameters in the address of a request that is taken up again mean nothing;
 * - a client that showed itself by a header, and is not believed, is asked for that header (§5.2), also
 *   where the header said an id without a secret;
 * - the metadata ([RFC 8414](https://www.rfc-editor.org/rfc/rfc8414)) names the scopes that there are, and
 *   nothing of OpenID Connect, which the service does not speak.
 */
export async function protocolCorrections(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
): Promise<void> {
  if (ctx.path === ROUTES.authorization) {
    correctAuthorizationRequest(ctx);
  }
  // A request that goes on was stored; other parameters in the address mean nothing. But oidc-provider
  // would read them when it reports an error, and fail where they are only part of a request.
  else if (ctx.path.startsWith(`${ROUTES.authorization}/`)) {
    ctx.query = {};
  }
  await next();
  if (ctx.status === 401 && showedEmptySecret(ctx.req)) {
    const realm = ctx.oidc.provider.issuer;
    ctx.set('WWW-Authenticate', `Basic realm="${realm}", error="invalid_client"`);
  }
  const body: unknown = ctx.body;
  if (typeof body !== 'object' || body === null) {
    return;
  }
  if (ctx.path === METADATA_PATH) {
    ctx.body = correctMetadata(body);
  } else if (ctx.path === ROUTES.token || ctx.path === ROUTES.device_authorization) {
    const description = 'error_description' in body ? String(body.error_description) : '';
    if (description.endsWith(' not allowed for this client')) {
      ctx.body = { ...body, error: 'unauthorized_client' };
    }
  }
}

/** What oidc-provider understands but does not offer would choose where it tells the refusal. */
function correctAuthorizationRequest(ctx: KoaContextWithOIDC): void {
  const { response_type: type, response_mode: mode } = ctx.query;
  if (typeof type === 'string' && type.includes('token')) {
    ctx.query = { ...ctx.query, response_type: 'unsupported', response_mode: undefined };
  } else if (mode !== undefined && mode !== 'query') {
    ctx.query = { ...ctx.query, response_mode: 'unsupported' };
  }
}

/** Members of the metadata that only OpenID Connect has (Discovery 1.0 §3). */
const OPENID_MEMBERS = new Set([
  'acr_values_supported',
  'claim_types_supported',
  'claims_parameter_supported',
  'claims_supported',
  'id_token_signing_alg_values_supported',
  'request_parameter_supported',
  'request_uri_parameter_supported',
  'require_request_uri_registration',
  'subject_types_supported',
]);

function correctMetadata(metadata: object): object {
  return {
    ...Object.fromEntries(Object.entries(metadata).filter(([name]) => !OPENID_MEMBERS.has(name))),
    response_modes_supported: ['query'],
    scopes_supported: [...ALL_SCOPES, TOLERATED_SCOPE],
  };
}
