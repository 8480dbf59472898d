import { APP_EVENTS } from '../events.js';
import type { ServerResponse } from 'node:http';
import { endGrant, lockGrant, type Reach, type Audit } from '../../identity/index.js';
import type { Database, Queryable } from '../../kernel/database/database.js';
import { endConnection } from './connection.js';

/** A connected app of a user on one computer. */
export interface ConnectedApp {
  /** The grant of the last sign-in there. */
  readonly grantId: string;
  readonly clientId: string;
  readonly workspaceName: string;
  /** Space-separated. */
  readonly scope: string;
  /** The first sign-in. */
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
  /** The computer, as the app described it at the sign-in; the user may have changed its name. */
  readonly device: {
    readonly name: string | undefined;
    /** The app with its version, such as `Photoshop 27.1`. */
    readonly app: string | undefined;
    readonly os: string | undefined;
  };
}

/** A request that changes a connection, for the audit. */
interface AuditedRequest {
  readonly audit: Audit;
  readonly response: ServerResponse | undefined;
}

/**
 * Grants of one app on one computer for the same user and workspace are one connection: signing in there once more is
 * nothing new to the user. `chosen` is an alias of `consents`, the grant that represents all.
 */
const SAME_CONNECTION = `consents.account_id = chosen.account_id AND consents.client_id = chosen.client_id
  AND consents.workspace_id = chosen.workspace_id
  AND (consents.grant_id = chosen.grant_id OR consents.device_id = chosen.device_id)`;

/** The connected apps of users, for their own view. */
export class ConnectedApps {
  /** @param renameReports renames a computer where it is named by what it reported. */
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
    private readonly renameReports: (
      transaction: Queryable,
      connection: {
        readonly workspaceId: string;
        readonly accountId: string;
        readonly clientId: string;
      },
      deviceId: string,
      deviceName: string,
    ) => Promise<void>,
  ) {}

  /**
   * The connected apps of a user that a session reaches, the newest first. Grants are omitted when all of their tokens and codes have expired.
   * Between Allow and the app's next request, a grant has a code. A grant whose number is still to be chosen is no
   * connection yet.
   */
  async of({ accountId, company }: Reach): Promise<ConnectedApp[]> {
    const rows = await this.database.query<{
      grant_id: string;
      client_id: string;
      workspace_name: string;
      scope: string;
      created_at: Date;
      last_used_at: Date | null;
      device_name: string | null;
      device_app: string | null;
      device_os: string | null;
    }>(
      `WITH live AS (
         SELECT consents.* FROM consents
           JOIN oidc_records ON oidc_records.kind = 'Grant' AND oidc_records.id = consents.grant_id
          WHERE consents.account_id = $1 AND consents.workspace_id = COALESCE($3, consents.workspace_id)
            AND (oidc_records.expires_at IS NULL OR oidc_records.expires_at > $2)
            AND EXISTS (
              SELECT 1 FROM oidc_records AS credential
               WHERE credential.grant_id = consents.grant_id
                 AND credential.consumed_at IS NULL AND credential.expires_at > $2
                 AND NOT (credential.kind = 'DeviceCode' AND credential.payload -> 'deviceInfo' ? 'number')
            )
       ), newest AS (
         SELECT DISTINCT ON (client_id, workspace_id, COALESCE(device_id, grant_id)) live.*,
                min(created_at) OVER same AS first_at, max(last_used_at) OVER same AS last_at
           FROM live
         WINDOW same AS (PARTITION BY client_id, workspace_id, COALESCE(device_id, grant_id))
          ORDER BY client_id, workspace_id, COALESCE(device_id, grant_id), created_at DESC, grant_id
       )
       SELECT grant_id, client_id, workspaces.name AS workspace_name, scope, first_at AS created_at,
              last_at AS last_used_at, device_name, device_app, device_os
         FROM newest JOIN workspaces ON workspaces.id = newest.workspace_id
        ORDER BY newest.created_at DESC, grant_id`,
      [accountId, this.now(), company ?? null],
    );
    return rows.map((row) => ({
      grantId: row.grant_id,
      clientId: row.client_id,
      workspaceName: row.workspace_name,
      scope: row.scope,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at ?? undefined,
      device: {
        name: row.device_name ?? undefined,
        app: row.device_app ?? undefined,
        os: row.device_os ?? undefined,
      },
    }));
  }

  /**
   * Ends a connection of a user with its tokens. Ignores those that the session does not reach.
   * @param client the name of its app, for the audit
   */
  async end(
    reach: Reach,
    { grantId, client }: { readonly grantId: string; readonly client: string | undefined },
    { audit, response }: AuditedRequest,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      for (const id of await grantsOf(transaction, reach, grantId)) {
        await (id === grantId
          ? endConnection(audit, response, { grantId, client }, transaction)
          : endGrant(transaction, id));
      }
    });
  }

  /**
   * Gives the computer of a connection another name, also in what it reports about its queue. Ignores connections that the
   * session does not reach.
   * @returns whether there is such a connection
   */
  rename(
    reach: Reach,
    grantId: string,
    deviceName: string,
    { audit, response }: AuditedRequest,
  ): Promise<boolean> {
    const { accountId } = reach;
    return this.database.transaction(async (transaction) => {
      const grants = await grantsOf(transaction, reach, grantId);
      if (grants.length === 0) {
        return false;
      }
      for (const id of grants) {
        await lockGrant(transaction, id);
      }
      const renamed = await transaction.query<{
        workspace_id: string;
        client_id: string;
        device_id: string | null;
      }>(
        `UPDATE consents SET device_name = $3, device_renamed = true FROM consents AS chosen
          WHERE chosen.grant_id = $1 AND chosen.account_id = $2 AND ${SAME_CONNECTION}
          RETURNING consents.workspace_id, consents.client_id, consents.device_id`,
        [grantId, accountId, deviceName],
      );
      const [one] = renamed;
      if (one === undefined) {
        return false;
      }
      const { workspace_id: workspaceId, client_id: clientId } = one;
      const deviceIds = new Set(renamed.flatMap(({ device_id: id }) => id ?? []));
      for (const deviceId of deviceIds) {
        const connection = { workspaceId, accountId, clientId };
        await this.renameReports(transaction, connection, deviceId, deviceName);
      }
      const about = { by: accountId, user: accountId, workspace: workspaceId };
      await audit(
        response,
        APP_EVENTS.renamed,
        { ...about, ids: { client: clientId }, details: { name: deviceName } },
        transaction,
      );
      return true;
    });
  }
}

/** The grants of one connection of a user, in the order in which they are locked. */
async function grantsOf(
  transaction: Queryable,
  { accountId, company }: Reach,
  grantId: string,
): Promise<string[]> {
  const rows = await transaction.query<{ grant_id: string }>(
    `SELECT consents.grant_id FROM consents AS chosen JOIN consents ON ${SAME_CONNECTION}
      WHERE chosen.grant_id = $1 AND chosen.account_id = $2
        AND chosen.workspace_id = COALESCE($3, chosen.workspace_id)
      ORDER BY consents.grant_id`,
    [grantId, accountId, company ?? null],
  );
  return rows.map(({ grant_id: id }) => id);
}
