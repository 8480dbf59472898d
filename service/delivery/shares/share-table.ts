import { randomUUID } from 'node:crypto';
import { lockWorkspace, CAN_SEE_ALL, type Role, type CsrfTokens } from '../../identity/index.js';
import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { uploadsById } from '../../library/index.js';
import { toLogo } from '../logos/index.js';
import { sha256 } from '../../kernel/hash.js';
import {
  DEFAULT_OFFER,
  ENDED_SHARE_DAYS,
  MAX_SHARES,
  type NewShareTarget,
  type OpenShare,
  type Share,
  type ShareDownloads,
  type ShareOffer,
  type ShareSuspension,
  type ShareTarget,
} from './share.js';

/** "Last opened" is exact to one minute, so that not every request has to write. */
const OPENED_STEP_MS = 60_000;

const DAY_MS = 24 * 3_600_000;

/** A link to be made. */
export interface NewShare {
  readonly workspaceId: string;
  readonly creatorId: string;
  readonly target: NewShareTarget;
  readonly days: number;
  readonly passwordHash: string | undefined;
  readonly offer?: ShareOffer;
}

/** The new state of a link. */
export interface ShareChange {
  readonly offer: ShareOffer;
  readonly expiresAt: Date;
  readonly passwordHash: string | undefined;
}

/** A link that reached its end. */
export interface ExpiredShare {
  readonly id: string;
  readonly workspaceId: string;
  readonly target: ShareTarget;
}

/** Does more about a link in a transaction. */
export type AlsoWithShare = (
  transaction: Queryable,
  share: { readonly id: string; readonly workspaceId: string },
) => Promise<void>;

/** Which links a list shows; undefined members do not limit it. */
export interface ShareFilter {
  readonly creatorId?: string | undefined;
  /** The id of the project that they are for. */
  readonly project?: string | undefined;
  /** The id of any version of a photo that was chosen for them. */
  readonly photo?: string | undefined;
}

interface ShareRow {
  id: string;
  created_by: string;
  creator_name: string;
  workspace_id: string;
  workspace_name: string;
  role: Role;
  members_see_all: boolean;
  photo_id: string | null;
  photo_name: string | null;
  chosen: number;
  shown: number;
  project_id: string | null;
  project_name: string | null;
  archived_at: Date | null;
  password_hash: string | null;
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  opened_at: Date | null;
  views: number;
  downloads_count: number;
  title: string | null;
  message: string | null;
  cover_photo_id: string | null;
  downloads: ShareDownloads;
  shows_location: boolean;
  watermark: boolean;
  takes_feedback: boolean;
  max_favourites: number | null;
  max_downloads: number | null;
  decision_until: Date | null;
  logo_version: string | null;
  logo_width: number | null;
  logo_height: number | null;
  trashed: number;
}

/** The photos of a link, in their current versions. */
const CHOSEN = `share_photos JOIN uploads
    ON uploads.photo_id = share_photos.photo_id AND uploads.is_current`;

/** Whether a link shows one of its {@link CHOSEN} photos: it is not in the trash, and the creator of the link sees it. */
const IS_SHOWN = `(uploads.trashed_at IS NULL
  AND (${CAN_SEE_ALL} OR uploads.account_id = workspace_members.account_id))`;

/** Photos without a time of capture come last. Such a time is text, ordered by `COLLATE "C"`. */
const CAPTURE_ORDER = 'uploads.captured_at COLLATE "C" NULLS LAST, uploads.finished_at, uploads.id';

/** @param more columns besides those of {@link ShareRow}, of {@link CHOSEN}. */
function select(more = ''): string {
  const order = `ORDER BY ${IS_SHOWN} DESC, ${CAPTURE_ORDER}`;
  return `SELECT shares.*, accounts.display_name AS creator_name, workspaces.name AS workspace_name,
       workspaces.members_see_all, workspace_members.role, chosen.*,
       projects.name AS project_name, projects.archived_at,
       round.until AS decision_until, logo.version AS logo_version, logo.width AS logo_width, logo.height AS logo_height
  FROM shares
  JOIN workspaces ON workspaces.id = shares.workspace_id
  JOIN workspace_members ON workspace_members.workspace_id = shares.workspace_id
                        AND workspace_members.account_id = shares.created_by
  JOIN accounts ON accounts.id = shares.created_by
  LEFT JOIN projects ON projects.id = shares.project_id
  LEFT JOIN share_rounds AS round ON round.share_id = shares.id
  LEFT JOIN workspace_logos AS logo ON logo.workspace_id = shares.workspace_id
 CROSS JOIN LATERAL (
       SELECT count(*)::integer AS chosen, (count(*) FILTER (WHERE ${IS_SHOWN}))::integer AS shown,
              (count(*) FILTER (WHERE uploads.trashed_at IS NOT NULL))::integer AS trashed,
              (array_agg(share_photos.photo_id ${order}))[1] AS photo_id,
              (array_agg(uploads.name ${order}))[1] AS photo_name ${more}
         FROM ${CHOSEN} WHERE share_photos.share_id = shares.id) AS chosen`;
}

const LISTED = select();

/** With the photos that the link shows, in the order of capture. */
const OPENED = select(
  `, json_agg(json_build_object('id', uploads.id, 'photoId', uploads.photo_id) ORDER BY ${CAPTURE_ORDER}) FILTER (WHERE ${IS_SHOWN}) AS shown_photos`,
);

/** Links that show photos or a project without a sign-in. */
export class ShareTable {
  constructor(
    private readonly database: Database,
    private readonly tokens: Pick<CsrfTokens, 'make'>,
    private readonly now: () => Date,
  ) {}

  /** The token in the address of a link. It opens the link: only its creator may get it. */
  tokenOf(id: string): string {
    return this.tokens.make('share-link', id);
  }

  /**
   * Makes a link.
   * @returns the id and the token; 'full' when the workspace has {@link MAX_SHARES} links already; 'no member' when the
   *   creator is no longer in the workspace.
   */
  create(
    share: NewShare,
    also?: (transaction: Queryable, id: string) => Promise<void>,
  ): Promise<{ readonly id: string; readonly token: string } | 'full' | 'no member'> {
    const shareId = randomUUID();
    const token = this.tokenOf(shareId);
    const now = this.now();
    const { target, offer = DEFAULT_OFFER } = share;
    return this.database.transaction(async (transaction) => {
      // One at a time: of several at once, none may count without the others.
      await lockWorkspace(transaction, share.workspaceId);
      const made = await transaction.query(
        `INSERT INTO shares (id, token_sha256, workspace_id, created_by, project_id,
                             password_hash, created_at, expires_at, title, message, downloads, shows_location,
                             watermark)
         SELECT $1, $2, workspace_id, account_id, $5, $6, $7, $8, $10, $11, $12, $13, $14
           FROM workspace_members AS maker WHERE workspace_id = $3 AND account_id = $4
            AND (SELECT count(*) FROM shares WHERE workspace_id = $3 AND ends_at > $7) < $9
            FOR KEY SHARE OF maker
         RETURNING id`,
        [
          shareId,
          sha256(token),
          share.workspaceId,
          share.creatorId,
          target.kind === 'project' ? target.id : null,
          share.passwordHash ?? null,
          now,
          new Date(now.getTime() + share.days * DAY_MS),
          MAX_SHARES,
          offer.title ?? null,
          offer.message ?? null,
          offer.downloads,
          offer.showsLocation,
          offer.watermark,
        ],
      );
      if (made.length > 0) {
        if (target.kind === 'photos') {
          await transaction.query(
            `INSERT INTO share_photos (share_id, photo_id)
             SELECT $1, id FROM ${uploadsById('$2')} AS uploads WHERE workspace_id = $3`,
            [shareId, target.ids.join(','), share.workspaceId],
          );
        }
        await also?.(transaction, shareId);
        return { id: shareId, token };
      }
      const maker = await transaction.query(
        'SELECT 1 FROM workspace_members WHERE workspace_id = $1 AND account_id = $2',
        [share.workspaceId, share.creatorId],
      );
      return maker.length > 0 ? 'full' : 'no member';
    });
  }

  /** The link with this token, if it works or is suspended. */
  async findByToken(token: string): Promise<OpenShare | undefined> {
    return this.findOne('token_sha256', sha256(token));
  }

  async find(id: string): Promise<OpenShare | undefined> {
    return this.findOne('id', id);
  }

  /** Why the link with this token has ended; undefined if there is none, or it has not. */
  async endOf(token: string): Promise<'expired' | 'revoked' | undefined> {
    const [row] = await this.database.query<{ revoked_at: Date | null }>(
      'SELECT revoked_at FROM shares WHERE token_sha256 = $1 AND ends_at <= $2',
      [sha256(token), this.now()],
    );
    return row && (row.revoked_at === null ? 'expired' : 'revoked');
  }

  /** The links of a workspace that have not ended, newest first. */
  async of(workspaceId: string, filter: ShareFilter = {}): Promise<Share[]> {
    return this.list(`shares.ends_at > $2`, 'shares.created_at', workspaceId, filter);
  }

  /** The links that were revoked or have expired, and are still kept, the last one first. */
  async endedOf(workspaceId: string, filter: ShareFilter = {}): Promise<Share[]> {
    return this.list(`shares.ends_at <= $2`, 'shares.ends_at', workspaceId, filter);
  }

  /** A link that has ended and is still kept. */
  async findEnded(id: string): Promise<OpenShare | undefined> {
    return this.findOne('id', id, '<=');
  }

  /**
   * Notes that a link was opened, with the views and downloads to count.
   * @param also called in the same transaction if it is the first time.
   * @returns whether it is. Of several requests at once, even in several processes, only one gets true.
   */
  async markOpened(
    { id, openedAt }: Share,
    { views = 0, downloads = 0 }: { readonly views?: number; readonly downloads?: number } = {},
    also?: AlsoInTransaction,
  ): Promise<boolean> {
    const now = this.now();
    const isRecent = now.getTime() - (openedAt?.getTime() ?? 0) <= OPENED_STEP_MS;
    if (isRecent && views + downloads === 0) {
      return false;
    }
    const note = (queryable: Queryable): Promise<{ opened_at: Date | null }[]> =>
      queryable.query(
        `UPDATE shares SET opened_at = $2, views = views + $3, downloads_count = downloads_count + $4
           FROM (SELECT opened_at FROM shares WHERE id = $1 FOR UPDATE) AS before
          WHERE shares.id = $1 RETURNING before.opened_at`,
        [id, now, views, downloads],
      );
    if (openedAt !== undefined) {
      await note(this.database);
      return false;
    }
    return this.database.transaction(async (transaction) => {
      const [before] = await note(transaction);
      const isFirst = before?.opened_at === null;
      if (isFirst) {
        await also?.(transaction);
      }
      return isFirst;
    });
  }

  /**
   * Counts files that a guest downloads, if the link has a limit. A file counts once. Of several requests at once, even in
   * several processes, none goes over the limit.
   * @param photoIds of the files
   * @returns whether the limit allows them
   */
  async countDownloads(
    { id, maxDownloads }: Pick<Share, 'id' | 'maxDownloads'>,
    photoIds: readonly string[],
  ): Promise<boolean> {
    if (maxDownloads === undefined) {
      return true;
    }
    return this.database.transaction(async (transaction) => {
      const [share] = await transaction.query<{ max: number | null }>(
        'SELECT max_downloads AS max FROM shares WHERE id = $1 FOR NO KEY UPDATE',
        [id],
      );
      const wanted = JSON.stringify([...new Set(photoIds)]);
      const [after] = await transaction.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM (
           SELECT photo_id FROM share_downloads WHERE share_id = $1
           UNION SELECT jsonb_array_elements_text($2::jsonb)) AS files`,
        [id, wanted],
      );
      if (share === undefined || (after?.count ?? 0) > (share.max ?? Infinity)) {
        return false;
      }
      await transaction.query(
        `INSERT INTO share_downloads (share_id, photo_id)
         SELECT $1, jsonb_array_elements_text($2::jsonb) ON CONFLICT DO NOTHING`,
        [id, wanted],
      );
      return true;
    });
  }

  /** Changes a link that has not ended, or has expired. @returns whether there was one, and room for it. */
  async change(
    { id, workspace }: Share,
    { offer, expiresAt, passwordHash }: ShareChange,
    also?: AlsoInTransaction,
  ): Promise<boolean | 'full'> {
    return this.database.transaction(async (transaction) => {
      if (!(await this.hasRoom(transaction, workspace.id, id))) {
        return 'full';
      }
      const changed = await transaction.query(
        `UPDATE shares SET title = $2, message = $3, cover_photo_id = $4, downloads = $5, shows_location = $6,
                expiry_is_recorded = expiry_is_recorded AND expires_at = $7, expires_at = $7, password_hash = $8,
                watermark = $9, takes_feedback = $10, max_favourites = $11, max_downloads = $12
          WHERE id = $1 AND revoked_at IS NULL RETURNING id`,
        [
          id,
          offer.title ?? null,
          offer.message ?? null,
          offer.coverPhotoId ?? null,
          offer.downloads,
          offer.showsLocation,
          expiresAt,
          passwordHash ?? null,
          offer.watermark,
          offer.takesFeedback,
          offer.maxFavourites ?? null,
          offer.maxDownloads ?? null,
        ],
      );
      if (changed.length > 0) {
        await also?.(transaction);
      }
      return changed.length > 0;
    });
  }

  /** Ends a link. It can be restored while it is kept. @returns whether there was one. */
  async revoke({ id, workspace }: Share, also?: AlsoInTransaction): Promise<boolean> {
    const revoked = await this.database.transaction(async (transaction) => {
      const ended = await transaction.query(
        'UPDATE shares SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id',
        [id, this.now()],
      );
      if (ended.length > 0) {
        await also?.(transaction);
      }
      return ended;
    });
    // Links that are made and revoked in a loop must not fill the table.
    await this.database.query(
      `DELETE FROM shares WHERE id IN (
         SELECT id FROM shares WHERE workspace_id = $1 AND revoked_at IS NOT NULL
          ORDER BY revoked_at DESC, id OFFSET ${MAX_SHARES})`,
      [workspace.id],
    );
    return revoked.length > 0;
  }

  /** Undoes a revocation: the address works again until the link expires. */
  async restore({ id, workspace }: Share, also?: AlsoInTransaction): Promise<boolean | 'full'> {
    return this.database.transaction(async (transaction) => {
      if (!(await this.hasRoom(transaction, workspace.id, id))) {
        return 'full';
      }
      const restored = await transaction.query(
        'UPDATE shares SET revoked_at = NULL WHERE id = $1 AND revoked_at IS NOT NULL RETURNING id',
        [id],
      );
      if (restored.length > 0) {
        await also?.(transaction);
      }
      return restored.length > 0;
    });
  }

  /**
   * Records up to `limit` links that expired and are not recorded. Several processes may do this at once: each link is
   * recorded by only one.
   * @param also called in the same transaction with each link.
   * @returns how many there were.
   */
  recordExpired(
    limit: number,
    also: (transaction: Queryable, share: ExpiredShare) => Promise<void>,
  ): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const rows = await transaction.query<
        Pick<ShareRow, 'id' | 'workspace_id' | 'photo_id' | 'chosen' | 'project_id'>
      >(
        `UPDATE shares SET expiry_is_recorded = true WHERE id = ANY (ARRAY(
           SELECT id FROM shares WHERE expires_at <= $1 AND NOT expiry_is_recorded AND revoked_at IS NULL
            ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
         )) RETURNING id, workspace_id, project_id,
           (SELECT count(*)::integer FROM share_photos WHERE share_id = shares.id) AS chosen,
           (SELECT min(photo_id) FROM share_photos WHERE share_id = shares.id) AS photo_id`,
        [this.now(), limit],
      );
      for (const row of rows) {
        await also(transaction, {
          id: row.id,
          workspaceId: row.workspace_id,
          target: targetOf(row),
        });
      }
      return rows.length;
    });
  }

  /**
   * Removes up to `limit` links that ended {@link ENDED_SHARE_DAYS} ago.
   * @param also called in the same transaction with each link.
   * @returns how many there were.
   */
  removeEnded(limit: number, also: AlsoWithShare): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const rows = await transaction.query<{ id: string; workspace_id: string }>(
        `DELETE FROM shares WHERE id = ANY (ARRAY(
           SELECT id FROM shares WHERE ends_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED
         )) RETURNING id, workspace_id`,
        [new Date(this.now().getTime() - ENDED_SHARE_DAYS * DAY_MS), limit],
      );
      for (const { id, workspace_id: workspaceId } of rows) {
        await also(transaction, { id, workspaceId });
      }
      return rows.length;
    });
  }

  /** Whether the workspace may have this link in addition to the others that work. One request at a time. */
  private async hasRoom(transaction: Queryable, workspaceId: string, id: string): Promise<boolean> {
    await lockWorkspace(transaction, workspaceId);
    const others = await transaction.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM shares
        WHERE workspace_id = $1 AND ends_at > $2 AND id <> $3`,
      [workspaceId, this.now(), id],
    );
    return (others[0]?.count ?? 0) < MAX_SHARES;
  }

  private async list(
    state: string,
    order: string,
    workspaceId: string,
    { creatorId, project, photo }: ShareFilter,
  ): Promise<Share[]> {
    const rows = await this.database.query<ShareRow>(
      `${LISTED} WHERE shares.workspace_id = $1 AND ${state}
          AND ($3::text IS NULL OR shares.created_by = $3)
          AND ($4::text IS NULL OR shares.project_id = $4)
          AND ($5::text IS NULL OR EXISTS (
                SELECT 1 FROM share_photos JOIN uploads USING (photo_id)
                 WHERE share_id = shares.id AND uploads.id = $5))
        ORDER BY ${order} DESC, shares.id LIMIT ${MAX_SHARES}`,
      [workspaceId, this.now(), creatorId ?? null, project ?? null, photo ?? null],
    );
    return rows.map(toShare);
  }

  private async findOne(
    column: 'id' | 'token_sha256',
    value: string,
    compared: '>' | '<=' = '>',
  ): Promise<OpenShare | undefined> {
    const [row] = await this.database.query<
      ShareRow & { shown_photos: OpenShare['photos'] | null }
    >(`${OPENED} WHERE shares.${column} = $1 AND shares.ends_at ${compared} $2`, [
      value,
      this.now(),
    ]);
    return row && { ...toShare(row), photos: row.shown_photos ?? [] };
  }
}

function toShare(row: ShareRow): Share {
  const target = targetOf(row);
  const suspension = suspensionOf(row);
  return {
    id: row.id,
    target: { ...target, name: row.project_name ?? row.photo_name ?? '', shown: row.shown },
    creatorId: row.created_by,
    creatorName: row.creator_name,
    workspace: {
      id: row.workspace_id,
      name: row.workspace_name,
      role: row.role,
      membersSeeAll: row.members_see_all,
    },
    passwordHash: row.password_hash ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at ?? undefined,
    openedAt: row.opened_at ?? undefined,
    views: row.views,
    downloadCount: row.downloads_count,
    title: row.title ?? undefined,
    message: row.message ?? undefined,
    coverPhotoId: row.cover_photo_id ?? undefined,
    downloads: row.downloads,
    showsLocation: row.shows_location,
    watermark: row.watermark,
    takesFeedback: row.takes_feedback,
    maxFavourites: row.max_favourites ?? undefined,
    maxDownloads: row.max_downloads ?? undefined,
    decisionUntil: row.decision_until ?? undefined,
    logo: toLogo(row),
    suspension,
    isSuspended: suspension !== undefined,
  };
}

function suspensionOf(row: ShareRow): ShareSuspension | undefined {
  if (row.project_id !== null) {
    return row.archived_at === null ? undefined : 'archived';
  }
  if (row.shown > 0) {
    return undefined;
  }
  if (row.chosen === 0) {
    return 'deleted';
  }
  return row.trashed > 0 ? 'trashed' : 'unseen';
}

function targetOf({
  project_id: project,
  photo_id: photo,
  chosen,
}: Pick<ShareRow, 'photo_id' | 'chosen' | 'project_id'>): ShareTarget {
  return project === null
    ? { kind: 'photos', id: photo ?? '', chosen }
    : { kind: 'project', id: project, chosen: 0 };
}
