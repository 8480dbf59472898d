import { randomUUID } from 'node:crypto';
import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { sha256 } from '../../kernel/hash.js';
import { addAccount, type Role } from '../accounts/accounts.js';
import { isOwner, lockWorkspace } from '../access/members.js';
import { makeLinkToken } from './one-time-token.js';

/** How long an invitation is valid, in days. */
export const INVITATION_DAYS = 7;
/** How many invitations may be open in one workspace. */
export const MAX_INVITATIONS = 100;

/** The public part of an invitation, for everyone who opens its link. */
export interface Invitation {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly role: Role;
  /** Display name of its creator; undefined when the operator of the service made it. */
  readonly invitedBy: string | undefined;
  readonly expiresAt: Date;
}

/** A new invitation. `invitedBy` is the id of an account; undefined when the operator of the service invites. */
export interface NewInvitation {
  readonly workspaceId: string;
  readonly role: Role;
  readonly invitedBy: string | undefined;
}

/** A user who registers. */
export interface NewUser {
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
}

interface InvitationRow {
  id: string;
  workspace_id: string;
  workspace_name: string;
  role: Role;
  invited_by_name: string | null;
  expires_at: Date;
}

/** Only owners invite: an invitation ends when its creator is no longer an owner. */
const FROM_AN_OWNER = `(invited_by IS NULL OR EXISTS (
  SELECT 1 FROM workspace_members AS inviters
   WHERE inviters.workspace_id = invitations.workspace_id
     AND inviters.account_id = invitations.invited_by AND inviters.role = 'owner'))`;

const SELECT = `SELECT invitations.id, workspace_id, workspaces.name AS workspace_name, role,
       accounts.display_name AS invited_by_name, invitations.expires_at
  FROM invitations
  JOIN workspaces ON workspaces.id = invitations.workspace_id
  LEFT JOIN accounts ON accounts.id = invitations.invited_by`;

/**
 * Links for joining a workspace. Each link works once: its row is deleted in the transaction that adds the member. Of
 * concurrent requests, even in several processes, only one succeeds.
 */
export class Invitations {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * Makes an invitation. Its token is given only here, once: the database keeps a hash of it.
   * @param also called in the same transaction with the id of the invitation.
   * @returns the id and the token; 'no owner' when `invitedBy` is not an owner of the workspace; 'too many' when the
   *   workspace has {@link MAX_INVITATIONS} open invitations already.
   */
  create(
    invitation: NewInvitation,
    also?: (transaction: Queryable, id: string) => Promise<void>,
  ): Promise<{ id: string; token: string } | NotInvited> {
    const { workspaceId, role, invitedBy } = invitation;
    return this.database.transaction(async (transaction) => {
      await lockWorkspace(transaction, workspaceId);
      if (invitedBy !== undefined && !(await isOwner(transaction, workspaceId, invitedBy))) {
        return 'no owner';
      }
      const now = this.now();
      const [open] = await transaction.query<{ count: number }>(
        `SELECT count(*) AS count FROM invitations
          WHERE workspace_id = $1 AND expires_at > $2 AND ${FROM_AN_OWNER}`,
        [workspaceId, now],
      );
      if ((open?.count ?? 0) >= MAX_INVITATIONS) {
        return 'too many';
      }
      const [id, token] = [randomUUID(), makeLinkToken('svc_inv_')];
      await transaction.query(
        `INSERT INTO invitations
           (id, token_sha256, workspace_id, role, invited_by, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, sha256(token), workspaceId, role, invitedBy ?? null, now, this.expiry(now)],
      );
      await also?.(transaction, id);
      return { id, token };
    });
  }

  /** The open invitations of a workspace, the newest first. */
  async of(workspaceId: string): Promise<Invitation[]> {
    const rows = await this.database.query<InvitationRow>(
      `${SELECT} WHERE workspace_id = $1 AND invitations.expires_at > $2 AND ${FROM_AN_OWNER}
        ORDER BY invitations.created_at DESC, invitations.id`,
      [workspaceId, this.now()],
    );
    return rows.map(toInvitation);
  }

  /**
   * Creates the token for a link in a mail. It replaces that of an earlier mail; the token from {@link create} stays valid.
   * @returns undefined when the invitation was used, was revoked, has expired or is void.
   */
  async makeMailToken(id: string): Promise<(Invitation & { readonly token: string }) | undefined> {
    const token = makeLinkToken('svc_inv_');
    await this.database.query('UPDATE invitations SET mail_token_sha256 = $2 WHERE id = $1', [
      id,
      sha256(token),
    ]);
    const invitation = await this.find(token);
    return invitation && { ...invitation, token };
  }

  /**
   * Revokes an invitation of this workspace.
   * @param also called in the same transaction, after the change.
   * @returns whether there was one with this id.
   */
  revoke(workspaceId: string, id: string, also?: AlsoInTransaction): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const revoked = await transaction.query(
        'DELETE FROM invitations WHERE workspace_id = $1 AND id = $2 RETURNING id',
        [workspaceId, id],
      );
      if (revoked.length > 0) {
        await also?.(transaction);
      }
      return revoked.length > 0;
    });
  }

  /** The invitation that a token belongs to; undefined when it is unknown, used, revoked, expired or void. */
  async find(token: string): Promise<Invitation | undefined> {
    const [row] = await this.database.query<InvitationRow>(
      `${SELECT} WHERE (token_sha256 = $1 OR mail_token_sha256 = $1)
          AND invitations.expires_at > $2 AND ${FROM_AN_OWNER}`,
      [sha256(token), this.now()],
    );
    return row && toInvitation(row);
  }

  /**
   * Adds a user to the workspace of an invitation.
   * @param also called in the same transaction, after the user was added.
   * @returns 'joined': the link is used; 'gone': the link is no longer valid; 'member already': nothing changed.
   */
  async join(
    token: string,
    accountId: string,
    also?: AfterJoining,
  ): Promise<'joined' | 'gone' | 'member already'> {
    const result = await this.use(token, () => Promise.resolve(accountId), also);
    // 'taken' cannot happen: no username is chosen here.
    return typeof result === 'object' ? 'joined' : result === 'taken' ? 'gone' : result;
  }

  /**
   * Creates an account and adds it to the workspace of an invitation, both or neither.
   * @returns the id of the account: the link is used up now; 'gone': the link no longer works; 'taken': the username is
   *   taken, and the link stays usable.
   * @param also called in the same transaction, after the user was added.
   */
  async joinAsNew(
    token: string,
    user: NewUser,
    also?: AfterJoining,
  ): Promise<{ readonly accountId: string } | 'gone' | 'taken'> {
    const result = await this.use(token, (transaction) => addAccount(transaction, user), also);
    // 'member already' cannot happen: the account is new.
    return result === 'member already' ? 'gone' : result;
  }

  private async use(
    token: string,
    resolveAccount: (transaction: Queryable) => Promise<string | undefined>,
    also?: AfterJoining,
  ): Promise<{ readonly accountId: string } | NotUsed> {
    const invitation = await this.find(token);
    if (invitation === undefined) {
      return 'gone';
    }
    const { id, workspaceId, role } = invitation;
    try {
      return await this.database.transaction(async (transaction) => {
        await lockWorkspace(transaction, workspaceId);
        const used = await transaction.query(
          `DELETE FROM invitations WHERE id = $1 AND expires_at > $2 AND ${FROM_AN_OWNER}
            RETURNING id`,
          [id, this.now()],
        );
        if (used.length === 0) {
          return 'gone';
        }
        const accountId = await resolveAccount(transaction);
        if (accountId === undefined) {
          throw new StaysUnused('taken');
        }
        const joined = await transaction.query(
          `INSERT INTO workspace_members (workspace_id, account_id, role) VALUES ($1, $2, $3)
           ON CONFLICT DO NOTHING RETURNING role`,
          [workspaceId, accountId, role],
        );
        if (joined.length === 0) {
          throw new StaysUnused('member already');
        }
        await also?.(transaction, accountId);
        return { accountId };
      });
    } catch (error) {
      if (!(error instanceof StaysUnused)) {
        throw error;
      }
      return error.reason;
    }
  }

  private expiry(now: Date): Date {
    return new Date(now.getTime() + INVITATION_DAYS * 24 * 3_600_000);
  }
}

/** What else is stored when a user joins. */
type AfterJoining = (transaction: Queryable, accountId: string) => Promise<void>;
/** Why no invitation was made. */
type NotInvited = 'no owner' | 'too many';
/** Why the invitation was not used. */
type NotUsed = 'gone' | 'taken' | 'member already';

/** Rolls the transaction back, so that the link stays usable. */
class StaysUnused extends Error {
  constructor(readonly reason: 'taken' | 'member already') {
    super(reason);
  }
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    role: row.role,
    invitedBy: row.invited_by_name ?? undefined,
    expiresAt: row.expires_at,
  };
}
