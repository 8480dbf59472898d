import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../kernel/database/database.js';
import type { EventAbout, NoticeDeclaration } from '../../kernel/events/event.js';
import { hasActed, type AppendedEvent } from '../../kernel/events/event-log.js';
import { NEW_BROWSER_NOTICE } from '../accounts/events.js';
import type { Reach } from '../session/reach.js';

/** A notice that its user has not dismissed. */
export interface Notice {
  readonly id: string;
  readonly kind: string;
  readonly about: EventAbout;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Adds the notices that an event declares. */
export async function addNoticesOfEvent(
  transaction: Queryable,
  { declaration: { notice }, accountId, workspaceId, happenedAt, ...event }: AppendedEvent,
): Promise<void> {
  const about = { ...event.about, network: undefined, userAgent: undefined };
  if (notice?.to === 'owners' && workspaceId !== undefined) {
    await addNoticeForOwners(transaction, workspaceId, notice, about, happenedAt);
  } else if (notice?.to === 'user' && accountId !== undefined) {
    await addNotice(transaction, accountId, notice, about, happenedAt, workspaceId);
  }
}

/**
 * Adds a notice: its user sees it above each page until they dismiss it, and gets it by mail. Call it in the transaction of
 * the change. Events add theirs by themselves.
 * @param workspaceId the workspace that it is about; undefined for the account as a whole.
 */
export async function addNotice(
  transaction: Queryable,
  accountId: string,
  { kind }: NoticeDeclaration,
  about: EventAbout,
  now: Date,
  workspaceId?: string,
): Promise<void> {
  await transaction.query(
    `INSERT INTO notices (id, account_id, kind, about, created_at, workspace_id)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [randomUUID(), accountId, kind, JSON.stringify(about), now, workspaceId ?? null],
  );
}

/** Adds a notice for each owner of a workspace. */
async function addNoticeForOwners(
  transaction: Queryable,
  workspaceId: string,
  { kind }: NoticeDeclaration,
  about: EventAbout,
  now: Date,
): Promise<void> {
  await transaction.query(
    `INSERT INTO notices (id, account_id, kind, about, created_at, workspace_id)
     SELECT gen_random_uuid(), account_id, $2, $3, $4, $1
       FROM workspace_members WHERE workspace_id = $1 AND role = 'owner'`,
    [workspaceId, kind, JSON.stringify(about), now],
  );
}

/** Adds the notice of a sign-in in a new browser, unless it is the first thing that the user does. */
export async function recordNewBrowser(
  transaction: Queryable,
  accountId: string,
  about: EventAbout,
  now: Date,
): Promise<void> {
  if (await hasActed(transaction, accountId)) {
    await addNotice(transaction, accountId, NEW_BROWSER_NOTICE, about, now);
  }
}

/** Marks notices of a user as shown. Ignores those that the session does not reach. */
export async function dismissNotices(
  database: Queryable,
  { accountId, company }: Reach,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await database.query(
    `UPDATE notices SET shown_at = $3
      WHERE account_id = $1 AND shown_at IS NULL AND id IN (SELECT jsonb_array_elements_text($2::jsonb))
        AND ($4::text IS NULL OR workspace_id = $4)`,
    [accountId, JSON.stringify(ids), now, company ?? null],
  );
}
