import { randomBytes, randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../kernel/database/database.js';
import { REMOVED_GUEST_DAYS, type Guest } from './feedback.js';
import { ANSWER_COLUMNS } from './answer-columns.js';

/** The most guests whom one query returns. */
const MAX_LISTED_GUESTS = 1000;

/** A guest of a link who answered, or whom the studio invited. */
export interface ListedGuest extends Guest {
  /** Whether the studio invited or confirmed the guest. */
  readonly isKnown: boolean;
  readonly isInvited: boolean;
}

/** The guests of one removal. */
export interface Removal {
  readonly id: string;
  readonly guests: readonly Guest[];
}

/** Stores the events of a change of guests, in its transaction. */
export type AlsoWithGuests = (transaction: Queryable, guests: readonly Guest[]) => Promise<void>;

/** What a link allows a guest. */
export interface GuestPermission {
  /** How many favourites the guest can have; undefined without a limit. */
  readonly maxFavourites: number | undefined;
}

/**
 * Locks a link for an answer: of several answers at once, none is counted without the others.
 * @returns why the guest cannot answer, or what the link allows
 */
export async function permitAnswer(
  transaction: Queryable,
  shareId: string,
  guestId: string,
): Promise<'gone' | 'closed' | 'removed' | GuestPermission> {
  const [share] = await transaction.query<{
    takes_feedback: boolean;
    max_favourites: number | null;
  }>('SELECT takes_feedback, max_favourites FROM shares WHERE id = $1 FOR NO KEY UPDATE', [
    shareId,
  ]);
  if (share === undefined) {
    return 'gone';
  }
  if (!share.takes_feedback) {
    return 'closed';
  }
  const removed = await transaction.query(
    'SELECT 1 FROM removed_guests WHERE share_id = $1 AND guest_id = $2',
    [shareId, guestId],
  );
  return removed.length > 0 ? 'removed' : { maxFavourites: share.max_favourites ?? undefined };
}

/** The guests of links, as the studio decided about them. */
export class GuestTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * The guests of a link: the known ones first, then in the order of their first answers.
   * @param from how many to leave out
   */
  of(
    shareId: string,
    { from, limit }: { readonly from: number; readonly limit: number },
  ): Promise<ListedGuest[]> {
    return this.list(shareId, 'true', [from, limit]);
  }

  /** The guests who answered and whom the studio does not know; at most {@link MAX_LISTED_GUESTS}. */
  unknown(shareId: string): Promise<ListedGuest[]> {
    return this.list(shareId, 'NOT is_known', [0, MAX_LISTED_GUESTS]);
  }

  /** The guests whom the studio knows. */
  known(shareId: string): Promise<ListedGuest[]> {
    return this.list(shareId, 'is_known', [0, MAX_LISTED_GUESTS]);
  }

  /** A guest who answered, or whom the studio knows. */
  async find(shareId: string, guestId: string): Promise<ListedGuest | undefined> {
    const [found] = await this.list(shareId, 'id = $4', [0, 1, guestId]);
    return found;
  }

  private async list(
    shareId: string,
    condition: string,
    params: readonly (number | string)[],
  ): Promise<ListedGuest[]> {
    const rows = await this.database.query<{
      id: string;
      name: string;
      is_known: boolean;
      is_invited: boolean;
    }>(
      `SELECT id, name, is_known, is_invited FROM (
         SELECT guest_id AS id, COALESCE(max(known_name), max(guest_name)) AS name, min(created_at) AS first_at,
                bool_or(known_name IS NOT NULL) AS is_known, bool_or(is_invited) AS is_invited
           FROM (SELECT guest_id, guest_name, NULL AS known_name, false AS is_invited, created_at
                   FROM share_answers WHERE share_id = $1
                 UNION ALL
                 SELECT guest_id, guest_name, guest_name, is_invited, created_at
                   FROM known_guests WHERE share_id = $1 AND ${NOT_REMOVED}) AS one
          GROUP BY guest_id) AS guest
        WHERE ${condition} ORDER BY is_known DESC, first_at, id OFFSET $2 LIMIT $3`,
      [shareId, ...params],
    );
    return rows.map(({ id, name, is_known: isKnown, is_invited: isInvited }) => ({
      ...{ id, name, isKnown, isInvited },
    }));
  }

  /** A guest whom the studio invited. */
  async invited(shareId: string, guestId: string): Promise<Guest | undefined> {
    const [row] = await this.database.query<{ name: string }>(
      `SELECT guest_name AS name FROM known_guests
        WHERE share_id = $1 AND guest_id = $2 AND is_invited AND ${NOT_REMOVED}`,
      [shareId, guestId],
    );
    return row && { id: guestId, name: row.name };
  }

  /** Invites a guest: they get an address of their own. @returns undefined when the link has too many. */
  async invite(shareId: string, name: string): Promise<Guest | undefined> {
    const guest = { id: randomBytes(16).toString('base64url'), name };
    return this.database.transaction(async (transaction) => {
      await lockShare(transaction, shareId);
      const made = await transaction.query(
        `INSERT INTO known_guests (share_id, guest_id, guest_name, is_invited, created_at)
         SELECT id, $2, $3, true, $4 FROM shares
          WHERE id = $1 AND (SELECT count(*) FROM known_guests WHERE share_id = $1) < ${MAX_KNOWN_GUESTS}
         RETURNING guest_id`,
        [shareId, guest.id, name, this.now()],
      );
      return made.length > 0 ? guest : undefined;
    });
  }

  /** Notes that the studio knows a guest who answered. */
  async confirm(shareId: string, guestId: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockShare(transaction, shareId);
      await transaction.query(
        `INSERT INTO known_guests (share_id, guest_id, guest_name, is_invited, created_at)
         SELECT share_id, guest_id, guest_name, false, $3 FROM share_answers
          WHERE share_id = $1 AND guest_id = $2
            AND (SELECT count(*) FROM known_guests WHERE share_id = $1) < ${MAX_KNOWN_GUESTS}
          LIMIT 1
         ON CONFLICT DO NOTHING`,
        [shareId, guestId, this.now()],
      );
    });
  }

  /**
   * Removes guests of a link with all answers. They cannot answer any more.
   * @param also gets those who were removed; it is not called without any
   * @returns the id by which {@link GuestTable.restore} undoes it
   */
  async remove(shareId: string, guests: readonly Guest[], also: AlsoWithGuests): Promise<string> {
    const removalId = randomUUID();
    const end = removalEnd(this.now());
    await this.database.transaction(async (transaction) => {
      await lockShare(transaction, shareId);
      const removed = await transaction.query<{ id: string; name: string }>(
        `INSERT INTO removed_guests (share_id, guest_id, guest_name, removal_id, expires_at)
         SELECT $1, guest ->> 'id', guest ->> 'name', $3, $4 FROM jsonb_array_elements($2::jsonb) AS guest
         ON CONFLICT DO NOTHING RETURNING guest_id AS id, guest_name AS name`,
        [shareId, JSON.stringify(guests.map(({ id, name }) => ({ id, name }))), removalId, end],
      );
      const ids = JSON.stringify(removed.map(({ id }) => id));
      await transaction.query(
        `WITH gone AS (DELETE FROM share_answers WHERE share_id = $1
                          AND guest_id IN (SELECT jsonb_array_elements_text($2::jsonb)) RETURNING ${ANSWER_COLUMNS})
         INSERT INTO removed_answers (${ANSWER_COLUMNS}, expires_at) SELECT ${ANSWER_COLUMNS}, $3::timestamptz FROM gone`,
        [shareId, ids, end],
      );
      if (removed.length > 0) {
        await also(transaction, removed);
      }
    });
    return removalId;
  }

  /**
   * Undoes {@link GuestTable.remove}.
   * @param also gets those who were restored; it is not called without any
   */
  async restore(shareId: string, removalId: string, also: AlsoWithGuests): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await lockShare(transaction, shareId);
      const restored = await transaction.query<{ id: string; name: string }>(
        `DELETE FROM removed_guests WHERE share_id = $1 AND removal_id = $2
          RETURNING guest_id AS id, guest_name AS name`,
        [shareId, removalId],
      );
      await transaction.query(
        `WITH gone AS (DELETE FROM removed_answers WHERE share_id = $1
                          AND guest_id IN (SELECT jsonb_array_elements_text($2::jsonb)) RETURNING ${ANSWER_COLUMNS})
         INSERT INTO share_answers (${ANSWER_COLUMNS}) SELECT ${ANSWER_COLUMNS} FROM gone`,
        [shareId, JSON.stringify(restored.map(({ id }) => id))],
      );
      if (restored.length > 0) {
        await also(transaction, restored);
      }
    });
  }

  /** The removals that can be undone, the last one first. */
  async removals(shareId: string): Promise<Removal[]> {
    const rows = await this.database.query<{ removal_id: string; id: string; name: string }>(
      `SELECT removal_id, guest_id AS id, guest_name AS name FROM removed_guests
        WHERE share_id = $1 AND expires_at > $2
        ORDER BY expires_at DESC, removal_id, guest_name, guest_id LIMIT ${MAX_LISTED_GUESTS}`,
      [shareId, this.now()],
    );
    const found = new Map<string, Guest[]>();
    for (const { removal_id: id, ...guest } of rows) {
      found.set(id, [...(found.get(id) ?? []), guest]);
    }
    return [...found].map(([id, guests]) => ({ id, guests }));
  }
}

/** Until when a removal can be undone. */
export function removalEnd(now: Date): Date {
  return new Date(now.getTime() + REMOVED_GUEST_DAYS * 24 * 3_600_000);
}

/** Known guests who are not removed. */
export const NOT_REMOVED = `NOT EXISTS (SELECT 1 FROM removed_guests AS removed
  WHERE removed.share_id = known_guests.share_id AND removed.guest_id = known_guests.guest_id)`;

/** The most guests of a link whom a studio can know. */
export const MAX_KNOWN_GUESTS = 200;

/** Locks a link: of several changes of its guests at once, one follows the other. */
export async function lockShare(transaction: Queryable, shareId: string): Promise<void> {
  await transaction.query('SELECT id FROM shares WHERE id = $1 FOR NO KEY UPDATE', [shareId]);
}
