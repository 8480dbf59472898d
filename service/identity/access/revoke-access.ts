import type { Queryable } from '../../kernel/database/database.js';
import { endBrowserSessionsOf, endCompanySessions } from '../session/browser-session.js';
import { endGrantsByCompany, endGrantsInWorkspace, endGrantsOfUser } from './grants.js';
import { removeMember } from '../accounts/accounts.js';

/** The number of revoked items, by kind. */
export interface RevokedAccess {
  readonly browserSessions: number;
  readonly connectedApps: number;
  readonly personalTokens: number;
}

/**
 * Ends all access of a user: browser sessions, unfinished sign-ins, connected apps with their tokens, and personal
 * access tokens. Only the password stays valid. Call it in a transaction.
 */
export async function revokeAccess(
  transaction: Queryable,
  accountId: string,
): Promise<RevokedAccess> {
  const browserSessions = await endBrowserSessionsOf(transaction, accountId);
  return { browserSessions, ...(await revokeApps(transaction, accountId)) };
}

/** Ends a user's connected apps, with their tokens, and personal access tokens. Call it in a transaction. */
export async function revokeApps(
  transaction: Queryable,
  accountId: string,
): Promise<Omit<RevokedAccess, 'browserSessions'>> {
  const connectedApps = await endGrantsOfUser(transaction, accountId);
  const personalTokens = await transaction.query(
    'DELETE FROM personal_access_tokens WHERE account_id = $1 RETURNING id',
    [accountId],
  );
  return { connectedApps, personalTokens: personalTokens.length };
}

/**
 * Ends what the company account of a workspace opened: browser sessions, and the apps and personal access tokens that were
 * allowed in them. Call it in a transaction, after the links of the company account were removed.
 * @param accountId only for this user; undefined for all.
 */
export async function endCompanyAccess(
  transaction: Queryable,
  workspaceId: string,
  accountId?: string,
): Promise<void> {
  await endCompanySessions(transaction, workspaceId, accountId);
  await endGrantsByCompany(transaction, workspaceId, accountId);
  await transaction.query(
    `DELETE FROM personal_access_tokens
      WHERE workspace_id = $1 AND by_company AND account_id = COALESCE($2, account_id)`,
    [workspaceId, accountId ?? null],
  );
}

/**
 * Removes a user from a workspace, with their connected apps, personal access tokens, links and invitations there.
 * Their uploads stay, as they belong to the workspace. Their browsers stay signed in, but no longer show the workspace;
 * those that the company account of the workspace opened are signed out.
 * Call it in a transaction.
 */
export async function revokeMembership(
  transaction: Queryable,
  workspaceId: string,
  accountId: string,
): Promise<void> {
  // First: a consent that is being stored holds a lock on the membership. This statement waits for it, so that the next
  // one finds its grant. Personal access tokens and links are deleted with the membership (foreign keys).
  await removeMember(transaction, workspaceId, accountId);
  await endGrantsInWorkspace(transaction, accountId, workspaceId);
  await endCompanySessions(transaction, workspaceId, accountId);
  await transaction.query('DELETE FROM invitations WHERE invited_by = $1 AND workspace_id = $2', [
    accountId,
    workspaceId,
  ]);
}
