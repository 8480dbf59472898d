import type { Database, Queryable } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/prepared.js';

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

/** Ends all grants of a client. Call it in a transaction. */
export async function endGrantsOfClient(transaction: Queryable, clientId: string): Promise<void> {
  await endGrantsWhere(transaction, 'client_id = $1', [clientId]);
}

/** Ends all grants of a user and returns their number. Call it in a transaction. */
export function endGrantsOfUser(transaction: Queryable, accountId: string): Promise<number> {
  return endGrantsWhere(transaction, 'account_id = $1', [accountId]);
}

/** Ends all grants of a user in a workspace and returns their number. Call it in a transaction. */
export function endGrantsInWorkspace(
  transaction: Queryable,
  accountId: string,
  workspaceId: string,
): Promise<number> {
  const values = [accountId, workspaceId];
  return endGrantsWhere(transaction, 'account_id = $1 AND workspace_id = $2', values);
}

async function endGrantsWhere(
  transaction: Queryable,
  condition: 'client_id = $1' | 'account_id = $1' | 'account_id = $1 AND workspace_id = $2',
  values: readonly string[],
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

/** A grant of a user in the list "Connected apps". */
export interface ConnectedApp {
  readonly grantId: string;
  readonly clientId: string;
  readonly workspaceName: string;
  /** Space-separated. */
  readonly scope: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
}

/** The grants of users, for their own view. */
export class ConnectedApps {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * The active grants of this user, newest first. Grants are omitted when all of their tokens and codes have expired.
   * Between Allow and the app's next request, a grant has a code.
   */
  async of(accountId: string): Promise<ConnectedApp[]> {
    const rows = await this.database.query<{
      grant_id: string;
      client_id: string;
      workspace_name: string;
      scope: string;
      created_at: Date;
      last_used_at: Date | null;
    }>(
      `SELECT consents.grant_id, consents.client_id, workspaces.name AS workspace_name,
              consents.scope, consents.created_at, consents.last_used_at
         FROM consents
         JOIN workspaces ON workspaces.id = consents.workspace_id
         JOIN oidc_records ON oidc_records.kind = 'Grant' AND oidc_records.id = consents.grant_id
        WHERE consents.account_id = $1
          AND (oidc_records.expires_at IS NULL OR oidc_records.expires_at > $2)
          AND EXISTS (
            SELECT 1 FROM oidc_records AS credential
             WHERE credential.grant_id = consents.grant_id
               AND credential.consumed_at IS NULL AND credential.expires_at > $2
          )
        ORDER BY consents.created_at DESC, consents.grant_id`,
      [accountId, this.now()],
    );
    return rows.map((row) => ({
      grantId: row.grant_id,
      clientId: row.client_id,
      workspaceName: row.workspace_name,
      scope: row.scope,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at ?? undefined,
    }));
  }

  /** Ends this user's grant with its tokens. Ignores grants of other users. */
  async end(accountId: string, grantId: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const [own] = await transaction.query(
        'SELECT 1 FROM consents WHERE grant_id = $1 AND account_id = $2',
        [grantId, accountId],
      );
      if (own !== undefined) {
        await endGrant(transaction, grantId);
      }
    });
  }
}
