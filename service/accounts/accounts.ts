import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.js';
import { hashPassword, verifyPassword } from './password.js';

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
}

interface AccountRow {
  id: string;
  username: string;
  display_name: string;
  password_hash: string;
}

/** People, their passwords and their workspaces. */
export class Accounts {
  private readonly database: Database;
  /** Checked when the username is unknown, so that the answer takes as long as for a known one. */
  private decoyHash: Promise<string> | undefined;

  constructor(database: Database) {
    this.database = database;
  }

  /** The account with this id, if there is one. */
  async find(id: string): Promise<Account | undefined> {
    const [row] = await this.database.query<AccountRow>('SELECT * FROM accounts WHERE id = $1', [
      id,
    ]);
    return row && toAccount(row);
  }

  /** The account that username and password belong to, or nothing; it does not say which was wrong. */
  async signIn(username: string, password: string): Promise<Account | undefined> {
    const [row] = await this.database.query<AccountRow>(
      'SELECT * FROM accounts WHERE username = $1',
      [username.trim().toLowerCase()],
    );
    this.decoyHash ??= hashPassword(randomUUID());
    const matches = await verifyPassword(password, row?.password_hash ?? (await this.decoyHash));
    return row && matches ? toAccount(row) : undefined;
  }

  /** The workspaces a person belongs to, in a stable order. */
  workspacesOf(accountId: string): Promise<Workspace[]> {
    return this.database.query<Workspace & object>(
      `SELECT workspaces.id, workspaces.name
         FROM workspaces JOIN workspace_members ON workspace_members.workspace_id = workspaces.id
        WHERE workspace_members.account_id = $1
        ORDER BY workspaces.created_at, workspaces.id`,
      [accountId],
    );
  }
}

/** Adds a person with a workspace of their own, both or neither. Usernames are kept in lower case. */
export async function createAccountWithWorkspace(
  transaction: Queryable,
  person: { username: string; displayName: string; password: string; workspace: string },
): Promise<void> {
  const accountId = randomUUID();
  const workspaceId = randomUUID();
  await transaction.query(
    'INSERT INTO accounts (id, username, display_name, password_hash) VALUES ($1, $2, $3, $4)',
    [
      accountId,
      person.username.toLowerCase(),
      person.displayName,
      await hashPassword(person.password),
    ],
  );
  await transaction.query('INSERT INTO workspaces (id, name) VALUES ($1, $2)', [
    workspaceId,
    person.workspace,
  ]);
  await transaction.query(
    `INSERT INTO workspace_members (workspace_id, account_id, role) VALUES ($1, $2, 'owner')`,
    [workspaceId, accountId],
  );
}

function toAccount(row: AccountRow): Account {
  return { id: row.id, username: row.username, displayName: row.display_name };
}
