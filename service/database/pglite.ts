import { PGlite } from '@electric-sql/pglite';
import type { Transaction as PgliteTransaction } from '@electric-sql/pglite';
import type { Database, SqlValue, Transaction } from './database.js';

/** Opens PostgreSQL embedded in this process, kept in `folder` (made when missing). */
export async function openEmbeddedDatabase(folder: string): Promise<Database> {
  return asDatabase(await PGlite.create(folder));
}

/**
 * An empty cluster as PGlite makes it takes seconds to initialise and 0.3 s to load from a copy, so
 * the first memory database of a process leaves its copy for the others.
 */
let emptyCluster: Promise<File | Blob> | undefined;

/** Opens a database that lives in memory only; for tests. */
export async function openMemoryDatabase(): Promise<Database> {
  if (emptyCluster !== undefined) {
    return asDatabase(await PGlite.create({ loadDataDir: await emptyCluster }));
  }
  const creating = PGlite.create('memory://');
  emptyCluster = creating.then((pglite) => pglite.dumpDataDir('none'));
  await emptyCluster;
  return asDatabase(await creating);
}

function asDatabase(pglite: PGlite): Database {
  return {
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      (await pglite.query<Row>(sql, [...params])).rows,
    transaction: (work) => pglite.transaction((transaction) => work(asTransaction(transaction))),
    close: () => pglite.close(),
  };
}

function asTransaction(transaction: PgliteTransaction): Transaction {
  return {
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      (await transaction.query<Row>(sql, [...params])).rows,
    execute: async (script) => {
      await transaction.exec(script);
    },
  };
}
