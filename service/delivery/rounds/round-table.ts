import type { Database, Queryable } from '../../kernel/database/database.js';
import { idArray } from '../../kernel/database/id-array.js';

/**
 * How long before its end reviewers are reminded, in milliseconds. A round ends with a day at the studio's place, so this is
 * nine o'clock on the day before.
 */
export const REMIND_BEFORE_MS = 39 * 3_600_000;

/** After how long a decision counts for the mail to the studio: until then a guest may correct it. In milliseconds. */
export const SETTLE_DELAY_MS = 60_000;

/** What a link asks its reviewers for. */
export interface Round {
  readonly shareId: string;
  readonly until: Date;
  /** How many minutes the studio is behind UTC, as `Date.getTimezoneOffset` returns it. */
  readonly offset: number;
  readonly askedAt: Date;
  /** When reviewers were reminded, or it was too late for that. */
  readonly remindedAt: Date | undefined;
  /** When the studio was informed of the result. */
  readonly closedAt: Date | undefined;
  /** The ids of the reviewers of whose decision there is an event. */
  readonly decidedGuests: readonly string[];
  readonly revision: number;
}

interface RoundRow {
  share_id: string;
  until: Date;
  offset_minutes: number;
  asked_at: Date;
  reminded_at: Date | null;
  closed_at: Date | null;
  decided_guests: string[];
  revision: number;
}

/** The day at the studio's place on which a round ends, as `YYYY-MM-DD`. */
export function lastDayOf({ until, offset }: Pick<Round, 'until' | 'offset'>): string {
  return new Date(until.getTime() - offset * 60_000).toISOString().slice(0, 10);
}

/**
 * Asks for a decision, or for none. Another date begins a new round, and has its reminder, too. Call it in the transaction of the
 * change.
 * @returns whether a round begins
 */
export async function setRound(
  transaction: Queryable,
  shareId: string,
  wanted: Pick<Round, 'until' | 'offset'> | undefined,
  now: Date,
): Promise<boolean> {
  if (wanted === undefined) {
    await transaction.query('DELETE FROM share_rounds WHERE share_id = $1', [shareId]);
    return false;
  }
  const { until, offset } = wanted;
  const isTooLate = until.getTime() - now.getTime() < REMIND_BEFORE_MS;
  const [begun] = await transaction.query<{ is_new: boolean }>(
    `WITH former AS (SELECT until FROM share_rounds WHERE share_id = $1)
     INSERT INTO share_rounds (share_id, until, offset_minutes, asked_at, reminded_at, due_at)
     VALUES ($1, $2, $3, $4, $5, $4)
     ON CONFLICT (share_id) DO UPDATE
        SET until = $2, offset_minutes = $3,
            asked_at = CASE WHEN share_rounds.until = $2 THEN share_rounds.asked_at ELSE $4 END,
            reminded_at = CASE WHEN share_rounds.until = $2 THEN share_rounds.reminded_at ELSE $5 END,
            closed_at = CASE WHEN $2 > $4 THEN NULL ELSE share_rounds.closed_at END,
            decided_guests = CASE WHEN share_rounds.until = $2 THEN share_rounds.decided_guests ELSE '[]' END,
            due_at = $4, revision = share_rounds.revision + 1
     RETURNING NOT EXISTS (SELECT 1 FROM former WHERE former.until = $2) AS is_new`,
    [shareId, until, offset, now, isTooLate ? now : null],
  );
  return begun?.is_new === true;
}

/** Notes that a decision of a link may have changed. Call it in the transaction of the change. */
export async function recordDecision(
  transaction: Queryable,
  shareId: string,
  now: Date,
): Promise<void> {
  await transaction.query(
    `UPDATE share_rounds SET due_at = LEAST(due_at, $2), revision = revision + 1
      WHERE share_id = $1 AND closed_at IS NULL`,
    [shareId, new Date(now.getTime() + SETTLE_DELAY_MS)],
  );
}

/** What links ask their reviewers for. */
export class RoundTable {
  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
  ) {}

  async of(shareId: string): Promise<Round | undefined> {
    return (await this.ofShares([shareId])).get(shareId);
  }

  /** By the id of the link. Links that ask for nothing are missing. */
  async ofShares(shareIds: readonly string[]): Promise<ReadonlyMap<string, Round>> {
    const rows = await this.database.query<RoundRow>(
      `SELECT * FROM share_rounds WHERE share_id = ANY (${idArray('$1')})`,
      [JSON.stringify(shareIds)],
    );
    return new Map(rows.map((row) => [row.share_id, toRound(row)]));
  }

  /** The round that has been due for longest. */
  async due(): Promise<Round | undefined> {
    const [row] = await this.database.query<RoundRow>(
      'SELECT * FROM share_rounds WHERE due_at <= $1 ORDER BY due_at LIMIT 1',
      [this.now()],
    );
    return row && toRound(row);
  }

  /**
   * Stores what was done about a round, unless it has changed since it was read. Of several processes, one does that.
   * @param also queues the mails and appends the events in the same transaction
   */
  settle(
    round: Round,
    { isReminded, isClosed, dueAt, decidedGuests }: SettledRound,
    also: (transaction: Queryable) => Promise<void>,
  ): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const settled = await transaction.query(
        `UPDATE share_rounds SET due_at = $3, revision = revision + 1,
                reminded_at = COALESCE(reminded_at, $4), closed_at = COALESCE(closed_at, $5),
                decided_guests = COALESCE($6::jsonb, decided_guests)
          WHERE share_id = $1 AND revision = $2 RETURNING share_id`,
        [
          round.shareId,
          round.revision,
          dueAt ?? null,
          isReminded ? this.now() : null,
          isClosed ? this.now() : null,
          decidedGuests === undefined ? null : JSON.stringify(decidedGuests),
        ],
      );
      if (settled.length > 0) {
        await also(transaction);
      }
    });
  }
}

/** What was done about a round. */
export interface SettledRound {
  readonly isReminded: boolean;
  readonly isClosed: boolean;
  /** The ids of the reviewers who have decided; undefined leaves them as they are. */
  readonly decidedGuests?: readonly string[];
  /** When there may be something to do again. */
  readonly dueAt: Date | undefined;
}

function toRound(row: RoundRow): Round {
  return {
    shareId: row.share_id,
    until: row.until,
    offset: row.offset_minutes,
    askedAt: row.asked_at,
    remindedAt: row.reminded_at ?? undefined,
    closedAt: row.closed_at ?? undefined,
    decidedGuests: row.decided_guests,
    revision: row.revision,
  };
}
