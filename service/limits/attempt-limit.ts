import type { Database, Queryable } from '../database/database.js';
import { prepared } from '../database/prepared.js';
import { sha256 } from '../hash.js';
import { NO_COUNTS, type Counts } from '../metrics/counts.js';
import { RecentRefusals } from './recent-refusals.js';

/** What is counted: words that say which limit it is, and whom or what it is about. */
type AttemptKey = readonly [limit: string, ...about: string[]];

/** How often one thing may be tried within a time. */
export interface AttemptRule {
  readonly key: AttemptKey;
  readonly max: number;
  /** Counting starts anew this long after the first attempt, in seconds. Default {@link WINDOW_SECONDS}. */
  readonly windowSeconds?: number;
  /**
   * While one of these pressures is above its value, its `max` takes the place of the one above. The smallest holds.
   */
  readonly under?: readonly { readonly pressure: Pressure; readonly max: number }[];
}

/**
 * How much is being tried in a wider circle: on one person from everywhere, from one wide network. It
 * refuses nothing itself: when it is high, the allowances of single addresses get smaller.
 */
export interface Pressure {
  readonly key: AttemptKey;
  /** With more attempts than this within the window the smaller allowances hold. */
  readonly above: number;
  readonly windowSeconds?: number;
}

/** An attempt that was counted; it can be given back. */
export interface CountedAttempt {
  readonly counted: readonly { readonly key: string; readonly windowEnds: Date }[];
}

/** An attempt that must not be made, and was not counted anywhere. */
export interface RefusedAttempt {
  readonly waitSeconds: number;
}

const WINDOW_SECONDS = 15 * 60;

/** More than is ever counted: a pressure refuses nothing. */
const NO_BOUND = 2_147_483_647;

/**
 * Limits how often something may be tried. Counts lie in the database, so that they hold between
 * processes. An attempt is counted before it is made and given back when it was a good one: many
 * attempts at the same time cannot all slip through.
 *
 * An attempt is counted by all of its rules and pressures or, when one rule refuses it, by none: who is
 * refused at their own limit cannot use up anybody else's by going on.
 */
export class AttemptLimit {
  private readonly refusals = new RecentRefusals();

  constructor(
    private readonly database: Database,
    private readonly now: () => Date,
    private readonly counts: Pick<Counts, 'limitRefused'> = NO_COUNTS,
  ) {}

  /** Counts one attempt, unless a rule refuses it. */
  async take(rules: readonly AttemptRule[]): Promise<CountedAttempt | RefusedAttempt> {
    const taken = await this.takeUncounted(rules);
    if ('waitSeconds' in taken) {
      this.counts.limitRefused(rules[0]?.key[0] ?? '');
    }
    return taken;
  }

  private async takeUncounted(
    rules: readonly AttemptRule[],
  ): Promise<CountedAttempt | RefusedAttempt> {
    const now = this.now();
    const keys = rules.map(({ key, windowSeconds }) => hashed(key, windowSeconds));
    const refusedBefore = this.refusals.waitFor(keys, now);
    if (refusedBefore !== undefined) {
      return { waitSeconds: refusedBefore };
    }
    const pressures = rules.flatMap(({ under }) => (under ?? []).map(({ pressure }) => pressure));
    const counts = await this.pressed(pressures, now);
    const counters = new Map<string, Counter>();
    for (const { key, windowSeconds } of pressures) {
      counters.set(hashed(key, windowSeconds), { windowSeconds, max: undefined });
    }
    for (const { key, windowSeconds, max, under } of rules) {
      const pressed = (under ?? []).filter(
        ({ pressure }) =>
          (counts.get(hashed(pressure.key, pressure.windowSeconds)) ?? 0) > pressure.above,
      );
      counters.set(hashed(key, windowSeconds), {
        windowSeconds,
        max: Math.min(max, ...pressed.map((one) => one.max)),
      });
    }
    try {
      const asked = [...counters].map(([key, counter]) => ({ key, ...counter }));
      // One row alone is counted or not; several are only together.
      const counted = await (asked.length > 1
        ? this.database.transaction((transaction) => count(transaction, asked, now))
        : count(this.database, asked, now));
      return { counted };
    } catch (error) {
      if (!(error instanceof UsedUp)) {
        throw error;
      }
      const { key, waitSeconds } = await this.longestWait(error.key, counters, now);
      this.refusals.note(key, now, new Date(now.getTime() + waitSeconds * 1000));
      return { waitSeconds };
    }
  }

  /** Takes back an attempt that was a good one, or was not made. */
  async giveBack({ counted }: CountedAttempt): Promise<void> {
    await this.database.query(GIVE_BACK, [JSON.stringify(counted)]);
  }

  /** What these pressures have counted, by their hashed keys. */
  private async pressed(pressures: readonly Pressure[], now: Date): Promise<Map<string, number>> {
    if (pressures.length === 0) {
      return new Map();
    }
    const keys = pressures.map(({ key, windowSeconds }) => hashed(key, windowSeconds));
    const rows = await this.database.query<{ key: string; count: number }>(PRESSED, [
      JSON.stringify(keys),
      now,
    ]);
    return new Map(rows.map(({ key, count }) => [key, count]));
  }

  /** Of the limits that are used up, the one that refuses for the longest time: several may be, not only `refused`. */
  private async longestWait(
    refused: string,
    counters: ReadonlyMap<string, Counter>,
    now: Date,
  ): Promise<{ readonly key: string; readonly waitSeconds: number }> {
    const rows = await this.database.query<{ key: string; count: number; window_ends: Date }>(
      `SELECT key, count, window_ends FROM attempts
        WHERE key IN (SELECT jsonb_array_elements_text($1::jsonb)) AND window_ends > $2`,
      [JSON.stringify([...counters.keys()]), now],
    );
    const waits = rows
      .filter(({ key, count }) => key === refused || count >= (counters.get(key)?.max ?? Infinity))
      .map((row) => ({
        key: row.key,
        waitSeconds: Math.ceil((row.window_ends.getTime() - now.getTime()) / 1000),
      }));
    // Nothing is counted at this time: under this pressure not even a first attempt is allowed.
    if (!waits.some(({ key }) => key === refused)) {
      waits.push({ key: refused, waitSeconds: WINDOW_SECONDS });
    }
    return waits.reduce((one, other) => (other.waitSeconds > one.waitSeconds ? other : one));
  }
}

interface Counter {
  readonly windowSeconds: number | undefined;
  /** Undefined for a pressure, which refuses nothing. */
  readonly max: number | undefined;
}

/** Rolls the transaction back, and with it what other rules have counted. */
class UsedUp extends Error {
  constructor(readonly key: string) {
    super('a limit is reached');
  }
}

/** What was counted for the keys of $1. */
const PRESSED = prepared(
  `SELECT key, count FROM attempts
    WHERE key IN (SELECT jsonb_array_elements_text($1::jsonb)) AND window_ends > $2`,
);

/**
 * Counts one attempt in several rows. The condition is checked on each row as it is once it is locked. Always in the same
 * order: otherwise two attempts could wait for each other's rows for ever.
 */
const COUNT = prepared(
  `INSERT INTO attempts (key, count, window_ends)
   SELECT key, 1, window_ends FROM jsonb_to_recordset($1::jsonb) AS asked (key text, window_ends timestamptz)
    ORDER BY key COLLATE "C"
   ON CONFLICT (key) DO UPDATE SET
     count = CASE WHEN attempts.window_ends <= $2 THEN 1 ELSE attempts.count + 1 END,
     window_ends = CASE WHEN attempts.window_ends <= $2
       THEN excluded.window_ends ELSE attempts.window_ends END
   WHERE attempts.window_ends <= $2 OR attempts.count < COALESCE(($3::jsonb ->> attempts.key)::integer, ${NO_BOUND})
   RETURNING key, window_ends`,
);

/** Not from a count that has started anew meanwhile. In the order of {@link COUNT}. */
const GIVE_BACK = prepared(
  `WITH locked AS (
     SELECT attempts.key FROM attempts
       JOIN jsonb_to_recordset($1::jsonb) AS given (key text, "windowEnds" timestamptz)
         ON given.key = attempts.key AND given."windowEnds" = attempts.window_ends
      WHERE count > 0 ORDER BY attempts.key COLLATE "C" FOR UPDATE OF attempts
   )
   UPDATE attempts SET count = count - 1 FROM locked WHERE attempts.key = locked.key`,
);

/**
 * Counts one attempt by several counters.
 * @throws {UsedUp} when one of them refuses it; what the others have counted then is to be rolled back.
 */
async function count(
  database: Queryable,
  asked: readonly (Counter & { readonly key: string })[],
  now: Date,
): Promise<CountedAttempt['counted']> {
  const closed = asked.find(({ max }) => max === 0);
  if (closed !== undefined) {
    throw new UsedUp(closed.key);
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
    throw new UsedUp(refused.key);
  }
  return counted.map((row) => ({ key: row.key, windowEnds: row.window_ends }));
}

/**
 * The key of a row. JSON keeps the parts apart, so that a name that a stranger makes up cannot read like
 * another key. Hashed, so that a row has a fixed size and holds nobody's name.
 */
function hashed(key: AttemptKey, windowSeconds = WINDOW_SECONDS): string {
  return sha256(JSON.stringify([windowSeconds, ...key]));
}
