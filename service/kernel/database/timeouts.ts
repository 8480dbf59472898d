import { UnavailableError } from '../errors.js';
import type { SqlValue, Transaction } from './database.js';

/** Limits of time for work on a database, in milliseconds. */
export interface DatabaseLimits {
  /** How long a statement or a transaction waits for a connection. */
  readonly waitMs: number;
  /** How long a transaction may go without a statement; then it is rolled back. */
  readonly idleMs: number;
  /** How long a transaction may last in all; then it is rolled back. */
  readonly transactionMs: number;
  /** How long one statement may wait for a lock; only on a database server. */
  readonly lockMs: number;
  /** How long one statement may run; only on a database server. */
  readonly statementMs: number;
}

/** The limits for requests. A request that is not stuck takes far less. */
export const DATABASE_LIMITS: DatabaseLimits = {
  waitMs: 10_000,
  idleMs: 10_000,
  transactionMs: 30_000,
  lockMs: 10_000,
  statementMs: 25_000,
};

const TOO_LONG = 'a transaction took too long and was rolled back';

/**
 * Keeps one transaction from holding others up: its work is cut off when it makes no statement for too long, or lasts
 * too long in all. The work may run on, but its statements no longer reach the database.
 */
export class TransactionTimeout {
  /** Why the work was aborted; undefined if it was not. */
  abortedBy: UnavailableError | undefined;
  private whole: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;
  private deadline = Infinity;
  private pending = 0;
  private ended = false;
  private giveUp: (reason: UnavailableError) => void = () => undefined;

  /** @param limits undefined for a transaction without limits. */
  constructor(
    private readonly limits: Pick<DatabaseLimits, 'idleMs' | 'transactionMs'> | undefined,
  ) {}

  /**
   * Runs the work of a transaction.
   * @param statements sends statements to the database; `work` gets a guarded form of it.
   * @throws {UnavailableError} when the work was cut off; else what `work` throws.
   */
  async run<T>(
    statements: Transaction,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const cut = new Promise<never>((_resolve, reject) => {
      this.giveUp = reject;
    });
    if (this.limits !== undefined) {
      this.deadline = performance.now() + this.limits.transactionMs;
      this.whole = setTimeout(() => {
        this.cut(TOO_LONG);
      }, this.limits.transactionMs);
    }
    this.watchIdle();
    try {
      return await Promise.race([work(this.guarded(statements)), cut]);
    } finally {
      this.ended = true;
      clearTimeout(this.idle);
      clearTimeout(this.whole);
    }
  }

  /** Cuts the work off; the first reason counts. */
  cut(reason: string, options?: ErrorOptions): void {
    if (this.ended) {
      return;
    }
    this.abortedBy ??= new UnavailableError(reason, undefined, options);
    this.giveUp(this.abortedBy);
  }

  private guarded(statements: Transaction): Transaction {
    return {
      query: <Row extends object>(sql: string, params?: readonly SqlValue[]) =>
        this.make(() => statements.query<Row>(sql, params)),
      execute: (script) => this.make(() => statements.execute(script)),
    };
  }

  private async make<T>(statement: () => Promise<T>): Promise<T> {
    // With an embedded database, statement may follow statement without a timer ever firing in between.
    if (performance.now() > this.deadline) {
      this.cut(TOO_LONG);
    }
    if (this.abortedBy !== undefined) {
      throw this.abortedBy;
    }
    if (this.ended) {
      throw new Error('the transaction has ended');
    }
    this.pending += 1;
    clearTimeout(this.idle);
    try {
      return await statement();
    } finally {
      this.pending -= 1;
      if (this.pending === 0) {
        this.watchIdle();
      }
    }
  }

  private watchIdle(): void {
    if (this.limits === undefined || this.ended) {
      return;
    }
    this.idle = setTimeout(() => {
      this.cut('a transaction was idle for too long and was rolled back');
    }, this.limits.idleMs);
  }
}
