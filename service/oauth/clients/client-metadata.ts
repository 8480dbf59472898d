import type { ClientMetadata } from 'oidc-provider';
import { AUTHORIZATION_CODE, DEVICE_CODE, REFRESH_TOKEN } from '../tokens/grant-types.js';
import type { PlatformClient } from './platform-clients.js';
import { validRedirectUris } from './redirect-uris.js';
import type { WorkspaceClient } from './workspace-clients.js';

/** Client properties that oidc-provider stores for us and does not interpret. */
export const API_SCOPE = 'api_scope';
export const WORKSPACE_ID = 'workspace_id';
/** Set to `yes` for an app that lets its user choose a number. */
export const NUMBER_MATCHING = 'number_matching';

/** A platform client as oidc-provider takes it. */
export function platformClientMetadata(client: PlatformClient): ClientMetadata {
  return {
    client_id: client.client_id,
    client_name: client.client_name,
    application_type: client.application_type,
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    grant_types: client.grant_types,
    redirect_uris: client.redirect_uris,
    response_types: client.grant_types.includes(AUTHORIZATION_CODE) ? ['code'] : [],
    // Not `scope`: the scopes belong to the data API, see checkRequestedScopes in provider.ts.
    [API_SCOPE]: client.scope,
    ...(client.number_matching === true && { [NUMBER_MATCHING]: 'yes' }),
  };
}

/**
 * A workspace client as oidc-provider takes it. In place of the secret it gets the secret's hash, and compares
 * by hash (provider-models.ts).
 */
export function workspaceClientMetadata(client: WorkspaceClient): ClientMetadata {
  const redirectUris = validRedirectUris(client.redirectUris, client.confidential);
  // Without a redirect URI a public client can only use device codes. Both kinds can refresh their tokens.
  const codeGrant = redirectUris.length > 0 ? [AUTHORIZATION_CODE] : [];
  return {
    client_id: client.clientId,
    client_name: client.name,
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    ...(client.secretSha256 === undefined
      ? {
          application_type: 'native',
          token_endpoint_auth_method: 'none',
          grant_types: [...codeGrant, DEVICE_CODE, REFRESH_TOKEN],
        }
      : {
          application_type: 'web',
          // Either way of sending the secret is taken (RFC 6749 §2.3.1).
          token_endpoint_auth_method: 'client_secret_basic',
          client_secret: client.secretSha256,
          grant_types: [...codeGrant, REFRESH_TOKEN],
        }),
    [API_SCOPE]: client.scope,
    [WORKSPACE_ID]: client.workspaceId,
  };
}

/** A text member among those above, as a client of oidc-provider holds it. */
export function clientText(client: object, member: string): string | undefined {
  const value: unknown = Object.entries(client).find(([name]) => name === member)?.[1];
  return typeof value === 'string' ? value : undefined;
}
