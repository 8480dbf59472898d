/** The paths of the interface (section 4), by oidc-provider's names for them. */
export const ROUTES = {
  authorization: '/oauth/authorize',
  code_verification: '/oauth/device',
  device_authorization: '/api/oauth/device_authorization',
  token: '/api/oauth/token',
  revocation: '/api/oauth/revoke',
  introspection: '/api/oauth/introspect',
  jwks: '/api/oauth/jwks',
} as const;

/**
 * Authorization server metadata ([RFC 8414 §3](https://www.rfc-editor.org/rfc/rfc8414#section-3)); its path
 * is fixed by the RFC.
 */
export const METADATA_PATH = '/.well-known/oauth-authorization-server';

/**
 * Metadata of the data API as a protected resource
 * ([RFC 9728 §3.1](https://www.rfc-editor.org/rfc/rfc9728#section-3.1)); the path of the resource follows the fixed part.
 */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource/api/v1';

/** Sign-in and consent pages lie below this, one path per interaction. */
export const INTERACTION_PATH = '/oauth/interaction';
