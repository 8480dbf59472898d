import { randomBytes } from 'node:crypto';
import type { Database, Queryable } from '../../kernel/database/database.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';
import type { Guest } from './feedback.js';
import { lockShare, MAX_KNOWN_GUESTS, NOT_REMOVED } from './guest-table.js';

/** The most reviewers of a link. */
export const MAX_REVIEWERS = 20;

/** A guest whom a link asks for a decision. */
export interface Reviewer extends Guest {
  readonly email: string | undefined;
  /** Whether reminders go to the address: the reader has not ended them. */
  readonly isReminded: boolean;
  /** Of the mails to the address. */
  readonly locale: Language;
}

/** A reviewer as the studio names them. */
export interface NewReviewer {
  readonly name: string;
  /** An address as `readMailAddress` returns it. */
  readonly email: string | undefined;
  /** Of the mails to the address; undefined for that of an address that is stored, or the default of the change. */
  readonly locale?: Language | undefined;
}

/** Which guests of a link are asked for a decision, and their mail addresses. */
export class GuestAddresses {
  constructor(private readonly database: Database) {}

  /** The reviewers of a link, in the order in which the studio named them. */
  async reviewers(shareId: string): Promise<Reviewer[]> {
    const rows = await this.database.query<{
      id: string;
      name: string;
      email: string | null;
      is_reminded: boolean | null;
      locale: Language | null;
    }>(
      `SELECT guest_id AS id, guest_name AS name, email, wants_reminders AND NOT is_ended AS is_reminded, locale
         FROM known_guests LEFT JOIN guest_addresses USING (share_id, guest_id)
        WHERE share_id = $1 AND is_reviewer AND ${NOT_REMOVED}
        ORDER BY known_guests.created_at, guest_name`,
      [shareId],
    );
    return rows.map(({ id, name, email, is_reminded: isReminded, locale }) => ({
      ...{ id, name, email: email ?? undefined },
      ...{ isReminded: isReminded === true, locale: locale ?? 'en' },
    }));
  }

  /** The mail address of a guest. */
  async emailOf(shareId: string, guestId: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ email: string }>(
      'SELECT email FROM guest_addresses WHERE share_id = $1 AND guest_id = $2',
      [shareId, guestId],
    );
    return row?.email;
  }

  /** Ends the mails to a guest, until another address is entered. */
  async end(shareId: string, guestId: string): Promise<void> {
    await this.database.query(
      'UPDATE guest_addresses SET is_ended = true WHERE share_id = $1 AND guest_id = $2',
      [shareId, guestId],
    );
  }
}

/**
 * Makes exactly these guests the reviewers of a link. A guest whom the studio knows by this name becomes one; another one is
 * invited. Call it in the transaction of the change.
 * @param locale of the mails to new addresses of reviewers without a language
 */
export async function setReviewers(
  transaction: Queryable,
  shareId: string,
  wanted: readonly NewReviewer[],
  { locale, now }: { readonly locale: Language; readonly now: Date },
): Promise<void> {
  await lockShare(transaction, shareId);
  await transaction.query('UPDATE known_guests SET is_reviewer = false WHERE share_id = $1', [
    shareId,
  ]);
  await transaction.query(
    'UPDATE guest_addresses SET wants_reminders = false WHERE share_id = $1',
    [shareId],
  );
  for (const [index, { name, email, locale: own }] of wanted.entries()) {
    const [known] = await transaction.query<{ id: string }>(
      `WITH named AS (
         UPDATE known_guests SET is_reviewer = true, is_invited = true
          WHERE guest_id = (SELECT guest_id FROM known_guests
                             WHERE share_id = $1 AND guest_name = $2 AND ${NOT_REMOVED}
                             ORDER BY created_at LIMIT 1)
            AND share_id = $1 RETURNING guest_id),
       invited AS (
         INSERT INTO known_guests (share_id, guest_id, guest_name, is_invited, is_reviewer, created_at)
         SELECT $1, $3, $2, true, true, $4
          WHERE NOT EXISTS (SELECT 1 FROM named)
            AND (SELECT count(*) FROM known_guests WHERE share_id = $1) < ${MAX_KNOWN_GUESTS} RETURNING guest_id)
       SELECT guest_id AS id FROM named UNION ALL SELECT guest_id FROM invited`,
      // Each a millisecond later: they keep their order.
      [shareId, name, randomBytes(16).toString('base64url'), new Date(now.getTime() + index)],
    );
    if (known !== undefined && email !== undefined) {
      await transaction.query(
        `INSERT INTO guest_addresses (share_id, guest_id, email, locale, wants_reminders)
         VALUES ($1, $2, $3, COALESCE($5, $4), true)
         ON CONFLICT (share_id, guest_id) DO UPDATE
            SET wants_reminders = true, email = excluded.email, locale = COALESCE($5, guest_addresses.locale),
                is_ended = guest_addresses.is_ended AND guest_addresses.email = excluded.email`,
        [shareId, known.id, email, locale, own ?? null],
      );
    }
  }
  await transaction.query(
    'DELETE FROM guest_addresses WHERE share_id = $1 AND NOT wants_reminders AND NOT is_ended',
    [shareId],
  );
}
