import { readdir, readFile } from 'node:fs/promises';
import type { Database, Queryable } from './database.js';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** The key of the advisory lock: any number that nothing else in this database uses as a key. */
const SET_UP_LOCK = 7_310_528_646;

const NO_TIMEOUT = { noTimeout: true } as const;

/**
 * Brings the schema up to date: applies each migration `NNNN_name.sql` that the database does not have yet, in order,
 * all of them or none. A migration is never edited after its release. Of several processes that start at the same time,
 * one migrates and the others wait for it without limit (an advisory lock).
 * @param folder where the migrations are; its URL ends with a slash.
 */
export async function migrate(database: Database, folder = MIGRATIONS): Promise<void> {
  const names = await migrationNames(folder);
  await database.transaction(async (transaction) => {
    await lockMigrations(transaction);
    await transaction.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         name text PRIMARY KEY,
         applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
    const rows = await transaction.query<{ name: string }>('SELECT name FROM schema_migrations');
    const applied = new Set(rows.map((row) => row.name));
    for (const name of names.filter((candidate) => !applied.has(candidate))) {
      await transaction.execute(await readFile(new URL(name, folder), 'utf8'));
      await transaction.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
    }
  }, NO_TIMEOUT);
}

/**
 * The migrations that a database does not have: all of them for one in which no service has run.
 * @returns their names, in order; none for a database of this version.
 */
export async function missingMigrations(
  database: Database,
  folder = MIGRATIONS,
): Promise<readonly string[]> {
  const names = await migrationNames(folder);
  const [table] = await database.query<{ found: string | null }>(
    `SELECT to_regclass('schema_migrations')::text AS found`,
  );
  if (table?.found == null) {
    return names;
  }
  const rows = await database.query<{ name: string }>('SELECT name FROM schema_migrations');
  const applied = new Set(rows.map((row) => row.name));
  return names.filter((name) => !applied.has(name));
}

async function migrationNames(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
}

/**
 * Takes the lock under which a process changes what every process sets up at its start (an advisory lock of
 * PostgreSQL). The lock is held until the transaction ends. Call it in a transaction without a timeout: another process
 * may be migrating.
 */
export async function lockMigrations(transaction: Queryable): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock($1)', [SET_UP_LOCK]);
}
