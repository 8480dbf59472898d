import type { HttpUrl } from '../util/url.js';

/**
 * How the plugin identifies itself to the service. A public client: it has an id and no secret
 * ([RFC 6749 §2.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.1)).
 */
export interface OAuthClient {
  /** The service's base address, without a slash at its end. */
  readonly baseUrl: string;
  readonly origin: HttpUrl;
  readonly clientId: string;
  /** Requested scopes, separated by spaces ([RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)). */
  readonly scope: string;
}

/** Address for asking for a device_code ([RFC 8628 §3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1)). */
export function deviceAuthorizationEndpoint(client: OAuthClient): string {
  return `${client.baseUrl}/api/oauth/device_authorization`;
}

/** Address for polling and refreshing ([RFC 6749 §3.2](https://www.rfc-editor.org/rfc/rfc6749#section-3.2)). */
export function tokenEndpoint(client: OAuthClient): string {
  return `${client.baseUrl}/api/oauth/token`;
}

/** Address for revoking tokens ([RFC 7009 §2](https://www.rfc-editor.org/rfc/rfc7009#section-2)). */
export function revocationEndpoint(client: OAuthClient): string {
  return `${client.baseUrl}/api/oauth/revoke`;
}
