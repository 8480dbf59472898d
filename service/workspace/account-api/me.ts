import type { Provider } from 'oidc-provider';
import type { Database } from '../../kernel/database/database.js';
import { permit } from '../../kernel/http/permission.js';
import { sendJson } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { sendApiError } from '../../kernel/http/api-error.js';
import {
  PERSONAL_CLIENT,
  refusal,
  tokenPermission,
  type BearerCheck,
  type Principal,
} from '../../oauth/index.js';

/** The response of `GET /api/v1/me`: the token's user, app and workspace. It contains no secret. */
interface Me {
  readonly account: { readonly name: string; readonly username: string };
  /** `role` is the role of the user in the workspace; it does not limit the token. */
  readonly workspace: { readonly id: string; readonly name: string; readonly role: string };
  /** The app that holds the token; null for a personal access token. */
  readonly client: { readonly id: string; readonly name: string } | null;
  readonly scopes: readonly string[];
  /** The name of the app's computer; null if the app gave none, and for a personal access token. */
  readonly device_name: string | null;
}

export interface MeDeps {
  readonly bearer: BearerCheck;
  readonly database: Database;
  readonly provider: Provider;
}

/** The route `GET /api/v1/me`, for any valid access token, whatever its scopes. */
export function meRoute({ bearer, database, provider }: MeDeps): Route {
  return {
    path: '/api/v1/me',
    kind: 'api',
    handlers: permit(tokenPermission(bearer, 'any'), {
      GET: async ({ response }, caller) => {
        const me = await about(caller, database, provider);
        if (me === undefined) {
          sendApiError(response, refusal(bearer.invalidToken));
        } else {
          sendJson(response, 200, me);
        }
      },
    }),
  };
}

/** Undefined when the user has left the workspace since the token was checked. */
async function about(
  caller: Principal,
  database: Database,
  provider: Provider,
): Promise<Me | undefined> {
  const [row] = await database.query<{
    display_name: string;
    username: string;
    workspace_name: string;
    role: string;
    device_name: string | null;
  }>(
    `SELECT accounts.display_name, accounts.username, workspaces.name AS workspace_name, role,
            (SELECT device_name FROM consents WHERE grant_id = $3) AS device_name
       FROM workspace_members
       JOIN accounts ON accounts.id = account_id
       JOIN workspaces ON workspaces.id = workspace_id
      WHERE account_id = $1 AND workspace_id = $2`,
    [caller.accountId, caller.workspaceId, caller.permission.id],
  );
  return (
    row && {
      account: { name: row.display_name, username: row.username },
      workspace: { id: caller.workspaceId, name: row.workspace_name, role: row.role },
      client: await clientOf(caller, provider),
      scopes: [...caller.scopes],
      device_name: row.device_name,
    }
  );
}

async function clientOf({ clientId }: Principal, provider: Provider): Promise<Me['client']> {
  if (clientId === PERSONAL_CLIENT) {
    return null;
  }
  const client = await provider.Client.find(clientId);
  return { id: clientId, name: client?.clientName ?? clientId };
}
