import { PGlite } from '@electric-sql/pglite';
import { access, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { LostAnswerError, systemErrorCode } from '../errors.js';
import type { Database, SqlValue } from './database.js';
import { flushFolder, flushTree } from '../fsync.js';
import { COLUMN_TYPES } from './column-types.js';
import { ConnectionMutex } from './connection-mutex.js';
import { DURABLE_SETTINGS, DurableFolder } from './durable-folder.js';
import { InProcessStream, type ServedDatabase } from './in-process-stream.js';
import { DATABASE_LIMITS, TransactionTimeout, type DatabaseLimits } from './timeouts.js';
import { ignoreErrors, runTransaction, SerializedClient } from './serialized-client.js';

/**
 * Opens PostgreSQL embedded in this process, kept in `folder` (made when missing). What it has committed is on the
 * disk.
 */
export async function openEmbeddedDatabase(folder: string): Promise<Database> {
  if (!(await isDatabase(folder))) {
    await makeDatabase(folder);
  }
  const durable = new DurableFolder(folder);
  const pglite = await PGlite.create({
    fs: durable,
    // "-F" is "fsync=off".
    startParams: [...PGlite.defaultStartParams.filter((one) => one !== '-F'), ...DURABLE_SETTINGS],
  });
  return asDatabase(pglite, { flush: () => durable.flush() });
}

async function isDatabase(folder: string): Promise<boolean> {
  return access(path.join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** Makes a database in another folder, and renames that once it is complete: a half-made database would never open. */
async function makeDatabase(folder: string): Promise<void> {
  const aside = `${folder}.new`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true, mode: 0o700 });
  const made = await PGlite.create(aside);
  await made.close();
  await flushTree(aside);
  // Fails when the folder is not empty, so that nothing is overwritten.
  await rmdir(folder).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') {
      throw error;
    }
  });
  await rename(aside, folder);
  await flushFolder(path.dirname(folder));
}

/** Opens a database that lives in memory only. */
export async function openMemoryDatabase(): Promise<Database> {
  return asDatabase(await PGlite.create('memory://'));
}

export interface EmbeddedOptions {
  readonly limits?: DatabaseLimits | undefined;
  readonly flush?: () => Promise<void>;
}

/**
 * Makes the service's database of an open PGlite. It has one connection: statements and transactions run one at a time,
 * in the order of arrival. node-postgres speaks to it as it does to a PostgreSQL server.
 * @param options `flush` resolves when the disk has all that was committed. The next statements run during that, so it
 *   is awaited before each answer, also of a statement that reads or fails: it may depend on an earlier one.
 */
export async function asDatabase(
  pglite: ServedDatabase,
  { limits = DATABASE_LIMITS, flush = () => Promise.resolve() }: EmbeddedOptions = {},
): Promise<Database> {
  const client = new Client({
    stream: () => new InProcessStream(pglite),
    // Given here, so that node-postgres does not take them from the environment, which is about servers.
    ssl: false,
    user: 'postgres',
    database: 'postgres',
    password: '',
    types: COLUMN_TYPES,
  });
  ignoreErrors(client);
  await client.connect();
  const statements = new SerializedClient(client);
  const connection = new ConnectionMutex();
  const durably = async <T>(work: () => Promise<T>, waitMs: number | undefined): Promise<T> => {
    try {
      return await connection.run(work, waitMs);
    } finally {
      await flush().catch((cause: unknown) => {
        throw new LostAnswerError('the disk has failed', undefined, { cause });
      });
    }
  };
  return {
    query: <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      durably(() => statements.query<Row>(sql, params), limits.waitMs),
    transaction: (work, options) => {
      const noTimeout = options?.noTimeout === true;
      const guard = new TransactionTimeout(noTimeout ? undefined : limits);
      return durably(
        async () => {
          try {
            return await runTransaction(statements, guard, work);
          } catch (error) {
            // A ROLLBACK fails only when the database has broken down; then all later statements fail as well.
            await statements.execute('ROLLBACK').catch(() => undefined);
            throw error;
          }
        },
        noTimeout ? undefined : limits.waitMs,
      );
    },
    close: async () => {
      await connection.close();
      await client.end();
      await pglite.close();
    },
    isShared: false,
  };
}
