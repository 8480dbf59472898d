import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { answered, mapErrors } from './error-mapping.js';
import type { SqlValue, Transaction } from './database.js';
import type { TransactionTimeout } from './timeouts.js';
import { preparedName } from './prepared.js';

/**
 * Sends the statements on one connection, each when the one before has been answered: node-postgres 9 will no longer
 * queue them itself. The end of a transaction waits as well.
 */
export class SerializedClient implements Transaction {
  private last: Promise<unknown> = Promise.resolve();

  constructor(readonly client: ClientBase) {}

  async query<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.send<Row>(statement(sql, params))).rows;
  }

  async execute(script: string): Promise<void> {
    await this.send(script);
  }

  /**
   * Sends COMMIT after all statements before it.
   * @param first a statement that goes to the server together with COMMIT; both are one round trip.
   * @throws {LostAnswerError} when the connection was lost: the transaction may have been committed or not.
   * @throws {Error} when the transaction was rolled back, because a statement before had failed.
   */
  async commit(first?: string): Promise<void> {
    const script = first === undefined ? 'COMMIT' : `${first}; COMMIT`;
    // node-postgres gives an array for several statements, which its types leave out.
    const results = await this.afterLast(() => answered(this.client.query(script)));
    const last = [results].flat().at(-1);
    // PostgreSQL answers COMMIT with ROLLBACK if a statement has failed and the work ignored its error.
    if (last?.command !== 'COMMIT') {
      throw new Error('a transaction was rolled back instead of committed');
    }
  }

  private send<Row extends object>(
    what: string | QueryConfig<SqlValue[]>,
  ): Promise<QueryResult<Row>> {
    return this.afterLast(() => mapErrors(this.client.query<Row>(what)));
  }

  /** Makes a statement once the one before has been answered, also when that failed. */
  private afterLast<T>(make: () => Promise<T>): Promise<T> {
    const made = this.last.then(make);
    this.last = made.catch(() => undefined);
    return made;
  }
}

/** A statement as node-postgres takes it, with its name if it has one (see {@link preparedName}). */
export function statement(sql: string, params: readonly SqlValue[]): QueryConfig<SqlValue[]> {
  const name = preparedName(sql);
  return { text: sql, values: [...params], ...(name !== undefined && { name }) };
}

/**
 * Runs `work` between BEGIN and COMMIT. When this throws, the transaction may still be open: the caller rolls it back,
 * or closes the connection.
 * @param witness a statement before COMMIT that leaves a row, by which the commit can be proved later.
 * @throws {LostAnswerError} when the connection was lost at the COMMIT.
 * @throws {UnavailableError} when the guard has cut the work off, or the connection was lost before.
 * @throws {Error} when a statement has failed and `work` ignored its error; else what `work` throws.
 */
export async function runTransaction<T>(
  statements: SerializedClient,
  guard: TransactionTimeout,
  work: (transaction: Transaction) => Promise<T>,
  witness?: string,
): Promise<T> {
  const onError = (cause: Error): void => {
    guard.cut('the connection to the database was lost', { cause });
  };
  const { client } = statements;
  client.once('error', onError);
  try {
    await statements.execute('BEGIN');
    const result = await guard.run(statements, work);
    await statements.commit(witness);
    return result;
  } finally {
    client.off('error', onError);
  }
}

/**
 * Keeps an error of a connection from ending the process: Node does that when an `error` event has no listener. The
 * statement that fails reports the error.
 */
export function ignoreErrors(client: ClientBase): void {
  client.on('error', () => undefined);
}
