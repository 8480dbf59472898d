import type { Queryable } from '../database/database.js';
import { endBrowserSessionsOf } from '../oauth/browser-session.js';
import { endGrantsInWorkspace, endGrantsOfPerson } from '../oauth/grants.js';
import { removeMember } from './accounts.js';

/** How many ways in were ended. */
export interface EndedAccess {
  readonly browserSessions: number;
  readonly connectedApps: number;
  readonly personalTokens: number;
}

/**
 * Ends every way in that a person has but their password: browsers that are signed in or about to be,
 * connected apps with their tokens, personal access tokens. Call it in a transaction.
 */
export async function endAccess(transaction: Queryable, accountId: string): Promise<EndedAccess> {
  const browserSessions = await endBrowserSessionsOf(transaction, accountId);
  return { browserSessions, ...(await endApps(transaction, accountId)) };
}

/** Ends the ways in that are no browser: connected apps and personal access tokens. Call it in a transaction. */
export async function endApps(
  transaction: Queryable,
  accountId: string,
): Promise<Omit<EndedAccess, 'browserSessions'>> {
  const connectedApps = await endGrantsOfPerson(transaction, accountId);
  const personalTokens = await transaction.query(
    'DELETE FROM personal_access_tokens WHERE account_id = $1 RETURNING id',
    [accountId],
  );
  return { connectedApps, personalTokens: personalTokens.length };
}

/**
 * Takes a person out of a workspace, with the apps and personal access tokens that they have there and the
 * invitations to it that they made. What they uploaded stays: it is the workspace's. Their browsers stay signed in,
 * and see nothing of the workspace any more. Call it in a transaction.
 */
export async function endMembership(
  transaction: Queryable,
  workspaceId: string,
  accountId: string,
): Promise<void> {
  // First, because it waits for a consent that is being stored, which is then ended with the others. Tokens and links
  // go with the membership.
  await removeMember(transaction, workspaceId, accountId);
  await endGrantsInWorkspace(transaction, accountId, workspaceId);
  await transaction.query('DELETE FROM invitations WHERE invited_by = $1 AND workspace_id = $2', [
    accountId,
    workspaceId,
  ]);
}
