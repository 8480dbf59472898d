import type { HttpUrl } from '../base/url.js';

/**
 * Who the plugin is to the service. A public client: it has an id and no secret
 * ([RFC 6749 §2.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.1)).
 */
export interface OAuthClient {
  /** The service's base address, without a slash at its end. */
  readonly baseUrl: string;
  readonly origin: HttpUrl;
  readonly clientId: string;
  /** Scopes asked for, separated by spaces ([RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)). */
  readonly scope: string;
}

export function deviceAuthorizationEndpoint(client: OAuthClient): string {
  return `${client.baseUrl}/api/oauth/device_authorization`;
}

export function tokenEndpoint(client: OAuthClient): string {
  return `${client.baseUrl}/api/oauth/token`;
}

export function revocationEndpoint(client: OAuthClient): string {
  return `${client.baseUrl}/api/oauth/revoke`;
}
