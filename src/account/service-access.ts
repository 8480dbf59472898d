import type { Account } from './current-account.js';

/** The scope that uploading to a project needs. */
export const PROJECT_SCOPE = 'projects:write';
/** The scope that links to photos need. */
export const SHARE_SCOPE = 'shares:write';
/** The scope that replies to comments need, and marking them as done. */
export const FEEDBACK_SCOPE = 'feedback:write';
/** The scope that listing the user's own files needs. */
export const OWN_FILES_SCOPE = 'uploads:read';
/** The scope that the user's own files need to be placed. */
export const CONTENT_SCOPE = 'uploads:content';
/** The scope that shows everything the user sees in the browser. */
export const WORKSPACE_SCOPE = 'workspace:read';

/**
 * Whether a feature of the service can be used. `needs-permission`: the session lacks its scope, see
 * `DeviceSignIn.startForScope`. `unknown` until the first request.
 */
export type ServiceAccess = 'unknown' | 'unsupported' | 'needs-permission' | 'ready';

/** Whether the account's session is known to lack a scope. */
export function lacksScope(account: Account | null, scope: string): boolean {
  const scopes = account?.scopes ?? null;
  return scopes !== null && !scopes.includes(scope);
}
