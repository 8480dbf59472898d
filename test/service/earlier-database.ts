import { readFile } from 'node:fs/promises';
import type { Database, Transaction } from '../../service/database/database.js';
import { migrate } from '../../service/database/migrate.js';

const MIGRATIONS = new URL('../../service/database/migrations/', import.meta.url);
/** What transactions of this version need on PostgreSQL, also those that fill a database of an earlier version. */
const OUTCOMES = '0021_transaction_outcomes.sql';

/**
 * Makes an empty database one of an earlier version.
 * @param names  the migrations that it has, in order
 * @param fill  puts content into it, in the same transaction
 */
export async function makeEarlier(
  database: Database,
  names: readonly string[],
  fill: (transaction: Transaction) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const textOf = (name: string): Promise<string> => readFile(new URL(name, MIGRATIONS), 'utf8');
  await database.transaction(async (transaction) => {
    await transaction.query(
      'CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    for (const name of names) {
      await transaction.execute(await textOf(name));
      await transaction.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
    }
    await fill(transaction);
    await transaction.execute(await textOf(OUTCOMES));
  });
}

/** Migrates a database that {@link makeEarlier} has made, as the first start of this version does. */
export async function upgrade(database: Database): Promise<void> {
  await database.query('DROP TABLE transaction_outcomes');
  await migrate(database);
}
