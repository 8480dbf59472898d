/**
 * What each scope of the data API lets a client do, in the words of the consent page. "It" is the app;
 * all personal access tokens of a person are one app.
 */
export const SCOPES = {
  'uploads:write':
    'Upload photos to your workspace, and see, continue and take back what it uploaded itself',
  'uploads:read': 'See the list of photos you uploaded to the workspace with any app',
} as const;

export type Scope = keyof typeof SCOPES;

/**
 * The resource (RFC 8707) that all scopes belong to. A name instead of an address: tokens stay good
 * when the service moves to another port or host.
 */
export const API_RESOURCE = 'urn:creative-workspace:api:v1';

export const ALL_SCOPES: readonly Scope[] = ['uploads:write', 'uploads:read'];

/** Asked for by many standard clients; granted in effect, as every client gets a refresh token. */
export const TOLERATED_SCOPE = 'offline_access';

/** The scopes of the data API among those in a space-separated list (RFC 6749 §3.3). */
export function apiScopes(list: string | undefined): Scope[] {
  const requested = new Set(list?.split(' '));
  return ALL_SCOPES.filter((scope) => requested.has(scope));
}
