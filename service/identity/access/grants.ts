import type { Queryable } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';

/**
 * Locks a grant until the transaction ends. Call it before you change or delete any row of a grant: then
 * transactions on one grant follow each other. Otherwise each could hold a row that the other one waits for,
 * and the database would end one of them.
 * @returns whether there is such a grant; false when it has ended.
 */
export async function lockGrant(transaction: Queryable, grantId: string): Promise<boolean> {
  const grant = await transaction.query(
    `SELECT id FROM oidc_records WHERE kind = 'Grant' AND id = $1 FOR UPDATE`,
    [grantId],
  );
  return grant.length > 0;
}

const END_GRANT = prepared('SELECT end_grant($1)');

/** Deletes a grant with every token and code that came from it, all or nothing. */
export async function endGrant(database: Queryable, grantId: string): Promise<void> {
  await database.query(END_GRANT, [grantId]);
}

/** Ends every grant of one client. Call it in a transaction. */
export async function endGrantsOfClient(transaction: Queryable, clientId: string): Promise<void> {
  await endGrantsWhere(transaction, 'client_id = $1', [clientId]);
}

/** Ends every grant of one user; returns their number. Call it in a transaction. */
export function endGrantsOfUser(transaction: Queryable, accountId: string): Promise<number> {
  return endGrantsWhere(transaction, 'account_id = $1', [accountId]);
}

/** Ends every grant of one user in one workspace; returns their number. Call it in a transaction. */
export function endGrantsInWorkspace(
  transaction: Queryable,
  accountId: string,
  workspaceId: string,
): Promise<number> {
  const values = [accountId, workspaceId];
  return endGrantsWhere(transaction, 'account_id = $1 AND workspace_id = $2', values);
}

/**
 * Ends the grants that sessions of the company account of a workspace allowed. Call it in a transaction.
 * @param accountId only those of this user; undefined for all.
 */
export async function endGrantsByCompany(
  transaction: Queryable,
  workspaceId: string,
  accountId: string | undefined,
): Promise<void> {
  const values = [workspaceId, accountId ?? null];
  await endGrantsWhere(transaction, BY_COMPANY, values);
}

const BY_COMPANY = 'by_company AND workspace_id = $1 AND account_id = COALESCE($2, account_id)';

async function endGrantsWhere(
  transaction: Queryable,
  condition:
    | 'client_id = $1'
    | 'account_id = $1'
    | 'account_id = $1 AND workspace_id = $2'
    | typeof BY_COMPANY,
  values: readonly (string | null)[],
): Promise<number> {
  const consents = await transaction.query<{ grant_id: string }>(
    `SELECT grant_id FROM consents WHERE ${condition} ORDER BY grant_id`,
    values,
  );
  for (const { grant_id: grantId } of consents) {
    await endGrant(transaction, grantId);
  }
  return consents.length;
}

/** The app of a grant and its computer, as the app described them when it was connected. */
export async function appOf(
  database: Queryable,
  grantId: string,
): Promise<{ readonly app?: string; readonly name?: string; readonly os?: string }> {
  const [row] = await database.query<{
    app: string | null;
    name: string | null;
    os: string | null;
  }>(
    `SELECT device_app AS app, device_name AS name, device_os AS os FROM consents WHERE grant_id = $1`,
    [grantId],
  );
  const { app, name, os } = row ?? { app: null, name: null, os: null };
  return {
    ...(app !== null && { app }),
    ...(name !== null && { name }),
    ...(os !== null && { os }),
  };
}
