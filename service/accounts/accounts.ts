import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.js';
import { hashPassword, isSamePassword, verifyPassword } from './password.js';

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
}

/** What a person may do in a workspace: owners also register OAuth applications for it. */
export type Role = 'owner' | 'member';

/** A workspace as one of its people sees it. */
export interface Membership extends Workspace {
  readonly role: Role;
  /** Whether all members see all photos of the workspace; else each sees their own, and owners see all. */
  readonly membersSeeAll: boolean;
}

interface AccountRow {
  id: string;
  username: string;
  display_name: string;
  password_hash: string;
}

/** People, their passwords and their workspaces. */
export class Accounts {
  /** Checked when the username is unknown, so that the answer takes as long as for a known one. */
  private decoyHash: Promise<string> | undefined;

  /**
   * @param refusedPassword opens no account, whoever has it: the public one of the demo account where
   * that is off. An account with it may be left from a time when it was on.
   */
  constructor(
    private readonly database: Database,
    private readonly refusedPassword?: string,
  ) {}

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
    const refused =
      this.refusedPassword !== undefined && isSamePassword(password, this.refusedPassword);
    return row && matches && !refused ? toAccount(row) : undefined;
  }

  /** The workspaces a person belongs to, in a stable order. */
  workspacesOf(accountId: string): Promise<Membership[]> {
    return this.database.query<Membership & object>(
      `SELECT workspaces.id, workspaces.name, workspace_members.role,
              workspaces.members_see_all AS "membersSeeAll"
         FROM workspaces JOIN workspace_members ON workspace_members.workspace_id = workspaces.id
        WHERE workspace_members.account_id = $1
        ORDER BY workspaces.created_at, workspaces.id`,
      [accountId],
    );
  }
}

/** Says whether all members of a workspace see all of its photos. */
export async function setMembersSeeAll(
  database: Queryable,
  workspaceId: string,
  membersSeeAll: boolean,
): Promise<void> {
  await database.query('UPDATE workspaces SET members_see_all = $2 WHERE id = $1', [
    workspaceId,
    membersSeeAll,
  ]);
}

/** Adds a person with a workspace of their own, both or neither. Usernames are kept in lower case. */
export async function createAccountWithWorkspace(
  transaction: Queryable,
  person: { username: string; displayName: string; password: string; workspace: string },
): Promise<void> {
  const accountId = await createAccount(transaction, person);
  const workspaceId = await createWorkspace(transaction, person.workspace);
  await setMember(transaction, workspaceId, accountId, 'owner');
}

/** Adds a person and returns their id. The username must be free; it is kept in lower case. */
export async function createAccount(
  database: Queryable,
  person: { username: string; displayName: string; password: string },
): Promise<string> {
  const id = randomUUID();
  await database.query(
    'INSERT INTO accounts (id, username, display_name, password_hash) VALUES ($1, $2, $3, $4)',
    [id, person.username.toLowerCase(), person.displayName, await hashPassword(person.password)],
  );
  return id;
}

/** Gives a person another password; the old one opens nothing from now on. */
export async function setPassword(
  database: Queryable,
  accountId: string,
  password: string,
): Promise<void> {
  await database.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [
    accountId,
    await hashPassword(password),
  ]);
}

/** Adds a workspace without people and returns its id. */
export async function createWorkspace(database: Queryable, name: string): Promise<string> {
  const id = randomUUID();
  await database.query('INSERT INTO workspaces (id, name) VALUES ($1, $2)', [id, name]);
  return id;
}

/** Makes a person a member or an owner of a workspace, or changes which of the two they are. */
export async function setMember(
  database: Queryable,
  workspaceId: string,
  accountId: string,
  role: Role,
): Promise<void> {
  await database.query(
    `INSERT INTO workspace_members (workspace_id, account_id, role) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id, account_id) DO UPDATE SET role = excluded.role`,
    [workspaceId, accountId, role],
  );
}

/** Takes a person out of a workspace: every token of theirs stops working there at once. */
export async function removeMember(
  database: Queryable,
  workspaceId: string,
  accountId: string,
): Promise<void> {
  await database.query(
    'DELETE FROM workspace_members WHERE workspace_id = $1 AND account_id = $2',
    [workspaceId, accountId],
  );
}

function toAccount(row: AccountRow): Account {
  return { id: row.id, username: row.username, displayName: row.display_name };
}
