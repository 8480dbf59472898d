import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../platform/database/database.js';

/** What a user is to be shown afterwards, so that somebody else's doing does not stay unnoticed. */
export type NoticeKind =
  | 'app_connected'
  | 'number_refused'
  | 'signed_in_from_new_browser'
  | 'passkey_added'
  | 'authenticator_removed'
  | 'recovery_code_used'
  | 'email_changed'
  | 'password_changed'
  | 'identity_linked';

/** Descriptions as they were when it happened. None is a secret. */
export interface NoticeAbout {
  /** The name of the app's client. */
  readonly client?: string | undefined;
  readonly deviceName?: string | undefined;
  /** The app as it described itself, such as "Photoshop 27.1", and its operating system. */
  readonly app?: string | undefined;
  readonly os?: string | undefined;
  readonly grantId?: string | undefined;
}

/** A notice that its user has not dismissed. */
export interface Notice {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly about: NoticeAbout;
  /** ISO 8601. */
  readonly createdAt: string;
}

/**
 * Adds a notice: its user sees it above each page until they dismiss it, and gets it by mail. Call it in the transaction of
 * the change.
 */
export async function addNotice(
  transaction: Queryable,
  accountId: string,
  kind: NoticeKind,
  about: NoticeAbout,
  now: Date,
): Promise<void> {
  await transaction.query(
    `INSERT INTO notices (id, account_id, kind, about, created_at) VALUES ($1, $2, $3, $4, $5)`,
    [randomUUID(), accountId, kind, JSON.stringify(about), now],
  );
}

/** Marks notices of a user as shown. Ignores those of other users. */
export async function dismissNotices(
  database: Queryable,
  accountId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await database.query(
    `UPDATE notices SET shown_at = $3
      WHERE account_id = $1 AND shown_at IS NULL AND id IN (SELECT jsonb_array_elements_text($2::jsonb))`,
    [accountId, JSON.stringify(ids), now],
  );
}
