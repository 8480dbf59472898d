import type { Database, Queryable } from '../database/database.js';
import { idArray } from '../database/id-array.js';
import { prepared } from '../database/prepared.js';
import { sha256 } from '../hash.js';
import { NOOP_METRICS, type MetricsPort } from '../metrics/metrics-port.js';
import { RejectionCache } from './rejection-cache.js';

/** The key of a count: the name of the limit, then its subject. */
type AttemptKey = readonly [limit: string, ...about: string[]];

/** How often one thing may be tried within a window of time. */
export interface RateLimitRule {
  readonly key: AttemptKey;
  readonly max: number;
  /** The window in seconds, from the first attempt; then the count restarts. Default {@link WINDOW_SECONDS}. */
  readonly windowSeconds?: number;
  /**
   * Smaller allowances for times of attack: while an escalation holds, the `max` given with it holds. Of all that hold,
   * the smallest counts.
   */
  readonly whenEscalated?: readonly { readonly escalation: Escalation; readonly max: number }[];
}

/**
 * A count over a wider group, such as all attempts on one user, or all from one wider network. It refuses nothing
 * itself. While it is high, the allowances of single addresses are smaller.
 */
export interface Escalation {
  readonly key: AttemptKey;
  /** It holds while more attempts than this were counted within the window. */
  readonly above: number;
  readonly windowSeconds?: number;
}

/** An attempt that was counted. {@link RateLimiter.refund} takes it off the counts again. */
export interface CountedAttempt {
  readonly counted: readonly { readonly key: string; readonly windowEnds: Date }[];
}

/** An attempt that must not be made, and was not counted anywhere. */
export interface RejectedAttempt {
  readonly waitSeconds: number;
}

/** The window where none is given, in seconds. */
const WINDOW_SECONDS = 15 * 60;

/** The bound of an escalation, which refuses nothing: more than is ever counted. */
const NO_BOUND = 2_147_483_647;

/**
 * Limits how often something may be tried. The counts are in the database, so that all processes share them. An attempt
 * is counted before it is made, and refunded if it succeeds. So concurrent attempts cannot exceed the limit.
 *
 * An attempt is counted by all of its rules and escalations. If one rule refuses it, none counts it. So clients that
 * have reached their own limit cannot use up the limits of others.
 */
export class RateLimiter {
  private readonly refusals = new RejectionCache();

  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
    private readonly counts: Pick<MetricsPort, 'limitRefused'> = NOOP_METRICS,
  ) {}

  /** Counts one attempt, unless a rule refuses it. A refusal has the seconds until the next attempt. */
  async consume(rules: readonly RateLimitRule[]): Promise<CountedAttempt | RejectedAttempt> {
    const taken = await this.tryConsume(rules);
    if ('waitSeconds' in taken) {
      this.counts.limitRefused(rules[0]?.key[0] ?? '');
    }
    return taken;
  }

  private async tryConsume(
    rules: readonly RateLimitRule[],
  ): Promise<CountedAttempt | RejectedAttempt> {
    const now = this.now();
    const keys = rules.map(({ key, windowSeconds }) => hashed(key, windowSeconds));
    const refusedBefore = this.refusals.waitFor(keys, now);
    if (refusedBefore !== undefined) {
      return { waitSeconds: refusedBefore };
    }
    const escalations = rules.flatMap(({ whenEscalated }) =>
      (whenEscalated ?? []).map(({ escalation }) => escalation),
    );
    const counts = await this.countEscalations(escalations, now);
    const counters = new Map<string, Counter>();
    for (const { key, windowSeconds } of escalations) {
      counters.set(hashed(key, windowSeconds), { windowSeconds, max: undefined });
    }
    for (const { key, windowSeconds, max, whenEscalated } of rules) {
      const escalated = (whenEscalated ?? []).filter(
        ({ escalation }) =>
          (counts.get(hashed(escalation.key, escalation.windowSeconds)) ?? 0) > escalation.above,
      );
      counters.set(hashed(key, windowSeconds), {
        windowSeconds,
        max: Math.min(max, ...escalated.map((one) => one.max)),
      });
    }
    try {
      const asked = [...counters].map(([key, counter]) => ({ key, ...counter }));
      // If one of several rows is refused, the transaction undoes what the statement counted in the others.
      const counted = await (asked.length > 1
        ? this.database.transaction((transaction) => count(transaction, asked, now))
        : count(this.database, asked, now));
      return { counted };
    } catch (error) {
      if (!(error instanceof LimitExceeded)) {
        throw error;
      }
      const { key, waitSeconds } = await this.longestWait(error.key, counters, now);
      this.refusals.note(key, now, new Date(now.getTime() + waitSeconds * 1000));
      return { waitSeconds };
    }
  }

  /** Takes an attempt that succeeded, or was not made, off the counts again. */
  async refund({ counted }: CountedAttempt): Promise<void> {
    const ends = Object.fromEntries(counted.map(({ key, windowEnds }) => [key, windowEnds]));
    await this.database.query(REFUND, [JSON.stringify(ends)]);
  }

  /** The counts of these escalations, by hashed key. Those with no attempt in their window are missing. */
  private async countEscalations(
    escalations: readonly Escalation[],
    now: Date,
  ): Promise<Map<string, number>> {
    if (escalations.length === 0) {
      return new Map();
    }
    const latest = Object.fromEntries(
      escalations.map(({ key, windowSeconds }) => [
        hashed(key, windowSeconds),
        latestEnd(now, windowSeconds),
      ]),
    );
    const rows = await this.database.query<{ key: string; count: number }>(PRESSED, [
      JSON.stringify(latest),
      now,
    ]);
    return new Map(rows.map(({ key, count }) => [key, count]));
  }

  /**
   * Several limits may be used up at the same time. Gives the one that refuses for the longest time.
   * @param refused the hashed key of the limit that refused the attempt.
   */
  private async longestWait(
    refused: string,
    counters: ReadonlyMap<string, Counter>,
    now: Date,
  ): Promise<{ readonly key: string; readonly waitSeconds: number }> {
    const rows = await this.database.query<{ key: string; count: number; window_ends: Date }>(
      `SELECT key, count, window_ends FROM attempts
        WHERE key = ANY (${idArray('$1')}) AND window_ends > $2`,
      [JSON.stringify([...counters.keys()]), now],
    );
    const waits = rows
      .filter(({ key, count }) => key === refused || count >= (counters.get(key)?.max ?? Infinity))
      .filter((row) => row.window_ends <= latestEnd(now, counters.get(row.key)?.windowSeconds))
      .map((row) => ({
        key: row.key,
        waitSeconds: Math.ceil((row.window_ends.getTime() - now.getTime()) / 1000),
      }));
    // The limit that refused has no count now: under an escalation with a `max` of 0, not even the first attempt is
    // allowed.
    if (!waits.some(({ key }) => key === refused)) {
      waits.push({ key: refused, waitSeconds: WINDOW_SECONDS });
    }
    return waits.reduce((one, other) => (other.waitSeconds > one.waitSeconds ? other : one));
  }
}

interface Counter {
  readonly windowSeconds: number | undefined;
  /** Undefined for an escalation, which refuses nothing. */
  readonly max: number | undefined;
}

/** Thrown in the transaction when a limit was reached, to roll back what other rules have counted. */
class LimitExceeded extends Error {
  constructor(readonly key: string) {
    super('a limit was reached');
  }
}

/** The keys of the object $1. As with {@link idArray}, each is one look into the index; a join may read all counts. */
const KEYS = 'ARRAY(SELECT jsonb_object_keys($1::jsonb))';

/** Reads the counts of the keys in $1 whose window has not ended at $2. $1 has the {@link latestEnd} of each. */
const PRESSED = prepared(
  `SELECT key, count FROM attempts
    WHERE key = ANY (${KEYS}) AND window_ends > $2 AND window_ends <= ($1::jsonb ->> key)::timestamptz`,
);

/** Whether a window has ended at $2, or began while the clock was ahead, see {@link latestEnd}. */
const IS_OVER = `(attempts.window_ends <= $2
       OR attempts.window_ends > excluded.window_ends + (excluded.window_ends - $2::timestamptz))`;

/**
 * Counts one attempt in each row of $1, at the time $2. A row that has reached its bound in $3 is left out, also of the
 * result; PostgreSQL checks that once it has locked the row. Rows are locked in the order of their keys: otherwise two
 * attempts could wait for each other's rows (a deadlock).
 */
const COUNT = prepared(
  `INSERT INTO attempts (key, count, window_ends)
   SELECT key, 1, window_ends FROM jsonb_to_recordset($1::jsonb) AS asked (key text, window_ends timestamptz)
    ORDER BY key COLLATE "C"
   ON CONFLICT (key) DO UPDATE SET
     count = CASE WHEN ${IS_OVER} THEN 1 ELSE attempts.count + 1 END,
     window_ends = CASE WHEN ${IS_OVER} THEN excluded.window_ends ELSE attempts.window_ends END
   WHERE ${IS_OVER} OR attempts.count < COALESCE(($3::jsonb ->> attempts.key)::integer, ${NO_BOUND})
   RETURNING key, window_ends`,
);

/**
 * Subtracts one attempt from each row whose key is in $1, unless its count has restarted, which the end of its window
 * shows. Rows are locked in the same order as by {@link COUNT}.
 */
const REFUND = prepared(
  `WITH locked AS (
     SELECT key FROM attempts
      WHERE key = ANY (${KEYS}) AND window_ends = ($1::jsonb ->> key)::timestamptz AND count > 0
      ORDER BY key COLLATE "C" FOR UPDATE
   )
   UPDATE attempts SET count = count - 1 FROM locked WHERE attempts.key = locked.key`,
);

/**
 * Counts one attempt by several counters.
 * @throws {LimitExceeded} when one of them refuses it; the caller must roll back what the others have counted then.
 */
async function count(
  database: Queryable,
  asked: readonly (Counter & { readonly key: string })[],
  now: Date,
): Promise<CountedAttempt['counted']> {
  const closed = asked.find(({ max }) => max === 0);
  if (closed !== undefined) {
    throw new LimitExceeded(closed.key);
  }
  const rows = asked.map(({ key, windowSeconds = WINDOW_SECONDS }) => ({
    key,
    window_ends: new Date(now.getTime() + windowSeconds * 1000),
  }));
  const bounds = Object.fromEntries(asked.map(({ key, max }) => [key, max]));
  const counted = await database.query<{ key: string; window_ends: Date }>(COUNT, [
    JSON.stringify(rows),
    now,
    JSON.stringify(bounds),
  ]);
  const refused = asked.find(({ key }) => !counted.some((row) => row.key === key));
  if (refused !== undefined) {
    throw new LimitExceeded(refused.key);
  }
  return counted.map((row) => ({ key: row.key, windowEnds: row.window_ends }));
}

/**
 * The latest end that a window may have. A later one is from a time when the clock was ahead. A second window is left for
 * processes whose clocks differ.
 */
function latestEnd(now: Date, windowSeconds = WINDOW_SECONDS): Date {
  return new Date(now.getTime() + 2 * windowSeconds * 1000);
}

/**
 * The key of a row. As JSON the parts stay apart, so that no chosen name can result in the key of another row. The key
 * is hashed, so that rows have a fixed size and contain no names.
 */
function hashed(key: AttemptKey, windowSeconds = WINDOW_SECONDS): string {
  return sha256(JSON.stringify([windowSeconds, ...key]));
}
