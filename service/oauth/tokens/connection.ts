import { APP_EVENTS } from '../events.js';
import type { ServerResponse } from 'node:http';
import { endGrant, type Audit, type AuditAbout } from '../../identity/index.js';
import type { Queryable } from '../../kernel/database/database.js';

/** The row of `consents` of one connection, as events describe it. */
interface Connection {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly clientId: string;
  readonly name: string | undefined;
  readonly app: string | undefined;
  readonly os: string | undefined;
}

/** Records a new connection. Call it in a transaction. */
export async function recordConnection(
  audit: Audit,
  response: ServerResponse | undefined,
  { grantId, client }: { readonly grantId: string; readonly client: string | undefined },
  transaction: Queryable,
): Promise<void> {
  const made = await connectionOf(transaction, grantId);
  if (made !== undefined) {
    await audit(response, APP_EVENTS.connected, aboutConnection(made, client), transaction);
  }
}

/** Ends a connection with its tokens, and records that in the audit. Call it in a transaction. */
export async function endConnection(
  audit: Audit,
  response: ServerResponse | undefined,
  { grantId, client }: { readonly grantId: string; readonly client: string | undefined },
  transaction: Queryable,
): Promise<void> {
  const ended = await connectionOf(transaction, grantId);
  await endGrant(transaction, grantId);
  if (ended !== undefined) {
    await audit(response, APP_EVENTS.disconnected, aboutConnection(ended, client), transaction);
  }
}

async function connectionOf(
  transaction: Queryable,
  grantId: string,
): Promise<Connection | undefined> {
  const [row] = await transaction.query<{
    account_id: string;
    workspace_id: string;
    client_id: string;
    device_name: string | null;
    device_app: string | null;
    device_os: string | null;
  }>(
    `SELECT account_id, workspace_id, client_id, device_name, device_app, device_os
       FROM consents WHERE grant_id = $1`,
    [grantId],
  );
  return (
    row && {
      accountId: row.account_id,
      workspaceId: row.workspace_id,
      clientId: row.client_id,
      name: row.device_name ?? undefined,
      app: row.device_app ?? undefined,
      os: row.device_os ?? undefined,
    }
  );
}

function aboutConnection(
  { accountId, workspaceId, clientId, name, app, os }: Connection,
  client: string | undefined,
): AuditAbout {
  return {
    ...{ by: accountId, user: accountId, workspace: workspaceId },
    ids: { client: clientId },
    details: {
      app: app ?? client ?? clientId,
      ...(name !== undefined && { name }),
      ...(os !== undefined && { os }),
    },
  };
}
