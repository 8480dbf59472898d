import type { AlsoInTransaction, Database, Queryable } from '../../kernel/database/database.js';
import { permitAnswer, type Guest, type NotAdded } from '../../library/index.js';

/** After how long without further feedback a digest is due, and how long feedback can delay it, in milliseconds. */
export const SILENCE_MS = 10 * 60_000;
export const MAX_DELAY_MS = 60 * 60_000;

/** How long a guest who has finished has time to add a sentence, in milliseconds. */
export const FINISH_DELAY_MS = 60_000;

/** The longest sentence of a guest who finishes, in characters. */
export const MAX_SENTENCE = 500;

/** A guest who has finished with a link. */
export interface Finish {
  readonly guest: Guest;
  readonly sentence: string | undefined;
  readonly at: Date;
}

/** A link about whose feedback its creator gets a mail now. */
export interface DueDigest {
  readonly shareId: string;
  readonly creatorId: string;
  /** The title of the link, or what it shows. */
  readonly title: string;
  /** The guests who have finished since the last mail. */
  readonly finishes: readonly Finish[];
  /** Whether the creator wants such mails. */
  readonly isWanted: boolean;
}

/** Notes feedback of a link. Call it in the transaction of the change. Repeated feedback delays the mail. */
export async function recordFeedback(
  transaction: Queryable,
  shareId: string,
  now: Date,
): Promise<void> {
  await transaction.query(
    `INSERT INTO share_digests (share_id, since, due_at)
     SELECT id, $2, $3 FROM shares WHERE id = $1
     ON CONFLICT (share_id) DO UPDATE SET due_at = CASE
       WHEN share_digests.is_finished THEN share_digests.due_at
       ELSE LEAST($3, share_digests.since + $4 * interval '1 millisecond') END`,
    [shareId, now, new Date(now.getTime() + SILENCE_MS), MAX_DELAY_MS],
  );
}

/** Which links have feedback that their creators have not been mailed, and who has finished. */
export class DigestTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  /**
   * Notes that a guest has finished; again with another sentence. The mail is due soon.
   * @returns why the guest cannot finish
   */
  finish(
    shareId: string,
    guest: Guest,
    sentence: string | undefined,
    also: AlsoInTransaction,
  ): Promise<NotAdded | undefined> {
    const now = this.now();
    return this.database.transaction(async (transaction) => {
      const permission = await permitAnswer(transaction, shareId, guest.id);
      if (typeof permission === 'string') {
        return permission;
      }
      const [stored] = await transaction.query<{ is_new: boolean }>(
        `INSERT INTO share_finishes (share_id, guest_id, guest_name, sentence, finished_at)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (share_id, guest_id) DO UPDATE
            SET guest_name = excluded.guest_name, is_mailed = false, finished_at = excluded.finished_at,
                sentence = COALESCE(excluded.sentence, share_finishes.sentence)
         RETURNING xmax = 0 AS is_new`,
        [shareId, guest.id, guest.name, sentence ?? null, now],
      );
      await transaction.query(
        `INSERT INTO share_digests (share_id, since, due_at, is_finished) VALUES ($1, $2, $3, true)
         ON CONFLICT (share_id) DO UPDATE SET due_at = excluded.due_at, is_finished = true`,
        [shareId, now, new Date(now.getTime() + FINISH_DELAY_MS)],
      );
      if (stored?.is_new === true) {
        await also(transaction);
      }
      return undefined;
    });
  }

  /** The end of a guest with a link; undefined while the guest has not finished. */
  async finishOf(shareId: string, guestId: string): Promise<Finish | undefined> {
    const [row] = await this.database.query<FinishRow>(
      `SELECT ${FINISH} FROM share_finishes
        WHERE share_id = $1 AND guest_id = $2 AND removed_until IS NULL`,
      [shareId, guestId],
    );
    return row && toFinish(row);
  }

  /** The guests who have finished with a link. */
  async finishesOf(shareId: string): Promise<Finish[]> {
    const rows = await this.database.query<FinishRow>(
      `SELECT ${FINISH} FROM share_finishes
        WHERE share_id = $1 AND removed_until IS NULL ORDER BY finished_at LIMIT 1000`,
      [shareId],
    );
    return rows.map(toFinish);
  }

  /**
   * Takes one digest that is due, and passes it on in the same transaction. Several processes may do this at once: each
   * digest is taken by only one.
   * @returns whether there was one
   */
  takeDue(send: (transaction: Queryable, digest: DueDigest) => Promise<void>): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{
        share_id: string;
        creator: string;
        title: string;
        is_wanted: boolean;
      }>(
        `WITH due AS (
           DELETE FROM share_digests WHERE share_id = (
             SELECT share_id FROM share_digests WHERE due_at <= $1 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
           ) RETURNING share_id
         )
         SELECT due.share_id, shares.created_by AS creator,
                COALESCE(shares.title, projects.name, workspaces.name) AS title,
                NOT EXISTS (SELECT 1 FROM digest_opt_outs AS opt_out
                             WHERE opt_out.account_id = shares.created_by
                               AND opt_out.share_id IN ('', shares.id)) AS is_wanted
           FROM due JOIN shares ON shares.id = due.share_id
           JOIN workspaces ON workspaces.id = shares.workspace_id
           LEFT JOIN projects ON projects.id = shares.project_id`,
        [this.now()],
      );
      if (row === undefined) {
        return false;
      }
      const finishes = await transaction.query<FinishRow>(
        `WITH taken AS (
           UPDATE share_finishes SET is_mailed = true
            WHERE share_id = $1 AND NOT is_mailed AND removed_until IS NULL RETURNING ${FINISH}
         )
         SELECT * FROM taken ORDER BY finished_at LIMIT 100`,
        [row.share_id],
      );
      await send(transaction, {
        shareId: row.share_id,
        creatorId: row.creator,
        title: row.title,
        finishes: finishes.map(toFinish),
        isWanted: row.is_wanted,
      });
      return true;
    });
  }

  /** Whether a user gets mails about the feedback of a link. */
  async wantsMails(accountId: string, shareId: string): Promise<boolean> {
    const found = await this.database.query(
      `SELECT 1 FROM digest_opt_outs WHERE account_id = $1 AND share_id IN ('', $2)`,
      [accountId, shareId],
    );
    return found.length === 0;
  }

  /** Ends the mails to a user about a link; about all links where `shareId` is empty. */
  async optOut(accountId: string, shareId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO digest_opt_outs (account_id, share_id)
       SELECT id, $2 FROM accounts WHERE id = $1 ON CONFLICT DO NOTHING`,
      [accountId, shareId],
    );
  }

  /** Lets a user get the mails about a link again, and with it those about all links that were not ended one by one. */
  async optIn(accountId: string, shareId: string): Promise<void> {
    await this.database.query(
      `DELETE FROM digest_opt_outs WHERE account_id = $1 AND share_id IN ('', $2)`,
      [accountId, shareId],
    );
  }
}

/**
 * Hides that guests have finished, who are removed, until a time after which the rows are deleted. Call it in the transaction
 * of the removal.
 * @param until undefined shows it again
 */
export async function hideFinishes(
  transaction: Queryable,
  shareId: string,
  guests: readonly Guest[],
  until: Date | undefined,
): Promise<void> {
  await transaction.query(
    `UPDATE share_finishes SET removed_until = $3
      WHERE share_id = $1 AND guest_id IN (SELECT jsonb_array_elements_text($2::jsonb))`,
    [shareId, JSON.stringify(guests.map(({ id }) => id)), until ?? null],
  );
}

interface FinishRow {
  guest_id: string;
  guest_name: string;
  sentence: string | null;
  finished_at: Date;
}

const FINISH = 'guest_id, guest_name, sentence, finished_at';

function toFinish(row: FinishRow): Finish {
  return {
    guest: { id: row.guest_id, name: row.guest_name },
    sentence: row.sentence ?? undefined,
    at: row.finished_at,
  };
}
