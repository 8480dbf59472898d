import type { Queryable } from '../../kernel/database/database.js';
import type { Guest } from './feedback.js';

/** The most guests whose feedback is counted one by one. */
const MAX_COUNTED_GUESTS = 100;

/**
 * The photos that the feedback is about which {@link takeUnmailedFeedback} takes, those with the newest first.
 * @param whole the ids of guests all of whose feedback counts
 */
export async function unmailedPhotos(
  transaction: Queryable,
  shareId: string,
  whole: readonly string[],
  most: number,
): Promise<string[]> {
  const rows = await transaction.query<{ photo_id: string }>(
    `SELECT photo_id FROM share_answers
      WHERE share_id = $1 AND withdrawn_at IS NULL
        AND (NOT is_mailed OR guest_id IN (SELECT jsonb_array_elements_text($2::jsonb)))
      GROUP BY photo_id ORDER BY max(created_at) DESC, photo_id LIMIT $3`,
    [shareId, JSON.stringify(whole), most],
  );
  return rows.map(({ photo_id: id }) => id);
}

/** How much feedback a guest of a link gave. */
export interface GuestCounts {
  readonly guest: Guest;
  readonly favourites: number;
  readonly approvals: number;
  readonly changes: number;
  /** Stars and labels. */
  readonly ratings: number;
  readonly comments: number;
}

/**
 * Takes the feedback of a link that no mail is about yet: it is not taken again. Times do not decide that, since clocks differ.
 * @param whole the ids of guests all of whose feedback counts
 * @returns the busiest guests first; at most {@link MAX_COUNTED_GUESTS}
 */
export async function takeUnmailedFeedback(
  transaction: Queryable,
  shareId: string,
  whole: readonly string[],
): Promise<GuestCounts[]> {
  const rows = await transaction.query<{
    id: string;
    name: string;
    favourites: number;
    approvals: number;
    changes: number;
    ratings: number;
    comments: number;
  }>(
    // The SELECT sees the rows as they were before the UPDATE.
    `WITH taken AS (
       UPDATE share_answers SET is_mailed = true WHERE share_id = $1 AND NOT is_mailed
     )
     SELECT guest_id AS id, max(guest_name) AS name,
            (count(*) FILTER (WHERE kind = 'favourite'))::integer AS favourites,
            (count(*) FILTER (WHERE kind = 'approval'))::integer AS approvals,
            (count(*) FILTER (WHERE kind = 'changes'))::integer AS changes,
            (count(*) FILTER (WHERE kind IN ('stars', 'label')))::integer AS ratings,
            (count(*) FILTER (WHERE kind = 'comment'))::integer AS comments
       FROM share_answers
      WHERE share_id = $1 AND withdrawn_at IS NULL
        AND (NOT is_mailed OR guest_id IN (SELECT jsonb_array_elements_text($2::jsonb)))
      GROUP BY guest_id ORDER BY count(*) DESC, guest_id LIMIT ${MAX_COUNTED_GUESTS}`,
    [shareId, JSON.stringify(whole)],
  );
  return rows.map(({ id, name, ...counts }) => ({ guest: { id, name }, ...counts }));
}

/** A reply to a comment, of which a mail is queued. */
export interface MailedReply {
  /** The id of the comment. */
  readonly comment: string;
  readonly at: Date;
}

/** A condition for the comments of a guest with a reply of which no mail was queued. */
const UNMAILED_REPLY = 'share_id = $1 AND guest_id = $2 AND NOT is_reply_mailed';

/** Whether there are replies to a guest of which no mail was queued. */
export async function hasUnmailedReplies(
  transaction: Queryable,
  shareId: string,
  guestId: string,
): Promise<boolean> {
  const found = await transaction.query(
    `SELECT 1 FROM share_answers WHERE ${UNMAILED_REPLY} LIMIT 1`,
    [shareId, guestId],
  );
  return found.length > 0;
}

/** Marks the replies to a guest as mailed. Call it in the transaction that queues the mail. */
export async function takeUnmailedReplies(
  transaction: Queryable,
  shareId: string,
  guestId: string,
): Promise<MailedReply[]> {
  // A comment that is being replied to has its own mail: waiting for it could be a deadlock.
  const rows = await transaction.query<{ id: string; replied_at: Date }>(
    `UPDATE share_answers SET is_reply_mailed = true
      WHERE id IN (SELECT id FROM share_answers WHERE ${UNMAILED_REPLY} FOR UPDATE SKIP LOCKED)
      RETURNING id, replied_at`,
    [shareId, guestId],
  );
  return rows.map(({ id, replied_at: at }) => ({ comment: id, at }));
}

/** Leaves the replies out of mails that a guest has had before the guest asked for mails. */
export async function skipReplies(
  transaction: Queryable,
  shareId: string,
  guestId: string,
): Promise<void> {
  await transaction.query(
    `UPDATE share_answers SET is_reply_mailed = true WHERE ${UNMAILED_REPLY}`,
    [...[shareId, guestId]],
  );
}
