import { randomUUID } from 'node:crypto';
import { validateName, endGrantsOfClient, type Scope } from '../../identity/index.js';
import type { AlsoInTransaction, Database } from '../../kernel/database/database.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { newSecret, sha256 } from '../../kernel/hash.js';
import type { ReservedClientNames } from './reserved-client-names.js';
import { loopbackRedirectProblem, webRedirectProblem } from './redirect-uris.js';

/** An OAuth application of the workspace tier. */
export interface WorkspaceClient {
  readonly clientId: string;
  readonly workspaceId: string;
  readonly name: string;
  /** Confidential clients run on a server and have a secret; public clients run on users' machines. */
  readonly confidential: boolean;
  readonly redirectUris: readonly string[];
  /** Scopes the client may ask for, space-separated. */
  readonly scope: string;
  /** Hash of the secret; only confidential clients have one. */
  readonly secretSha256: string | undefined;
  readonly secretCreatedAt: Date | undefined;
  readonly createdAt: Date;
}

/** The form input of an owner. */
export interface ClientEntry {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
}

interface ClientRow {
  client_id: string;
  workspace_id: string;
  name: string;
  confidential: boolean;
  redirect_uris: string[];
  scope: string;
  secret_sha256: string | null;
  secret_created_at: Date | null;
  created_at: Date;
}

/** Lets scanners of source code, for instance, recognise a secret where it should not be. */
const SECRET_PREFIX = 'svc_cs_';
const MAX_REDIRECT_URIS = 10;
const MAX_NAME_LENGTH = 80;

/** The problem with an entry, in one sentence for its owner; undefined if it is valid. */
export function clientEntryProblem(
  entry: ClientEntry,
  confidential: boolean,
  official: ReservedClientNames,
): Message | undefined {
  const ofName = validateName(entry.name, MAX_NAME_LENGTH);
  if (ofName !== undefined) {
    return message('nameTheApplication', { problem: ofName });
  }
  if (official.includes(entry.name)) {
    return message('nameLooksOfficial');
  }
  if (entry.redirectUris.length === 0) {
    return message('uriMissing');
  }
  if (entry.redirectUris.length > MAX_REDIRECT_URIS) {
    return message('uriTooMany', { max: MAX_REDIRECT_URIS });
  }
  const check = confidential ? webRedirectProblem : loopbackRedirectProblem;
  for (const uri of entry.redirectUris) {
    const problem = uri.length > 500 ? message('uriTooLong') : check(uri);
    if (problem !== undefined) {
      return problem;
    }
  }
  if (entry.scopes.length === 0) {
    return message('chooseApplicationScopes');
  }
  return undefined;
}

/**
 * The table of workspace clients. It checks no permissions: callers must ensure that the user owns the client's
 * workspace.
 */
export class WorkspaceClients {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /** The client with this id, in any workspace. */
  async find(clientId: string): Promise<WorkspaceClient | undefined> {
    const [row] = await this.database.query<ClientRow>(
      'SELECT * FROM oauth_clients WHERE client_id = $1',
      [clientId],
    );
    return row && toClient(row);
  }

  /** The clients of one workspace, oldest first. */
  async of(workspaceId: string): Promise<WorkspaceClient[]> {
    const rows = await this.database.query<ClientRow>(
      'SELECT * FROM oauth_clients WHERE workspace_id = $1 ORDER BY created_at, client_id',
      [workspaceId],
    );
    return rows.map(toClient);
  }

  /** Adds a client. A confidential one gets a secret, which is returned here and never again. */
  async create(
    workspaceId: string,
    confidential: boolean,
    entry: ClientEntry,
    also: AlsoInTransaction,
  ): Promise<{ clientId: string; secret: string | undefined }> {
    const clientId = `ws_${randomUUID().replaceAll('-', '')}`;
    const secret = confidential ? makeSecret() : undefined;
    await this.database.transaction(async (transaction) => {
      await transaction.query(
        `INSERT INTO oauth_clients (client_id, workspace_id, name, confidential, redirect_uris, scope,
         secret_sha256, secret_created_at, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          clientId,
          workspaceId,
          entry.name,
          confidential,
          JSON.stringify(entry.redirectUris),
          entry.scopes.join(' '),
          secret === undefined ? null : sha256(secret),
          secret === undefined ? null : this.now(),
          this.now(),
        ],
      );
      await also(transaction);
    });
    return { clientId, secret };
  }

  /** Changes the fields that an owner may edit. Existing consents do not change. */
  async update(clientId: string, entry: ClientEntry, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const changed = await transaction.query(
        `UPDATE oauth_clients SET name = $2, redirect_uris = $3, scope = $4
          WHERE client_id = $1 RETURNING client_id`,
        [clientId, entry.name, JSON.stringify(entry.redirectUris), entry.scopes.join(' ')],
      );
      if (changed.length > 0) {
        await also(transaction);
      }
    });
  }

  /** Gives a confidential client a new secret; the old one ends at once. */
  async rotateSecret(clientId: string, also: AlsoInTransaction): Promise<string> {
    const secret = makeSecret();
    await this.database.transaction(async (transaction) => {
      const rotated = await transaction.query(
        `UPDATE oauth_clients SET secret_sha256 = $2, secret_created_at = $3
          WHERE client_id = $1 AND confidential RETURNING client_id`,
        [clientId, sha256(secret), this.now()],
      );
      if (rotated.length === 0) {
        throw new Error('only a confidential client has a secret');
      }
      await also(transaction);
    });
    return secret;
  }

  /** Removes a client with all of its grants. */
  async remove(clientId: string, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await endGrantsOfClient(transaction, clientId);
      const removed = await transaction.query(
        'DELETE FROM oauth_clients WHERE client_id = $1 RETURNING client_id',
        [clientId],
      );
      if (removed.length > 0) {
        await also(transaction);
      }
    });
  }
}

function makeSecret(): string {
  return SECRET_PREFIX + newSecret();
}

function toClient(row: ClientRow): WorkspaceClient {
  return {
    clientId: row.client_id,
    workspaceId: row.workspace_id,
    name: row.name,
    confidential: row.confidential,
    redirectUris: row.redirect_uris,
    scope: row.scope,
    secretSha256: row.secret_sha256 ?? undefined,
    secretCreatedAt: row.secret_created_at ?? undefined,
    createdAt: row.created_at,
  };
}
