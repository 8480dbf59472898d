// The only ambient context here: oidc-provider calls its adapter without a parameter that could carry the transaction.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database, Queryable, Transaction, TransactionOptions } from './database.js';

/** A database whose statements join the transaction that surrounds them, if there is one. */
export interface AmbientDatabase extends Database {
  /**
   * Runs `work` so that every statement on this database that it makes, directly or in functions that it calls,
   * belongs to one transaction. The transaction is rolled back when `work` throws.
   */
  together<T>(work: () => Promise<T>): Promise<T>;
}

interface Surrounding {
  readonly transaction: Transaction;
  open: boolean;
}

/**
 * Runs code without transaction support in a transaction. Example: oidc-provider marks the old refresh token as used in
 * one call and stores the new tokens in another. With one transaction, a crash in between changes nothing.
 *
 * A nested transaction joins the outer one: it is not committed or rolled back separately, and its options are ignored.
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
        // Work that outlives the transaction must not use its connection: it gets the database itself again.
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
    description: database.description,
    poolState: database.poolState,
  };
}
