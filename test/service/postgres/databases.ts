import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Database } from '../../../service/platform/database/database.js';
import type { DatabaseLimits } from '../../../service/platform/database/timeouts.js';
import { openPostgresDatabase } from '../../../service/platform/database/postgres.js';

/** Makes an empty database on a PostgreSQL server and returns its URL. */
export async function makeDatabaseUrl(serverUrl: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export function dropDatabase(serverUrl: string, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  return onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** Makes a database and opens it; closing it removes it. */
export async function makeDatabase(serverUrl: string, limits?: DatabaseLimits): Promise<Database> {
  const url = await makeDatabaseUrl(serverUrl);
  let isClosing = false;
  const database = await openPostgresDatabase(
    url,
    (error) => {
      // The server ends the last connections of a pool when the database is removed.
      if (!isClosing) throw error;
    },
    limits,
  );
  return {
    ...database,
    close: async () => {
      isClosing = true;
      await database.close();
      await dropDatabase(serverUrl, url);
    },
  };
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
