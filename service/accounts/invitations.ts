import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../database/database.js';
import { sha256 } from '../hash.js';
import { addAccount, type Role } from './accounts.js';
import { isOwner, lockWorkspace } from './members.js';
import { makeLinkToken } from './one-time-token.js';

/** How long an invitation is good. */
export const INVITATION_DAYS = 7;
/** How many may be open in one workspace. */
export const MAX_INVITATIONS = 100;

/** What whoever opens the link may know. */
export interface Invitation {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly role: Role;
  /** The name of who made it; undefined for the people who run the service. */
  readonly invitedBy: string | undefined;
  readonly expiresAt: Date;
}

/** A new invitation; `invitedBy` is an account, undefined for the people who run the service. */
export interface NewInvitation {
  readonly workspaceId: string;
  readonly role: Role;
  readonly invitedBy: string | undefined;
}

/** A person who makes an account for themselves. */
export interface NewPerson {
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

/** Only owners invite: an invitation is void when its maker is no owner any more. */
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
 * Links by which people join a workspace. Each is used once: its row is deleted in the transaction in which somebody
 * becomes a member, so that the database decides between requests and processes.
 */
export class Invitations {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /** Makes an invitation. This is the only time that its secret is told. */
  create(invitation: NewInvitation): Promise<{ id: string; token: string } | NotInvited> {
    const { workspaceId, role, invitedBy } = invitation;
    return this.database.transaction(async (transaction) => {
      await lockWorkspace(transaction, workspaceId);
      if (invitedBy !== undefined && !(await isOwner(transaction, workspaceId, invitedBy))) {
        return 'no owner';
      }
      const now = this.now();
      const [open] = await transaction.query<{ count: number | string }>(
        'SELECT count(*) AS count FROM invitations WHERE workspace_id = $1 AND expires_at > $2',
        [workspaceId, now],
      );
      if (Number(open?.count) >= MAX_INVITATIONS) {
        return 'too many';
      }
      const [id, token] = [randomUUID(), makeLinkToken('svc_inv_')];
      await transaction.query(
        `INSERT INTO invitations
           (id, token_sha256, workspace_id, role, invited_by, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)`,
        [id, sha256(token), workspaceId, role, invitedBy ?? null, now, this.expiry(now)],
      );
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

  /** Takes back an invitation of this workspace. Gives whether there was one. */
  async revoke(workspaceId: string, id: string): Promise<boolean> {
    const revoked = await this.database.query(
      'DELETE FROM invitations WHERE workspace_id = $1 AND id = $2 RETURNING id',
      [workspaceId, id],
    );
    return revoked.length > 0;
  }

  /** What a link is for, as long as it is good. */
  async find(token: string): Promise<Invitation | undefined> {
    const [row] = await this.database.query<InvitationRow>(
      `${SELECT} WHERE token_sha256 = $1 AND invitations.expires_at > $2 AND ${FROM_AN_OWNER}`,
      [sha256(token), this.now()],
    );
    return row && toInvitation(row);
  }

  /** Makes a person a member by a link, which is used up then. */
  async join(token: string, accountId: string): Promise<'joined' | 'gone' | 'member already'> {
    const result = await this.use(token, () => Promise.resolve(accountId));
    // Nobody chooses a username here, so none can be taken.
    return typeof result === 'object' ? 'joined' : result === 'taken' ? 'gone' : result;
  }

  /** Adds a person and makes them a member by a link, which is used up then. */
  async joinAsNew(
    token: string,
    person: NewPerson,
  ): Promise<{ readonly accountId: string } | 'gone' | 'taken'> {
    const result = await this.use(token, (transaction) => addAccount(transaction, person));
    // Nobody can have been a member a moment before they were there.
    return result === 'member already' ? 'gone' : result;
  }

  private async use(
    token: string,
    personOf: (transaction: Queryable) => Promise<string | undefined>,
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
        const accountId = await personOf(transaction);
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

/** Why no invitation was made. */
type NotInvited = 'no owner' | 'too many';
/** Why nobody joined. */
type NotUsed = 'gone' | 'taken' | 'member already';

/** Rolls back what was begun, so that the link stays good. */
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
