import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { setMember, type Role } from '../accounts/accounts.js';
import { revokeMembership } from './revoke-access.js';

/** A member of a workspace. */
export interface Member {
  readonly accountId: string;
  readonly username: string;
  readonly displayName: string;
  readonly role: Role;
}

/** A change of a membership, and the user who makes it. Users may change their own membership. */
export interface MemberChange {
  readonly workspaceId: string;
  /** Account id of the user who makes the change. */
  readonly by: string;
  /** Account id of the user whose membership is changed. */
  readonly accountId: string;
}

/**
 * The members of a workspace. Each change checks its permission in the same transaction. The changes of one workspace
 * run one after another (see {@link lockWorkspace}). If two owners remove each other at the same time, only one
 * succeeds.
 */
export class Members {
  constructor(private readonly database: Database) {}

  /** Everybody in a workspace, owners first. */
  async of(workspaceId: string): Promise<Member[]> {
    const rows = await this.database.query<{
      id: string;
      username: string;
      display_name: string;
      role: Role;
    }>(
      `SELECT accounts.id, username, display_name, role
         FROM workspace_members JOIN accounts ON accounts.id = workspace_members.account_id
        WHERE workspace_id = $1
        ORDER BY role DESC, lower(display_name), username`,
      [workspaceId],
    );
    return rows.map((row) => ({
      accountId: row.id,
      username: row.username,
      displayName: row.display_name,
      role: row.role,
    }));
  }

  /**
   * Makes a user of the workspace an owner or a member.
   * @param also called in the same transaction, after the change.
   * @returns undefined after success; otherwise the reason.
   */
  setRole(
    change: MemberChange,
    role: Role,
    also?: AlsoInTransaction,
  ): Promise<Message | undefined> {
    return this.change(change, role, async (transaction) => {
      await giveRole(transaction, change.workspaceId, change.accountId, role);
      await also?.(transaction);
    });
  }

  /**
   * Removes a user from a workspace, or lets them leave; see {@link revokeMembership}.
   * @param also called in the same transaction, after the change.
   * @returns undefined after success; otherwise the reason.
   */
  remove(change: MemberChange, also?: AlsoInTransaction): Promise<Message | undefined> {
    return this.change(change, undefined, async (transaction) => {
      await revokeMembership(transaction, change.workspaceId, change.accountId);
      await also?.(transaction);
    });
  }

  /** @param role the role after the change; undefined when the membership ends. */
  private change(
    { workspaceId, by, accountId }: MemberChange,
    role: Role | undefined,
    work: (transaction: Queryable) => Promise<void>,
  ): Promise<Message | undefined> {
    return this.database.transaction(async (transaction) => {
      await lockWorkspace(transaction, workspaceId);
      const rows = await transaction.query<{ account_id: string; role: Role }>(
        'SELECT account_id, role FROM workspace_members WHERE workspace_id = $1',
        [workspaceId],
      );
      const roles = new Map(rows.map((row) => [row.account_id, row.role]));
      const isLeaving = by === accountId && role === undefined;
      if (roles.get(by) !== 'owner' && !isLeaving) {
        return message('onlyOwnersManage');
      }
      const before = roles.get(accountId);
      if (before === undefined) {
        return message('notAMemberAnyMore');
      }
      const owners = rows.filter((row) => row.role === 'owner').length;
      if (before === 'owner' && role !== 'owner' && owners === 1) {
        return message('lastOwner');
      }
      await work(transaction);
      return undefined;
    });
  }
}

/**
 * Takes the lock of a workspace until the transaction ends. Transactions that check the members, projects, invitations
 * or links of a workspace before they change them call this first, so that they run one after another. Uploads only
 * refer to the workspace and do not wait for this lock.
 */
export async function lockWorkspace(transaction: Queryable, workspaceId: string): Promise<void> {
  await transaction.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [
    workspaceId,
  ]);
}

/**
 * Adds a user to a workspace, or changes their role there. Call it in a transaction that has called
 * {@link lockWorkspace}.
 */
export async function giveRole(
  transaction: Queryable,
  workspaceId: string,
  accountId: string,
  role: Role,
): Promise<void> {
  await setMember(transaction, workspaceId, accountId, role);
  if (role !== 'owner') {
    // Only owners invite, so the open invitations of a former owner end.
    await transaction.query('DELETE FROM invitations WHERE workspace_id = $1 AND invited_by = $2', [
      workspaceId,
      accountId,
    ]);
  }
}

/** Whether a user is an owner of a workspace. */
export async function isOwner(
  database: Queryable,
  workspaceId: string,
  accountId: string,
): Promise<boolean> {
  const found = await database.query(
    `SELECT 1 FROM workspace_members WHERE workspace_id = $1 AND account_id = $2 AND role = 'owner'`,
    [workspaceId, accountId],
  );
  return found.length > 0;
}
