import { randomUUID } from 'node:crypto';
import type { Role } from '../../auth/accounts/accounts.js';
import { lockWorkspace } from '../../auth/access/members.js';
import type { Database } from '../../platform/database/database.js';
import { newSecret, sha256 } from '../../platform/hash.js';
import { MAX_SHARES, isSuspended, type Share, type ShareTarget } from './share.js';

/** "Last opened" is exact to one minute, so that not every request has to write. */
const OPENED_STEP_MS = 60_000;

const DAY_MS = 24 * 3_600_000;

/** A link to be made. */
export interface NewShare {
  readonly workspaceId: string;
  readonly creatorId: string;
  readonly target: ShareTarget;
  readonly days: number;
  readonly passwordHash: string | undefined;
}

/** A link that was removed because it has expired. */
export type ExpiredShare = Pick<NewShare, 'workspaceId' | 'target'> & { readonly id: string };

interface ShareRow {
  id: string;
  created_by: string;
  creator_name: string;
  workspace_id: string;
  workspace_name: string;
  role: Role;
  members_see_all: boolean;
  upload_id: string | null;
  upload_name: string | null;
  upload_account_id: string | null;
  trashed_at: Date | null;
  project_id: string | null;
  project_name: string | null;
  archived_at: Date | null;
  password_hash: string | null;
  created_at: Date;
  expires_at: Date;
  opened_at: Date | null;
}

const SELECT = `SELECT shares.*, accounts.display_name AS creator_name, workspaces.name AS workspace_name,
       workspaces.members_see_all, workspace_members.role, uploads.name AS upload_name,
       uploads.account_id AS upload_account_id, uploads.trashed_at,
       projects.name AS project_name, projects.archived_at
  FROM shares
  JOIN workspaces ON workspaces.id = shares.workspace_id
  JOIN workspace_members ON workspace_members.workspace_id = shares.workspace_id
                        AND workspace_members.account_id = shares.created_by
  JOIN accounts ON accounts.id = shares.created_by
  LEFT JOIN uploads ON uploads.photo_id = shares.upload_id AND uploads.is_current
  LEFT JOIN projects ON projects.id = shares.project_id`;

/** Links that show a photo or a project without a sign-in. */
export class ShareTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * Makes a link. Its token is given only here, once.
   * @returns the id and the token; 'full' when the workspace has {@link MAX_SHARES} links already; 'no member' when the
   *   creator is no longer in the workspace.
   */
  create(
    share: NewShare,
  ): Promise<{ readonly id: string; readonly token: string } | 'full' | 'no member'> {
    const [shareId, token] = [randomUUID(), newSecret()];
    const now = this.now();
    const { kind, id } = share.target;
    return this.database.transaction(async (transaction) => {
      // One at a time: of several at once, none may count without the others.
      await lockWorkspace(transaction, share.workspaceId);
      const made = await transaction.query(
        `INSERT INTO shares (id, token_sha256, workspace_id, created_by, upload_id, project_id,
                             password_hash, created_at, expires_at)
         SELECT $1, $2, workspace_id, account_id, $5, $6, $7, $8, $9
           FROM workspace_members AS maker WHERE workspace_id = $3 AND account_id = $4
            AND (SELECT count(*) FROM shares WHERE workspace_id = $3 AND expires_at > $8) < $10
            FOR KEY SHARE OF maker
         RETURNING id`,
        [
          shareId,
          sha256(token),
          share.workspaceId,
          share.creatorId,
          kind === 'photo' ? id : null,
          kind === 'project' ? id : null,
          share.passwordHash ?? null,
          now,
          new Date(now.getTime() + share.days * DAY_MS),
          MAX_SHARES,
        ],
      );
      if (made.length > 0) {
        return { id: shareId, token };
      }
      const maker = await transaction.query(
        'SELECT 1 FROM workspace_members WHERE workspace_id = $1 AND account_id = $2',
        [share.workspaceId, share.creatorId],
      );
      return maker.length > 0 ? 'full' : 'no member';
    });
  }

  /** The link with this token, if it has not expired. */
  async findByToken(token: string): Promise<Share | undefined> {
    return this.findOne('token_sha256', sha256(token));
  }

  async find(id: string): Promise<Share | undefined> {
    return this.findOne('id', id);
  }

  /**
   * The links of a workspace that have not expired, newest first.
   * @param creatorId only the links of this user; undefined for all.
   */
  async of(workspaceId: string, creatorId: string | undefined): Promise<Share[]> {
    const rows = await this.database.query<ShareRow>(
      `${SELECT} WHERE shares.workspace_id = $1 AND shares.expires_at > $2
          AND ($3::text IS NULL OR shares.created_by = $3)
        ORDER BY shares.created_at DESC, shares.id LIMIT ${MAX_SHARES}`,
      [workspaceId, this.now(), creatorId ?? null],
    );
    return rows.map(toShare);
  }

  /**
   * Notes that a link was just opened.
   * @returns whether it is the first time. Of several requests at once, even in several processes, only one gets true.
   */
  async markOpened({ id, openedAt }: Share): Promise<boolean> {
    const now = this.now();
    if (now.getTime() - (openedAt?.getTime() ?? 0) <= OPENED_STEP_MS) {
      return false;
    }
    const [before] = await this.database.query<{ opened_at: Date | null }>(
      `UPDATE shares SET opened_at = $2
         FROM (SELECT opened_at FROM shares WHERE id = $1 FOR UPDATE) AS before
        WHERE shares.id = $1 RETURNING before.opened_at`,
      [id, now],
    );
    return before?.opened_at === null;
  }

  /** Ends a link. @returns whether there was one. */
  async revoke(id: string): Promise<boolean> {
    const revoked = await this.database.query('DELETE FROM shares WHERE id = $1 RETURNING id', [
      id,
    ]);
    return revoked.length > 0;
  }

  /** Removes up to `limit` expired links. Several processes may do this at once: each link is returned to only one. */
  async forgetExpired(limit: number): Promise<ExpiredShare[]> {
    const rows = await this.database.query<
      Pick<ShareRow, 'id' | 'workspace_id' | 'upload_id' | 'project_id'>
    >(
      `DELETE FROM shares WHERE id = ANY (ARRAY(
         SELECT id FROM shares WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
       )) RETURNING id, workspace_id, upload_id, project_id`,
      [this.now(), limit],
    );
    return rows.map((row) => ({
      id: row.id,
      workspaceId: row.workspace_id,
      target: targetOf(row),
    }));
  }

  private async findOne(column: 'id' | 'token_sha256', value: string): Promise<Share | undefined> {
    const [row] = await this.database.query<ShareRow>(
      `${SELECT} WHERE shares.${column} = $1 AND shares.expires_at > $2`,
      [value, this.now()],
    );
    return row && toShare(row);
  }
}

function toShare(row: ShareRow): Share {
  const isPhoto = row.upload_id !== null;
  const maker = {
    creatorId: row.created_by,
    workspace: {
      id: row.workspace_id,
      name: row.workspace_name,
      role: row.role,
      membersSeeAll: row.members_see_all,
    },
  };
  const photo = { accountId: row.upload_account_id ?? '', trashedAt: row.trashed_at ?? undefined };
  return {
    ...maker,
    id: row.id,
    creatorName: row.creator_name,
    target: { ...targetOf(row), name: row.upload_name ?? row.project_name ?? '' },
    passwordHash: row.password_hash ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    openedAt: row.opened_at ?? undefined,
    isSuspended: isSuspended(isPhoto ? photo : undefined, row.archived_at !== null, maker),
  };
}

function targetOf(row: Pick<ShareRow, 'upload_id' | 'project_id'>): ShareTarget {
  const kind = row.upload_id === null ? 'project' : 'photo';
  return { kind, id: row.upload_id ?? row.project_id ?? '' };
}
