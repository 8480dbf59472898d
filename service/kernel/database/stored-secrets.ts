import type { Queryable } from './database.js';

/** A key of the service, in the database so that every process has it. */
export interface StoredSecret<T> {
  readonly name: string;
  readonly value: T;
}

/** The secrets whose names begin with a prefix. */
export function storedSecrets<T>(database: Queryable, prefix: string): Promise<StoredSecret<T>[]> {
  return database.query<StoredSecret<T>>(
    'SELECT name, value FROM service_secrets WHERE starts_with(name, $1) ORDER BY name',
    [prefix],
  );
}

/** Stores a secret, unless there is one of this name: of several processes the first one wins. */
export async function addSecret(database: Queryable, name: string, value: unknown): Promise<void> {
  await database.query(
    'INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    [name, JSON.stringify(value)],
  );
}

/** Replaces the value of a secret. */
export async function changeSecret(
  database: Queryable,
  name: string,
  value: unknown,
): Promise<void> {
  await database.query('UPDATE service_secrets SET value = $2 WHERE name = $1', [
    name,
    JSON.stringify(value),
  ]);
}
