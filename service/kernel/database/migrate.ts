import { readdir, readFile } from 'node:fs/promises';
import { ServiceStartError } from '../errors.js';
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
 * @throws {ServiceStartError} `database_too_new` when a later version has migrated the database.
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
    const { missing, newer } = await compareMigrations(transaction, names);
    if (newer !== undefined) {
      throw new ServiceStartError(
        'database_too_new',
        `A later version has migrated the database (${newer}); install that version, or restore a backup from before.`,
      );
    }
    for (const name of missing) {
      await transaction.execute(await readFile(new URL(name, folder), 'utf8'));
      await transaction.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
    }
  }, NO_TIMEOUT);
}

/** How a database differs from this version. */
export interface SchemaDifference {
  /** The migrations that it does not have, in order: all of them where no service has run. */
  readonly missing: readonly string[];
  /** The last migration of a later version; undefined when there is none. */
  readonly newer: string | undefined;
}

/** Compares a database with this version. Changes nothing. */
export async function compareSchema(
  database: Queryable,
  folder = MIGRATIONS,
): Promise<SchemaDifference> {
  const names = await migrationNames(folder);
  const [table] = await database.query<{ found: string | null }>(
    `SELECT to_regclass('schema_migrations')::text AS found`,
  );
  return table?.found == null
    ? { missing: names, newer: undefined }
    : compareMigrations(database, names);
}

async function compareMigrations(
  database: Queryable,
  names: readonly string[],
): Promise<SchemaDifference> {
  const rows = await database.query<{ name: string }>('SELECT name FROM schema_migrations');
  const applied = rows.map(({ name }) => name).sort();
  const last = applied.at(-1);
  return {
    missing: names.filter((name) => !applied.includes(name)),
    newer: last !== undefined && last > (names.at(-1) ?? '') ? last : undefined,
  };
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
