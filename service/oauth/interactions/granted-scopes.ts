import { apiScopes, type Scope } from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';

/** What a user has allowed an app before, by workspace. */
export type GrantedScopes = ReadonlyMap<string, readonly Scope[]>;

/** Reads what a user has allowed an app before and has not ended since, on any device. */
export async function grantedScopes(
  database: Queryable,
  accountId: string,
  clientId: string,
): Promise<GrantedScopes> {
  const rows = await database.query<{ workspace_id: string; scope: string }>(
    `SELECT workspace_id, string_agg(scope, ' ') AS scope FROM consents
      WHERE account_id = $1 AND client_id = $2 GROUP BY workspace_id`,
    [accountId, clientId],
  );
  return new Map(rows.map((row) => [row.workspace_id, apiScopes(row.scope)]));
}

/**
 * The requested scopes that a connected app does not have yet. None for an app that the user connects for the first
 * time. If the user has several workspaces, a scope counts as new unless the app has it in each that it is connected to.
 */
export function newScopes(
  requested: readonly Scope[],
  granted: GrantedScopes,
  workspaces: readonly { readonly id: string }[],
): Scope[] {
  const before = workspaces.flatMap(({ id }) => {
    const scopes = granted.get(id);
    return scopes === undefined ? [] : [scopes];
  });
  return requested.filter((scope) => before.some((scopes) => !scopes.includes(scope)));
}
