/** A scope of the data API. The pages describe each scope. */
export type Scope =
  | 'uploads:write'
  | 'uploads:read'
  | 'uploads:content'
  | 'uploads:delete'
  | 'projects:write'
  | 'shares:write'
  | 'feedback:write'
  | 'workspace:read';

/**
 * The resource ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707)) that all scopes belong to. It is a name and
 * no address, so that tokens stay good when the service moves to another port or host.
 */
export const API_RESOURCE = 'urn:creative-workspace:api:v1';

export const ALL_SCOPES: readonly Scope[] = [
  'uploads:write',
  'uploads:read',
  'uploads:content',
  'uploads:delete',
  'projects:write',
  'shares:write',
  'feedback:write',
  'workspace:read',
];

/** Many standard clients ask for this scope. Every client gets a refresh token, with it or without. */
export const TOLERATED_SCOPE = 'offline_access';

/**
 * The scopes of the data API among those in a space-separated list
 * ([RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)).
 */
export function apiScopes(list: string | undefined): Scope[] {
  const requested = new Set(list?.split(' '));
  return ALL_SCOPES.filter((scope) => requested.has(scope));
}
