import type { Database, Queryable } from '../database/database.js';
import { sentence, type Sentence } from '../pages/sentence.js';
import { setMember, type Role } from './accounts.js';
import { endMembership } from './end-access.js';

/** Somebody in a workspace. */
export interface Member {
  readonly accountId: string;
  readonly username: string;
  readonly displayName: string;
  readonly role: Role;
}

/** What one person does about another one in a workspace, or about themselves. */
export interface MemberChange {
  readonly workspaceId: string;
  /** Who does it. */
  readonly by: string;
  /** To whom. */
  readonly accountId: string;
}

/**
 * Who is in a workspace. Whether a change may be made is decided in its transaction, and those of one workspace follow
 * each other (see {@link lockWorkspace}): two owners who remove each other at the same time do not both succeed.
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
   * Makes somebody an owner or a member, at once.
   * @returns why that was not done; undefined when it was.
   */
  setRole(change: MemberChange, role: Role): Promise<Sentence | undefined> {
    return this.change(change, role, async (transaction) => {
      await setMember(transaction, change.workspaceId, change.accountId, role);
      if (role !== 'owner') {
        // Only owners invite: what they made before must not outlast that.
        await transaction.query(
          'DELETE FROM invitations WHERE workspace_id = $1 AND invited_by = $2',
          [change.workspaceId, change.accountId],
        );
      }
    });
  }

  /**
   * Takes somebody out, or lets them leave, see {@link endMembership}.
   * @returns why that was not done; undefined when it was.
   */
  remove(change: MemberChange): Promise<Sentence | undefined> {
    return this.change(change, undefined, (transaction) =>
      endMembership(transaction, change.workspaceId, change.accountId),
    );
  }

  /** @param role what they are afterwards; undefined when they are gone. */
  private change(
    { workspaceId, by, accountId }: MemberChange,
    role: Role | undefined,
    work: (transaction: Queryable) => Promise<void>,
  ): Promise<Sentence | undefined> {
    return this.database.transaction(async (transaction) => {
      await lockWorkspace(transaction, workspaceId);
      const rows = await transaction.query<{ account_id: string; role: Role }>(
        'SELECT account_id, role FROM workspace_members WHERE workspace_id = $1',
        [workspaceId],
      );
      const roles = new Map(rows.map((row) => [row.account_id, row.role]));
      const isLeaving = by === accountId && role === undefined;
      if (roles.get(by) !== 'owner' && !isLeaving) {
        return sentence('onlyOwnersManage');
      }
      const before = roles.get(accountId);
      if (before === undefined) {
        return sentence('notAMemberAnyMore');
      }
      const owners = rows.filter((row) => row.role === 'owner').length;
      if (before === 'owner' && role !== 'owner' && owners === 1) {
        return sentence('lastOwner');
      }
      await work(transaction);
      return undefined;
    });
  }
}

/**
 * Lets one transaction at a time change the members, projects, invitations and links of a workspace. A transaction calls
 * this first. Uploads, which only refer to the workspace, do not wait.
 */
export async function lockWorkspace(transaction: Queryable, workspaceId: string): Promise<void> {
  await transaction.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [
    workspaceId,
  ]);
}

/** Whether somebody owns a workspace. */
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
