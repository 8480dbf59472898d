import type { Database, Queryable } from '../../kernel/database/database.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';
import {
  hasUnmailedReplies,
  permitAnswer,
  skipReplies,
  takeUnmailedReplies,
  type Guest,
  type MailedReply,
} from '../../library/index.js';
import { MAX_DELAY_MS, SILENCE_MS } from '../digests/index.js';

/** How long an address can be confirmed, in hours. */
export const CONFIRM_HOURS = 48;

/** Where the replies to a guest of a link go. */
export interface Subscription {
  readonly shareId: string;
  readonly guestId: string;
  readonly email: string;
  /** A keyed hash of the link and the address. */
  readonly key: string;
  readonly locale: Language;
  readonly requestedAt: Date;
  /** Undefined until the reader of the address confirmed it. No reply goes to it before. */
  readonly confirmedAt: Date | undefined;
}

/** Replies of which a guest gets a mail now. */
export interface DueReplies {
  readonly subscription: Subscription;
  readonly replies: readonly MailedReply[];
}

interface Row {
  share_id: string;
  guest_id: string;
  email: string;
  address_key: string;
  locale: Language;
  requested_at: Date;
  confirmed_at: Date | null;
}

/** Notes a reply to a guest. Call it in the transaction of the reply. Repeated replies delay the mail. */
export async function recordReply(
  transaction: Queryable,
  { shareId, guestId }: Pick<Subscription, 'shareId' | 'guestId'>,
  now: Date,
): Promise<void> {
  await transaction.query(
    `UPDATE reply_subscriptions SET since = COALESCE(since, $3),
            due_at = LEAST($4, COALESCE(since, $3) + $5 * interval '1 millisecond')
      WHERE share_id = $1 AND guest_id = $2 AND confirmed_at IS NOT NULL`,
    [shareId, guestId, now, new Date(now.getTime() + SILENCE_MS), MAX_DELAY_MS],
  );
}

/**
 * Ends the mails to guests who are removed, until a time after which their addresses are deleted. Call it in the transaction of
 * the removal.
 * @param until undefined starts them again
 */
export async function suspendReplies(
  transaction: Queryable,
  shareId: string,
  guests: readonly Guest[],
  until: Date | undefined,
): Promise<void> {
  await transaction.query(
    `UPDATE reply_subscriptions SET removed_until = $3
      WHERE share_id = $1 AND guest_id IN (SELECT jsonb_array_elements_text($2::jsonb))`,
    [shareId, JSON.stringify(guests.map(({ id }) => id)), until ?? null],
  );
}

/** Which guests of links get the replies of the studio by mail. */
export class SubscriptionTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /** Undefined also while the guest is removed. */
  async of(shareId: string, guestId: string): Promise<Subscription | undefined> {
    const [row] = await this.database.query<Row>(
      `SELECT * FROM reply_subscriptions
        WHERE share_id = $1 AND guest_id = $2 AND removed_until IS NULL
          AND (confirmed_at IS NOT NULL OR requested_at > $3)`,
      [shareId, guestId, this.oldest()],
    );
    return row && toSubscription(row);
  }

  /** The ids of the guests of a link who get replies by mail. */
  async guestsOf(shareId: string): Promise<ReadonlySet<string>> {
    const rows = await this.database.query<{ guest_id: string }>(
      `SELECT guest_id FROM reply_subscriptions
        WHERE share_id = $1 AND confirmed_at IS NOT NULL AND removed_until IS NULL`,
      [shareId],
    );
    return new Set(rows.map(({ guest_id: id }) => id));
  }

  /** Whether the reader of an address ended the mails about a link. */
  async isStopped(shareId: string, key: string): Promise<boolean> {
    const found = await this.database.query(
      'SELECT 1 FROM reply_stops WHERE share_id = $1 AND address_key = $2',
      [shareId, key],
    );
    return found.length > 0;
  }

  /**
   * Stores an address that has to be confirmed. It replaces the guest's earlier one.
   * @param queue queues the mail to it in the same transaction
   * @returns why the guest cannot do that
   */
  request(
    { shareId, guestId, email, key, locale }: Omit<Subscription, 'requestedAt' | 'confirmedAt'>,
    queue: (transaction: Queryable) => Promise<void>,
  ): Promise<'gone' | 'closed' | 'removed' | undefined> {
    return this.database.transaction(async (transaction) => {
      const permission = await permitAnswer(transaction, shareId, guestId);
      if (typeof permission === 'string') {
        return permission;
      }
      const [stored] = await transaction.query<{ is_new: boolean }>(
        `INSERT INTO reply_subscriptions (share_id, guest_id, email, address_key, locale, requested_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (share_id, guest_id) DO UPDATE
            SET email = $3, address_key = $4, locale = $5, requested_at = $6,
                confirmed_at = NULL, since = NULL, due_at = NULL
         RETURNING xmax = 0 AS is_new`,
        [shareId, guestId, email, key, locale, this.now()],
      );
      if (stored?.is_new === true) {
        await skipReplies(transaction, shareId, guestId);
      }
      await queue(transaction);
      return undefined;
    });
  }

  /** Confirms an address. Replies since it was entered are due then. */
  async confirm({ shareId, guestId, key }: Subscription): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const now = this.now();
      const confirmed = await transaction.query(
        `UPDATE reply_subscriptions SET confirmed_at = $4
          WHERE share_id = $1 AND guest_id = $2 AND address_key = $3 AND confirmed_at IS NULL
          RETURNING guest_id`,
        [shareId, guestId, key, now],
      );
      if (confirmed.length > 0 && (await hasUnmailedReplies(transaction, shareId, guestId))) {
        await recordReply(transaction, { shareId, guestId }, now);
      }
    });
  }

  /** Deletes the address of a guest. */
  async forget(shareId: string, guestId: string): Promise<void> {
    await this.database.query(
      'DELETE FROM reply_subscriptions WHERE share_id = $1 AND guest_id = $2',
      [shareId, guestId],
    );
  }

  /** Ends the mails about a link to an address, also when it is entered again. */
  async stop(shareId: string, key: string): Promise<void> {
    await this.database.query(
      `WITH ended AS (DELETE FROM reply_subscriptions WHERE share_id = $1 AND address_key = $2)
       INSERT INTO reply_stops (share_id, address_key) SELECT id, $2 FROM shares WHERE id = $1
       ON CONFLICT DO NOTHING`,
      [shareId, key],
    );
  }

  /** Lets an address be entered again. */
  async allow(shareId: string, key: string): Promise<void> {
    await this.database.query('DELETE FROM reply_stops WHERE share_id = $1 AND address_key = $2', [
      shareId,
      key,
    ]);
  }

  /**
   * Takes the replies to one guest that are due, and passes them on in the same transaction. Several processes may do this at
   * once: each reply is taken by only one.
   * @returns whether there were any
   */
  takeDue(send: (transaction: Queryable, due: DueReplies) => Promise<void>): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<Row & { removed_until: Date | null }>(
        `UPDATE reply_subscriptions SET since = NULL, due_at = NULL
          WHERE (share_id, guest_id) = (
            SELECT share_id, guest_id FROM reply_subscriptions
             WHERE due_at <= $1 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
          RETURNING *`,
        [this.now()],
      );
      if (row === undefined) {
        return false;
      }
      const replies = await takeUnmailedReplies(transaction, row.share_id, row.guest_id);
      if (replies.length > 0 && row.confirmed_at !== null && row.removed_until === null) {
        await send(transaction, { subscription: toSubscription(row), replies });
      }
      return true;
    });
  }

  /** The oldest time at which an address was entered that can be confirmed still. */
  private oldest(): Date {
    return new Date(this.now().getTime() - CONFIRM_HOURS * 3_600_000);
  }
}

function toSubscription(row: Row): Subscription {
  return {
    shareId: row.share_id,
    guestId: row.guest_id,
    email: row.email,
    key: row.address_key,
    locale: row.locale,
    requestedAt: row.requested_at,
    confirmedAt: row.confirmed_at ?? undefined,
  };
}
