import { createHash } from 'node:crypto';
import type { Database } from '../database/database.js';

/** A poll this much early is still on time: the network does not deliver at an even pace. */
const TOLERANCE = 0.1;

/**
 * Remembers when each device last polled, and tells whether a poll came too early
 * ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)). The time lies in the database and is
 * swapped in one statement, so that it also holds between processes. The interval does not grow on the
 * server's side: a client that obeys `slow_down` waits longer anyway, and one that misbehaved once is not
 * locked out.
 */
export class PollLimit {
  constructor(
    private readonly database: Database,
    private readonly intervalSeconds: number,
    private readonly now: () => Date,
  ) {}

  /** Records a poll with this device code. True when it came too soon after the one before. */
  async isTooFast(deviceCode: string): Promise<boolean> {
    const polledAt = this.now();
    const [row] = await this.database.query<{ previous_polled_at: Date | null }>(
      `INSERT INTO device_polls (device_code_sha256, polled_at) VALUES ($1, $2)
       ON CONFLICT (device_code_sha256) DO UPDATE
         SET previous_polled_at = device_polls.polled_at, polled_at = excluded.polled_at
       RETURNING previous_polled_at`,
      [createHash('sha256').update(deviceCode).digest('base64url'), polledAt],
    );
    const previous = row?.previous_polled_at?.getTime();
    const least = this.intervalSeconds * 1000 * (1 - TOLERANCE);
    return previous !== undefined && polledAt.getTime() - previous < least;
  }
}
