import { randomUUID } from 'node:crypto';
import type { EventUser } from '../../kernel/events/event.js';
import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';
import type { Reach } from '../session/reach.js';
import { foldUsername } from '../../kernel/typed-text.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';
import { hashPassword, isSamePassword, verifyPassword } from '../../kernel/password-hash.js';
import { mailLocale } from './email-addresses.js';

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
}

export interface Workspace {
  readonly id: string;
  readonly name: string;
}

/** The role of a user in a workspace. Only owners manage its users and its OAuth applications. */
export type Role = 'owner' | 'member';

/** A workspace, with the role of one of its users. */
export interface Membership extends Workspace {
  readonly role: Role;
  /** Whether all members see all photos of the workspace; else each sees their own, and owners see all. */
  readonly membersSeeAll: boolean;
}

/** Stored instead of a hash for users without a password, who sign in with the account of their company. */
export const NO_PASSWORD = 'none';

interface AccountRow {
  id: string;
  username: string;
  display_name: string;
  password_hash: string;
}

/** Users, their passwords and their workspaces. */
export class Accounts {
  /** Checked for an unknown username, so that the response takes the same time as for an existing one. */
  private decoyHash: Promise<string> | undefined;

  /**
   * @param refusedPassword a password that is always refused: the public one of the demo account while that account is
   *   disabled. The account may still be in the database from an earlier start.
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

  /**
   * Checks a username and a password. The username may be typed in any form that {@link foldUsername} accepts.
   * @returns the account and the hash of its password; undefined when either is wrong.
   */
  async signIn(
    username: string,
    password: string,
  ): Promise<(Account & { readonly passwordHash: string }) | undefined> {
    const [row] = await this.database.query<AccountRow>(
      'SELECT * FROM accounts WHERE username = $1',
      [foldUsername(username)],
    );
    this.decoyHash ??= hashPassword(randomUUID());
    const stored = row?.password_hash === NO_PASSWORD ? undefined : row?.password_hash;
    const matches =
      (await verifyPassword(password, stored ?? (await this.decoyHash))) && stored !== undefined;
    const refused =
      this.refusedPassword !== undefined && isSamePassword(password, this.refusedPassword);
    if (row === undefined || !matches || refused) {
      return undefined;
    }
    // The password may have been changed during the check. The old one must no longer be accepted then.
    return (await this.passwordHash(row.id)) === row.password_hash
      ? { ...toAccount(row), passwordHash: row.password_hash }
      : undefined;
  }

  /**
   * Like {@link passwordHash}, by username.
   * @param username in lower case.
   */
  async passwordHashOf(username: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ password_hash: string }>(
      'SELECT password_hash FROM accounts WHERE username = $1',
      [username],
    );
    return row?.password_hash;
  }

  /** The stored hash of a user's password. Compare it later to detect a changed password. */
  async passwordHash(accountId: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ password_hash: string }>(
      'SELECT password_hash FROM accounts WHERE id = $1',
      [accountId],
    );
    return row?.password_hash;
  }

  /** The language of mails to a user, which is that in which the user entered the address. */
  async mailLanguageOf(accountId: string): Promise<Language> {
    const [row] = await this.database.query<{ email_locale: string | null }>(
      'SELECT email_locale FROM accounts WHERE id = $1',
      [accountId],
    );
    return mailLocale(row?.email_locale ?? null);
  }

  /** Whether a user has a password; see {@link NO_PASSWORD}. */
  async hasPassword(accountId: string): Promise<boolean> {
    return (await this.passwordHash(accountId)) !== NO_PASSWORD;
  }

  /** Whether this username is taken. */
  async isTaken(username: string): Promise<boolean> {
    const found = await this.database.query('SELECT 1 FROM accounts WHERE username = $1', [
      foldUsername(username),
    ]);
    return found.length > 0;
  }

  /** Changes the display name of a user. */
  async rename(accountId: string, displayName: string, also: AlsoInTransaction): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query('UPDATE accounts SET display_name = $2 WHERE id = $1', [
        accountId,
        displayName,
      ]);
      await also(transaction);
    });
  }

  /** The workspaces of a user that a session reaches, oldest first. @param user an account id for all of them */
  workspacesOf(user: string | Reach): Promise<Membership[]> {
    const { accountId, company } = typeof user === 'string' ? { accountId: user } : user;
    return this.database.query<Membership & object>(
      `SELECT workspaces.id, workspaces.name, workspace_members.role,
              workspaces.members_see_all AS "membersSeeAll"
         FROM workspaces JOIN workspace_members ON workspace_members.workspace_id = workspaces.id
        WHERE workspace_members.account_id = $1
          AND ($2::text IS NULL OR workspace_members.workspace_id = $2)
        ORDER BY workspaces.created_at, workspaces.id`,
      [accountId, company ?? null],
    );
  }
}

/** Sets whether all members of a workspace see all of its photos. */
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

/**
 * Adds a user and a workspace that they own. Call it in a transaction, so that both are added or neither. The username
 * is stored in lower case.
 * @throws {Error} when the username is taken.
 */
export async function createAccountWithWorkspace(
  transaction: Queryable,
  user: { username: string; displayName: string; password: string; workspace: string },
): Promise<void> {
  const accountId = await createAccount(transaction, user);
  const workspaceId = await createWorkspace(transaction, user.workspace);
  await setMember(transaction, workspaceId, accountId, 'owner');
}

/**
 * Adds a user and returns their id. The username is stored in lower case.
 * @throws {Error} when the username is taken.
 */
export async function createAccount(
  database: Queryable,
  { password, ...user }: { username: string; displayName: string; password: string },
): Promise<string> {
  const id = await addAccount(database, { ...user, passwordHash: await hashPassword(password) });
  if (id === undefined) {
    throw new Error('the username is taken');
  }
  return id;
}

/** Adds a user and returns their id; undefined when the username is taken. The username is stored in lower case. */
export async function addAccount(
  database: Queryable,
  user: { username: string; displayName: string; passwordHash: string },
): Promise<string | undefined> {
  const [row] = await database.query<{ id: string }>(
    `INSERT INTO accounts (id, username, display_name, password_hash) VALUES ($1, $2, $3, $4)
     ON CONFLICT (username) DO NOTHING RETURNING id`,
    [randomUUID(), foldUsername(user.username), user.displayName, user.passwordHash],
  );
  return row?.id;
}

/** Changes a user's password. The old password and any password reset link stop working. Call it in a transaction. */
export async function setPassword(
  transaction: Queryable,
  accountId: string,
  password: string,
): Promise<void> {
  await setPasswordHash(transaction, accountId, { to: await hashPassword(password) });
}

/**
 * Like {@link setPassword}, but takes the hash of the new password.
 * @param from when given, nothing is changed unless the stored hash is still this one.
 * @returns whether the password was changed.
 */
export async function setPasswordHash(
  transaction: Queryable,
  accountId: string,
  { from, to }: { readonly from?: string; readonly to: string },
): Promise<boolean> {
  const changed = await transaction.query(
    `UPDATE accounts SET password_hash = $2
      WHERE id = $1 AND password_hash = COALESCE($3, password_hash) RETURNING id`,
    [accountId, to, from ?? null],
  );
  if (changed.length > 0) {
    await transaction.query('DELETE FROM password_resets WHERE account_id = $1', [accountId]);
  }
  return changed.length > 0;
}

/** Adds a workspace without members and returns its id. */
export async function createWorkspace(database: Queryable, name: string): Promise<string> {
  const id = randomUUID();
  await database.query('INSERT INTO workspaces (id, name) VALUES ($1, $2)', [id, name]);
  return id;
}

/** Makes a user a member or an owner of a workspace, or changes their role. */
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

/**
 * Removes a user's membership of a workspace. Their tokens stop working there at once, since each check of a token
 * reads the membership. Their personal access tokens for the workspace, and their links in it, are deleted with the
 * membership (foreign keys).
 */
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

/** The ids of the workspaces of a user. */
export async function workspaceIdsOf(database: Queryable, accountId: string): Promise<string[]> {
  const rows = await database.query<{ workspace_id: string }>(
    'SELECT workspace_id FROM workspace_members WHERE account_id = $1',
    [accountId],
  );
  return rows.map((row) => row.workspace_id);
}

/** The users with these ids, as events name them; without those whose account was deleted. */
export async function eventUsers(
  database: Queryable,
  ids: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, EventUser>> {
  const rows = await database.query<{ id: string; username: string; name: string }>(
    `SELECT id, username, display_name AS name FROM accounts
      WHERE id = ANY (${idArray('$1')})`,
    [JSON.stringify([...new Set(ids)].filter((id) => id !== undefined))],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
