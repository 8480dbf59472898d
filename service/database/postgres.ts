import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import { ServiceStartError, systemErrorCode } from '../errors.js';
import type { Database, SqlValue, Transaction } from './database.js';

/** Connections per process. A process does little else than wait for them. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** No statement of ours takes long; one that does has met a lock it will not get. */
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * Opens a database on a PostgreSQL server (14 or later).
 * @param url `postgres://user:password@host:port/database`, with the query parameters of
 * node-postgres (`sslmode`, …).
 * @param onConnectionLost hears of idle connections that broke; the pool replaces them by itself.
 * @throws {ServiceStartError} `database_unavailable` when the server does not let us in; the message
 * names host and reason, never the password.
 */
export async function openPostgresDatabase(
  url: string,
  onConnectionLost: (error: Error) => void,
): Promise<Database> {
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'creative-workspace-service',
  });
  pool.on('error', onConnectionLost);
  try {
    await pool.query('SELECT 1');
  } catch (cause) {
    await pool.end();
    throw new ServiceStartError(
      'database_unavailable',
      `Cannot use the database on ${new URL(url).host} (${systemErrorCode(cause) || 'no answer'}); check DATABASE_URL and the server.`,
      { cause },
    );
  }
  return {
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      (await pool.query<Row>(sql, [...params])).rows,
    transaction: (work) => runTransaction(pool, work),
    close: () => pool.end(),
    isShared: true,
  };
}

async function runTransaction<T>(
  pool: Pool,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(asTransaction(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that cannot even roll back is thrown away.
    await client.query('ROLLBACK').catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error('rollback failed');
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

function asTransaction(client: PoolClient): Transaction {
  return {
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      (await client.query<Row>(sql, [...params])).rows,
    execute: async (script) => {
      await client.query(script);
    },
  };
}
