import type { Database } from '../database/database.js';
import { sha256 } from '../oauth/hash.js';

/** How often one thing may be tried. */
export interface AttemptRule {
  /** What is counted, for instance a username or an address. Stored as a hash only. */
  readonly key: string;
  readonly max: number;
}

/** Counting starts anew this long after the first attempt, in seconds. */
const WINDOW_SECONDS = 15 * 60;

/**
 * Limits how often something may be tried. Counts lie in the database, so that they hold between
 * processes. An attempt is counted before it is made and given back when it was a good one: many
 * attempts at the same time cannot all slip through.
 */
export class AttemptLimit {
  private readonly database: Database;
  private readonly now: () => Date;

  constructor(database: Database, now: () => Date) {
    this.database = database;
    this.now = now;
  }

  /**
   * Counts one attempt against every rule.
   * @returns undefined when it may be made, else the seconds until it may be tried again.
   */
  async take(rules: readonly AttemptRule[]): Promise<number | undefined> {
    const now = this.now();
    let wait: number | undefined;
    for (const { key, max } of rules) {
      const [row] = await this.database.query<{ count: number; window_ends: Date }>(
        `INSERT INTO attempts (key, count, window_ends) VALUES ($1, 1, $2)
         ON CONFLICT (key) DO UPDATE SET
           count = CASE WHEN attempts.window_ends <= $3 THEN 1 ELSE attempts.count + 1 END,
           window_ends = CASE WHEN attempts.window_ends <= $3
             THEN excluded.window_ends ELSE attempts.window_ends END
         RETURNING count, window_ends`,
        [sha256(key), new Date(now.getTime() + WINDOW_SECONDS * 1000), now],
      );
      if (row !== undefined && row.count > max) {
        const seconds = Math.ceil((row.window_ends.getTime() - now.getTime()) / 1000);
        wait = Math.max(wait ?? 1, seconds);
      }
    }
    return wait;
  }

  /** Takes back an attempt that was a good one. */
  async giveBack(rules: readonly AttemptRule[]): Promise<void> {
    for (const { key } of rules) {
      await this.database.query(
        'UPDATE attempts SET count = count - 1 WHERE key = $1 AND count > 0',
        [sha256(key)],
      );
    }
  }
}

/** "Try again in …", for people. */
export function tryAgainIn(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return `Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
}
