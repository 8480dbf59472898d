/** A value that can be bound to a numbered parameter. JSON goes as text into a `jsonb` column. */
export type SqlValue = string | number | boolean | Date | null;

/** Something that runs SQL: the database itself, or one transaction on it. */
export interface Queryable {
  /**
   * Runs one statement with parameters `$1`, `$2`, … and resolves to its rows. `Row` is the
   * caller's promise about the selected columns. Write `RETURNING` to learn which rows changed.
   */
  query<Row extends object>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
}

/**
 * The one door to storage, in PostgreSQL's dialect. PGlite implements it in the process; a pool of
 * connections to a PostgreSQL server fits the same shape.
 */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction; it is rolled back when `work` throws, and when it holds others up
   * for too long (see `DatabaseLimits`).
   * @throws {UnavailableError} here and from every statement: when the database is away or too busy.
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  close(): Promise<void>;
  /** Whether other processes may use the same database at the same time. */
  readonly isShared: boolean;
  /** How the connections to a server are used; an embedded database has none. */
  readonly poolState?: (() => PoolState | undefined) | undefined;
}

/** Connections to a database server. */
export interface PoolState {
  readonly open: number;
  /** Open ones that nobody uses. */
  readonly idle: number;
  /** How much waits for a connection. */
  readonly waiting: number;
}

export interface TransactionOptions {
  /** It may wait, idle and run for as long as it takes. For changes of the schema, never for requests. */
  readonly patient?: boolean;
}

/** One transaction. Only a transaction may run a script, so that a script applies whole or not at all. */
export interface Transaction extends Queryable {
  /** Runs several statements without parameters, as migrations are written. */
  execute(script: string): Promise<void>;
}
