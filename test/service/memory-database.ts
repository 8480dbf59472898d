import type { Results, Transaction } from '@electric-sql/pglite';
import type { MemoryDatabase } from '../support/memory-databases.js';

/**
 * Opens a copy, in memory, of the embedded database that lies in `folder`, which nobody may change. Within a test it is
 * of the process that runs tests, to which a test's own dates and errors are strangers, and the other way round.
 */
export async function openCopyInMemory(folder: string): Promise<MemoryDatabase> {
  const kept = globalThis.keptByWorker ?? (await import('../support/memory-databases.js'));
  const database = await kept.openCopyInMemory(folder);
  return {
    ...fromHere(database),
    transaction: <T>(work: (on: Transaction) => Promise<T>) =>
      database
        .transaction((on) =>
          work({ ...on, ...fromHere(on), exec: (script) => on.exec(script).catch(throwOwn) }),
        )
        .catch(throwOwn),
    close: () => database.close(),
  };
}

function fromHere(on: Pick<Transaction, 'query'>): Pick<Transaction, 'query'> {
  return {
    query: <T>(sql: string, params?: unknown[]): Promise<Results<T>> =>
      on.query<T>(sql, params?.map(datesAsText)).catch(throwOwn),
  };
}

function datesAsText(param: unknown): unknown {
  return param instanceof Date ? param.toISOString() : param;
}

function throwOwn(error: unknown): never {
  if (error instanceof Error || typeof error !== 'object' || error === null) throw error;
  const { message, stack } = error as Error;
  throw Object.assign(new Error(message), error, { stack });
}
