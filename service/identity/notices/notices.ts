import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../kernel/database/database.js';
import type { AuditAction } from '../../kernel/log.js';
import type { Reach } from '../session/reach.js';

/**
 * The events of which the affected user gets a notice: each opens a way into the account or removes a protection, so that
 * somebody else's doing must not stay unnoticed.
 */
const NOTICED = [
  'app_connected',
  'app_number_refused',
  'token_made',
  'passkey_added',
  'passkey_removed',
  'authenticator_added',
  'authenticator_removed',
  'second_factors_removed',
  'recovery_codes_made',
  'recovery_code_used',
  'password_changed',
  'password_reset',
  'identity_linked',
] as const satisfies readonly AuditAction[];

/** What a user is to be shown afterwards. */
export type NoticeKind =
  | (typeof NOTICED)[number]
  /** A password opened the account in a browser in which its user had never entered it. */
  | 'signed_in_from_new_browser'
  /** Another address replaced that of the account; the first address is no notice. */
  | 'email_changed'
  /** For the owners of the workspace. */
  | 'webhook_turned_off';

/** Descriptions as they were when it happened. None is a secret. */
export interface NoticeAbout {
  /** The app as it described itself, such as "Photoshop 27.1", or the name of its client. */
  readonly app?: string | number | undefined;
  /** The name of the computer, the token or the host of the webhook. */
  readonly name?: string | number | undefined;
  readonly browser?: string | undefined;
  readonly os?: string | number | undefined;
}

/** A notice that its user has not dismissed. */
export interface Notice {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly about: NoticeAbout;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Whether the user of an event gets a notice. */
export function isNoticed(action: AuditAction): action is (typeof NOTICED)[number] {
  return NOTICED.some((one) => one === action);
}

/**
 * Adds a notice: its user sees it above each page until they dismiss it, and gets it by mail. Call it in the transaction of
 * the change. Events add theirs by themselves.
 * @param workspaceId the workspace that it is about; undefined for the account as a whole.
 */
export async function addNotice(
  transaction: Queryable,
  accountId: string,
  kind: NoticeKind,
  about: NoticeAbout,
  now: Date,
  workspaceId?: string,
): Promise<void> {
  await transaction.query(
    `INSERT INTO notices (id, account_id, kind, about, created_at, workspace_id)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [randomUUID(), accountId, kind, JSON.stringify(about), now, workspaceId ?? null],
  );
}

/** Adds a notice for each owner of a workspace. Call it in the transaction of the change. */
export async function addNoticeForOwners(
  transaction: Queryable,
  workspaceId: string,
  kind: NoticeKind,
  about: NoticeAbout,
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
export async function noteNewBrowser(
  transaction: Queryable,
  accountId: string,
  about: Pick<NoticeAbout, 'browser' | 'os'>,
  now: Date,
): Promise<void> {
  const kind: NoticeKind = 'signed_in_from_new_browser';
  await transaction.query(
    `INSERT INTO notices (id, account_id, kind, about, created_at)
     SELECT $1, $2, $3, $4, $5 WHERE EXISTS (SELECT 1 FROM audit_events WHERE by = $2)`,
    [randomUUID(), accountId, kind, JSON.stringify(about), now],
  );
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
