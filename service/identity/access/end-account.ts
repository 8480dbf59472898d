import type { Queryable } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import { revokeAccess } from './revoke-access.js';

/**
 * Ends all access of a user, and their memberships. Call it in a transaction.
 * @returns the ids of the workspaces that they were in.
 */
export async function leaveAllWorkspaces(
  transaction: Queryable,
  accountId: string,
): Promise<string[]> {
  await revokeAccess(transaction, accountId);
  const ended = await transaction.query<{ workspace_id: string }>(
    `DELETE FROM workspace_members WHERE account_id = $1 RETURNING workspace_id`,
    [accountId],
  );
  return ended.map((row) => row.workspace_id);
}

/** Locks an account: until the end of the transaction, no other one can add a row that refers to it. */
export async function lockAccount(transaction: Queryable, accountId: string): Promise<void> {
  await transaction.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [accountId]);
}

/** Deletes an account with all access. Call it in a transaction, after {@link lockAccount}. */
export async function deleteAccountRow(transaction: Queryable, accountId: string): Promise<void> {
  await revokeAccess(transaction, accountId);
  await transaction.query('DELETE FROM accounts WHERE id = $1', [accountId]);
}

/** The names of those of the workspaces that have no owner. */
export async function namesWithoutOwner(
  database: Queryable,
  workspaceIds: readonly string[],
): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT name FROM workspaces
      WHERE id = ANY (${idArray('$1')}) AND NOT EXISTS (
        SELECT 1 FROM workspace_members WHERE workspace_id = workspaces.id AND role = 'owner')
      ORDER BY name`,
    [JSON.stringify(workspaceIds)],
  );
  return rows.map(({ name }) => name);
}
