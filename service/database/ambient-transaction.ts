import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database, Queryable, Transaction, TransactionOptions } from './database.js';

/** A database whose statements join the transaction that surrounds them, if there is one. */
export interface AmbientDatabase extends Database {
  /**
   * Runs `work` so that every statement it makes on this database, however deep in the call, belongs
   * to one transaction: all of them happen or none. Rolled back when `work` throws.
   */
  together<T>(work: () => Promise<T>): Promise<T>;
}

interface Surrounding {
  readonly transaction: Transaction;
  open: boolean;
}

/**
 * Lets a piece of code that knows nothing of transactions run in one. That is how a whole token
 * exchange of oidc-provider, which marks the old token as used in one call and stores the new one
 * in another, becomes a single step: a process that dies in between has done nothing.
 */
export function withAmbientTransactions(database: Database): AmbientDatabase {
  const storage = new AsyncLocalStorage<Surrounding>();
  const surrounding = (): Transaction | undefined => {
    const store = storage.getStore();
    return store?.open === true ? store.transaction : undefined;
  };
  const begin = <T>(
    work: (transaction: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> =>
    database.transaction(async (transaction) => {
      const store: Surrounding = { transaction, open: true };
      try {
        return await storage.run(store, () => work(transaction));
      } finally {
        // What outlives the transaction must not use its connection.
        store.open = false;
      }
    }, options);
  const target = (): Queryable => surrounding() ?? database;
  return {
    query: (sql, params) => target().query(sql, params),
    transaction: (work, options) => {
      const joined = surrounding();
      return joined === undefined ? begin(work, options) : work(joined);
    },
    together: (work) => (surrounding() === undefined ? begin(() => work()) : work()),
    close: () => database.close(),
    isShared: database.isShared,
    poolState: database.poolState,
  };
}
