import { readdir, readFile } from 'node:fs/promises';
import type { Database } from './database.js';

const MIGRATIONS = new URL('./migrations/', import.meta.url);

/**
 * Brings the schema up to date: applies each `NNNN_name.sql` that the database has not seen, in
 * order, each in a transaction of its own. A migration is never edited after its release.
 */
export async function migrate(database: Database): Promise<void> {
  await database.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       name text PRIMARY KEY,
       applied_at timestamptz NOT NULL DEFAULT now()
     )`,
  );
  const applied = new Set(
    (await database.query<{ name: string }>('SELECT name FROM schema_migrations')).map(
      (row) => row.name,
    ),
  );
  const names = (await readdir(MIGRATIONS)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  for (const name of names.filter((candidate) => !applied.has(candidate))) {
    const script = await readFile(new URL(name, MIGRATIONS), 'utf8');
    await database.transaction(async (transaction) => {
      await transaction.execute(script);
      await transaction.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
    });
  }
}
