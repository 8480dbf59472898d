import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { told } from './away.js';
import type { SqlValue, Transaction } from './database.js';
import type { TransactionGuard } from './limits.js';
import { preparedName } from './prepared.js';

/**
 * The statements of one transaction, each sent when the one before has been answered: node-postgres 9 will no longer
 * queue them itself. Also the end of the transaction waits for its turn.
 */
export class InTurn implements Transaction {
  private last: Promise<unknown> = Promise.resolve();

  constructor(readonly client: ClientBase) {}

  async query<Row extends object>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.send<Row>(statement(sql, params))).rows;
  }

  async execute(script: string): Promise<void> {
    await this.send(script);
  }

  /** Sends one statement when it is its turn, whatever became of the ones before. */
  send<Row extends object>(what: string | QueryConfig<SqlValue[]>): Promise<QueryResult<Row>> {
    const sent = this.last.then(() => told(this.client.query<Row>(what)));
    this.last = sent.catch(() => undefined);
    return sent;
  }
}

/** As node-postgres takes it. */
export function statement(sql: string, params: readonly SqlValue[]): QueryConfig<SqlValue[]> {
  const name = preparedName(sql);
  return { text: sql, values: [...params], ...(name !== undefined && { name }) };
}

/** Runs `work` between BEGIN and COMMIT. When it throws, the transaction is still open. */
export async function runTransaction<T>(
  statements: InTurn,
  guard: TransactionGuard,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const onError = (cause: Error): void => {
    guard.cut('the connection to the database was lost', { cause });
  };
  const { client } = statements;
  client.once('error', onError);
  try {
    await statements.execute('BEGIN');
    const result = await guard.run(statements, work);
    const { command } = await statements.send('COMMIT');
    // That is how PostgreSQL answers when a statement had failed and nobody cared.
    if (command !== 'COMMIT') {
      throw new Error('a transaction was rolled back instead of committed');
    }
    return result;
  } finally {
    client.off('error', onError);
  }
}

/** An error that nobody listens to ends the process. Whoever uses the connection learns of it from the statement that fails. */
export function ignoreErrors(client: ClientBase): void {
  client.on('error', () => undefined);
}
