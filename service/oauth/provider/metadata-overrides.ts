import type { KoaContextWithOIDC } from 'oidc-provider';
import { CONFIDENTIAL_METHODS } from '../tokens/introspection.js';
import { stateOf } from '../context/request-state.js';
import { ProviderRequest } from './provider-request.js';
import { REFRESH_ATTEMPT_SUPPORTED } from '../tokens/refresh-retry.js';
import { METADATA_PATH, ROUTES } from '../../site/addresses/oauth-paths.js';
import { ALL_SCOPES, TOLERATED_SCOPE } from '../../identity/index.js';

/**
 * Corrects oidc-provider where its answers differ from the RFCs, or do not work with our pages:
 * - a client that uses a grant it is not registered for gets `unauthorized_client`
 *   ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)) instead of `invalid_request`;
 * - the only response mode is `query`. The others need a script or put the answer in a fragment, and oidc-provider
 *   would use such a mode even to refuse it;
 * - a response type that is not offered (`token`) is also refused in the query, as
 *   [RFC 6749 §3.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-3.1.1) requires in §4.1.2.1. The fragment of §4.2.2.1
 *   belongs to a grant that is not offered;
 * - a device authorization response has the `interval`
 *   ([RFC 8628 §3.2](https://www.rfc-editor.org/rfc/rfc8628#section-3.2));
 * - when the browser returns from the pages, parameters in the address are ignored;
 * - after refusing a client that authenticated in a header, the response requests that header (§5.2), also when the
 *   secret was empty (empty-client-secret.ts);
 * - the metadata ([RFC 8414](https://www.rfc-editor.org/rfc/rfc8414)) lists all scopes, names the authentication
 *   methods for revocation (the default would be `client_secret_basic` alone) and introspection, and omits OpenID Connect, which the
 *   service does not offer;
 * - a refused poll has the members of number matching (docs/oauth.md);
 * - the metadata and token responses state that the service supports `refresh_attempt` (refresh-retry.ts).
 */
export function metadataOverrides(pollIntervalSeconds: number) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.path === ROUTES.authorization) {
      correctAuthorizationRequest(ctx);
    }
    // The request was stored when it came. But oidc-provider would read the parameters of the address when it
    // reports an error, and fail where they are only a part of a request.
    else if (ctx.path.startsWith(`${ROUTES.authorization}/`)) {
      ctx.query = {};
    }
    await next();
    if (ctx.status === 401 && ctx.req instanceof ProviderRequest && ctx.req.hadEmptySecret) {
      const realm = ctx.oidc.provider.issuer;
      ctx.set('WWW-Authenticate', `Basic realm="${realm}", error="invalid_client"`);
    }
    const body: unknown = ctx.body;
    if (typeof body === 'object' && body !== null) {
      ctx.body = correctBody(ctx, body, pollIntervalSeconds);
    }
  };
}

function correctBody(ctx: KoaContextWithOIDC, body: object, interval: number): object {
  const { path, status } = ctx;
  if (path === METADATA_PATH) {
    return correctMetadata(body);
  }
  if (path !== ROUTES.token && path !== ROUTES.device_authorization) {
    return body;
  }
  if (status === 200) {
    return {
      ...body,
      ...(path === ROUTES.token ? { [REFRESH_ATTEMPT_SUPPORTED]: true } : { interval }),
    };
  }
  const description = 'error_description' in body ? String(body.error_description) : '';
  return description.endsWith(' not allowed for this client')
    ? { ...body, error: 'unauthorized_client' }
    : { ...body, ...stateOf(ctx).errorMembers };
}

/** Replaces types and modes that are not offered: oidc-provider would refuse them in their respective response mode. */
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
  const atToken = 'token_endpoint_auth_methods_supported';
  return {
    ...Object.fromEntries(Object.entries(metadata).filter(([name]) => !OPENID_MEMBERS.has(name))),
    revocation_endpoint_auth_methods_supported: atToken in metadata ? metadata[atToken] : undefined,
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL_METHODS,
    response_modes_supported: ['query'],
    scopes_supported: [...ALL_SCOPES, TOLERATED_SCOPE],
    [REFRESH_ATTEMPT_SUPPORTED]: true,
  };
}
