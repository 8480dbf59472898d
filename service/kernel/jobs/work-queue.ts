import type { Database, Queryable } from '../database/database.js';
import type { MetricsPort } from '../metrics/metrics-port.js';

/** A row that a worker has taken. */
export interface TakenRow {
  readonly id: string;
  /** How often it was taken, this time included. With `id` it is the proof of the lease. */
  readonly attempts: number;
}

/** A table whose rows are work. It has the columns `id`, `attempts`, `due_at` and `failure`, and an index for `due_at`. */
export interface WorkTable {
  readonly table: string;
  /** What a worker reads of a row: a list for RETURNING, with `id` and `attempts`. */
  readonly columns: string;
  /** Selects and locks the ids of due rows as `due`, where `$1` is the time. Default: the longest due ones of the table. */
  readonly due?: string;
  /** How many rows are taken at once. */
  readonly batch: number;
  /** How long a worker has a row for itself, in milliseconds. If the worker dies, the row is due again after that. */
  readonly leaseMs: number;
  /** The waits after each failed attempt, in milliseconds. The last one is repeated, unless rows are kept. */
  readonly retryMs: readonly number[];
  /** Whether a row stays when it is done or given up, with no `due_at`. */
  readonly keepsRows?: true;
}

/** The end of an attempt. */
export interface Ended<Row extends TakenRow> {
  readonly row: Row;
  readonly isDone: boolean;
  /** What failed; stored with the row. */
  readonly failure?: string | undefined;
  /** The shortest wait before the next attempt, in milliseconds. */
  readonly minWaitMs?: number | undefined;
  /** Whether there is no further attempt. */
  readonly isLast?: boolean;
}

export interface WorkQueueDeps {
  readonly database: Database;
  readonly now: () => Date;
  readonly counts: Pick<MetricsPort, 'attemptEnded'>;
}

/**
 * Rows that are worked on once, and again after growing waits when that fails. Several processes may do this at the same time: each
 * takes other rows. If a process dies, its rows are due again when the lease has ended, so work may be done twice.
 */
export class WorkQueue<Row extends TakenRow> {
  constructor(
    private readonly work: WorkTable,
    private readonly deps: WorkQueueDeps,
  ) {}

  /**
   * Takes due rows and passes them to `handle`, until none is due, `handle` returns false, or the signal is aborted.
   * @param handle calls {@link WorkQueue.end} for each row. A row without that call is due again when its lease has ended.
   */
  async run(
    handle: (rows: readonly Row[]) => Promise<boolean>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.recallLate();
    let goesOn = true;
    while (goesOn && signal?.aborted !== true) {
      const rows = await this.take();
      goesOn = rows.length > 0 && (await handle(rows));
    }
  }

  /** Stores the ends of attempts. A row that another worker has by now, because the lease has ended, stays as it is. */
  async end(queryable: Queryable, ended: readonly Ended<Row>[]): Promise<void> {
    const { table, keepsRows } = this.work;
    const next = ended.map((one) => ({ ...one, dueAt: this.nextAttempt(one) }));
    const rows = next.map(({ row: { id, attempts }, dueAt, failure }) => ({
      ...{ id, attempts, failure },
      due_at: dueAt,
    }));
    const ends = `jsonb_to_recordset($1::jsonb)
      AS ended (id text, attempts integer, due_at timestamptz, failure text)
      WHERE ${table}.id = ended.id AND ${table}.attempts = ended.attempts`;
    if (keepsRows || next.some(({ dueAt }) => dueAt !== undefined)) {
      await queryable.query(
        `UPDATE ${table} SET due_at = ended.due_at, failure = ended.failure FROM ${ends}
          ${keepsRows ? '' : 'AND ended.due_at IS NOT NULL'}`,
        [JSON.stringify(rows)],
      );
    }
    if (!keepsRows && next.some(({ dueAt }) => dueAt === undefined)) {
      await queryable.query(`DELETE FROM ${table} USING ${ends} AND ended.due_at IS NULL`, [
        JSON.stringify(rows),
      ]);
    }
    for (const { isDone } of ended) {
      this.deps.counts.attemptEnded(table, isDone ? 'done' : 'failed');
    }
  }

  private nextAttempt({ row, isDone, isLast, minWaitMs }: Ended<Row>): Date | undefined {
    const { retryMs, keepsRows } = this.work;
    const wait = retryMs[row.attempts - 1] ?? (keepsRows ? undefined : retryMs.at(-1));
    return isDone || isLast === true || wait === undefined
      ? undefined
      : this.in(Math.max(wait, minWaitMs ?? 0));
  }

  private take(): Promise<Row[]> {
    const { table, columns, batch, leaseMs } = this.work;
    const {
      due = `SELECT id FROM ${table} WHERE due_at <= $1
              ORDER BY due_at LIMIT ${batch} FOR UPDATE SKIP LOCKED`,
    } = this.work;
    return this.deps.database.query<Row>(
      `WITH due AS (${due})
       UPDATE ${table} SET due_at = $2, attempts = attempts + 1
         FROM due WHERE ${table}.id = due.id RETURNING ${columns}`,
      [this.in(0), this.in(leaseMs)],
    );
  }

  /** Makes due what is due later than any wait: the clock was ahead when that was stored. */
  private async recallLate(): Promise<void> {
    const { table, leaseMs, retryMs } = this.work;
    await this.deps.database.query(`UPDATE ${table} SET due_at = $1 WHERE due_at > $2`, [
      this.in(0),
      this.in(Math.max(leaseMs, ...retryMs)),
    ]);
  }

  private in(ms: number): Date {
    return new Date(this.deps.now().getTime() + ms);
  }
}
