import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Database } from '../../../service/kernel/database/database.js';
import type { DatabaseLimits } from '../../../service/kernel/database/timeouts.js';
import { openPostgresDatabase } from '../../../service/kernel/database/postgres.js';

/** Makes a database on a PostgreSQL server, empty or a copy of another one, and returns its URL. */
export async function makeDatabaseUrl(serverUrl: string, template?: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const from = template === undefined ? '' : ` TEMPLATE "${template}"`;
  await onServer(serverUrl, (client) => client.query(`CREATE DATABASE ${name}${from}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Makes a database to copy others from, unless the server has it. Of several callers one makes it; the others wait. */
export async function keepTemplate(
  serverUrl: string,
  name: string,
  make: (database: Database) => Promise<void>,
): Promise<void> {
  await onServer(serverUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount !== 0) return;
    const url = await makeDatabaseUrl(serverUrl);
    const database = await openPostgresDatabase(url, throwIt);
    try {
      await make(database);
    } finally {
      await database.close();
    }
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO "${name}"`);
  });
}

export function dropDatabase(serverUrl: string, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  return onServer(serverUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}

/** Makes a database, as {@link makeDatabaseUrl} does, and opens it; closing it removes it. */
export async function makeDatabase(
  serverUrl: string,
  limits?: DatabaseLimits,
  template?: string,
): Promise<Database> {
  const url = await makeDatabaseUrl(serverUrl, template);
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

function throwIt(error: Error): never {
  throw error;
}

async function onServer(
  serverUrl: string,
  work: (client: Client) => Promise<unknown>,
): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
