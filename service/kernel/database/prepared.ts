import { createHash } from 'node:crypto';

const names = new Map<string, string>();

/**
 * Marks a statement that many requests make: PostgreSQL parses its text once for each connection, and can reuse the
 * plan. Only for constants that name their columns: a prepared `SELECT *` fails once a column was added.
 * @returns the statement itself
 */
export function prepared(sql: string): string {
  names.set(sql, createHash('sha256').update(sql).digest('base64url').slice(0, 24));
  return sql;
}

/** The name of a statement that was marked by {@link prepared}: the same for the same text, in every process. */
export function preparedName(sql: string): string | undefined {
  return names.get(sql);
}

/** The statements that were marked by {@link prepared}. */
export function preparedStatements(): readonly string[] {
  return [...names.keys()];
}
