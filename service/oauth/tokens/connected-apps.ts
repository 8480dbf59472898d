import { endGrant } from '../../auth/access/grants.js';
import type { Database } from '../../platform/database/database.js';

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
