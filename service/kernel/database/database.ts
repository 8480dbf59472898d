/** A value that can be bound to a numbered parameter. JSON goes as text into a `jsonb` column, bytes into a `bytea` column. */
export type SqlValue = string | number | boolean | Date | Uint8Array | null;

/** Something that runs SQL: the database itself, or one transaction on it. */
export interface Queryable {
  /**
   * Runs one statement with parameters `$1`, `$2`, … and resolves to its rows. `Row` is the
   * caller's promise about the selected columns. Write `RETURNING` to learn which rows changed.
   */
  query<Row extends object>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
}

/**
 * The database of the service, in PostgreSQL's dialect: either PGlite in this process, or a pool of connections to a
 * PostgreSQL server.
 */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction. It is rolled back when `work` throws, and when it takes too long (see
   * `DatabaseLimits`).
   * @throws {UnavailableError} when the database is away or too busy; then nothing was stored. So does every statement,
   *   but after a {@link LostAnswerError} it may have been carried out; see `withKnownOutcome`.
   * @throws {UnknownOutcomeError} when the database went away at the end of a transaction, and stayed away.
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  close(): Promise<void>;
  /** The name of the server for the operator, without credentials; undefined for an embedded database. */
  readonly description?: string | undefined;
  /** Whether other processes may use the same database at the same time. */
  readonly isShared: boolean;
  /** How the connections to a server are used; undefined for an embedded database. */
  readonly poolState?: (() => PoolState | undefined) | undefined;
}

/** What else is stored when a change is made, such as its event. It is called in the transaction of the change. */
export type AlsoInTransaction = (transaction: Queryable) => Promise<void>;

/** Connections to a database server. */
export interface PoolState {
  readonly open: number;
  /** Idle connections. */
  readonly idle: number;
  /** How many statements and transactions wait for a connection. */
  readonly waiting: number;
}

export interface TransactionOptions {
  /** The transaction may wait, idle and run without limit. For a start and the operator's commands, never for requests. */
  readonly noTimeout?: boolean;
}

/** One transaction. Only a transaction can run a script, so that all of the script is applied or nothing. */
export interface Transaction extends Queryable {
  /** Runs several statements without parameters, as migrations are written. */
  execute(script: string): Promise<void>;
}
