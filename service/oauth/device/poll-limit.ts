import type { Database } from '../../kernel/database/database.js';
import { prepared } from '../../kernel/database/prepared.js';
import type { RecordRow } from '../../identity/index.js';

/** A poll this much early is still on time: the network does not deliver at an even pace. */
const TOLERANCE = 0.1;

/** $3 is the kind: with a constant, the planner may read the index of all device codes. */
const POLL = prepared(
  `WITH polled AS (
     INSERT INTO device_polls (device_code_sha256, polled_at, first_polled_at)
     SELECT id, $2, $2 FROM oidc_records
      WHERE kind = $3 AND id = $1 AND consumed_at IS NULL
        AND payload -> 'accountId' IS NULL AND payload -> 'error' IS NULL
     ON CONFLICT (device_code_sha256) DO UPDATE
       SET previous_polled_at = device_polls.polled_at, polled_at = excluded.polled_at
     RETURNING previous_polled_at
   )
   SELECT code.id, code.payload, code.consumed_at, polled.previous_polled_at
     FROM oidc_records AS code LEFT JOIN polled ON true
    WHERE code.kind = $3 AND code.id = $1`,
);

/** A device code that was polled with. */
interface Poll {
  /** Its record, if there is one. */
  readonly row: RecordRow | undefined;
  /** Whether this poll came too soon after the one before. */
  readonly isTooFast: boolean;
}

/**
 * Records the last poll of each device, and detects polls that come early
 * ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)). The time is in the database and is replaced in one
 * statement, so the limit holds for all processes. The service's interval does not grow with each `slow_down`: clients
 * that obey wait longer anyway, and one early poll does not lock a client out.
 */
export class PollLimit {
  constructor(
    private readonly database: Database,
    private readonly intervalSeconds: number,
    private readonly now: () => Date,
  ) {}

  /**
   * Reads a device code and, while it is undecided, records the poll in the same statement.
   * @param id the hash of the device code
   */
  async poll(id: string): Promise<Poll> {
    const polledAt = this.now();
    const [row] = await this.database.query<RecordRow & { previous_polled_at: Date | null }>(POLL, [
      id,
      polledAt,
      'DeviceCode',
    ]);
    const previous = row?.previous_polled_at?.getTime();
    const least = this.intervalSeconds * 1000 * (1 - TOLERANCE);
    return { row, isTooFast: previous !== undefined && polledAt.getTime() - previous < least };
  }
}
