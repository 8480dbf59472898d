import type { Queryable } from './database.js';

/**
 * The size of a table that is too small to vacuum, in bytes: 32 pages. PostgreSQL reads a smaller one from end to end as
 * fast as by an index. With statistics it would plan so, and a prepared statement keeps that plan while the table grows.
 */
const SMALL = 32 * 8192;

/** How many rows, and which part of a table, may change before it is vacuumed again. */
const CHANGED_ROWS = 1000;
const CHANGED_PART = 0.1;

/**
 * Does for an embedded database what a PostgreSQL server does automatically (autovacuum): makes the space of old versions
 * of rows usable, and renews the planner's statistics, for each table of which much has changed.
 */
export async function vacuumChanged(database: Queryable, signal?: AbortSignal): Promise<void> {
  const changed = await database.query<{ name: string }>(
    // Not from the view of statistics, which joins all tables and indexes with each other.
    `SELECT quote_ident(relname) AS name
       FROM pg_class
      WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
        AND pg_relation_size(oid) >= ${SMALL}
        AND (reltuples < 0
             OR pg_stat_get_mod_since_analyze(oid) > ${CHANGED_ROWS} + ${CHANGED_PART} * reltuples)
      ORDER BY 1`,
  );
  // Separately, so that requests are answered in between.
  for (const { name } of changed) {
    if (signal?.aborted === true) {
      return;
    }
    // A table that lost its empty end would be small again.
    await database.query(`VACUUM (ANALYZE, TRUNCATE false) ${name}`);
  }
}
