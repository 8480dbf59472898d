import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import { access, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode, UnavailableError } from '../errors.js';
import type { Database, SqlValue, Transaction } from './database.js';
import { flushFolder, flushTree } from '../flush.js';
import { DURABLE_SETTINGS, DurableFolder } from './durable-folder.js';
import { DATABASE_LIMITS, TransactionGuard, type DatabaseLimits } from './limits.js';
import { isPassing } from './sql-states.js';
import { Turns } from './turns.js';

/**
 * Opens PostgreSQL embedded in this process, kept in `folder` (made when missing). What it has committed is on the disk.
 */
export async function openEmbeddedDatabase(folder: string): Promise<Database> {
  if (!(await isDatabase(folder))) {
    await makeDatabase(folder);
  }
  return asDatabase(
    await PGlite.create({
      fs: new DurableFolder(folder),
      // "-F" is "fsync=off".
      startParams: [
        ...PGlite.defaultStartParams.filter((one) => one !== '-F'),
        ...DURABLE_SETTINGS,
      ],
    }),
  );
}

async function isDatabase(folder: string): Promise<boolean> {
  return access(path.join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/** Makes a database aside and puts it where it belongs as a whole: one that was cut off would never open. */
async function makeDatabase(folder: string): Promise<void> {
  const aside = `${folder}.new`;
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true, mode: 0o700 });
  const made = await PGlite.create(aside);
  await made.close();
  await flushTree(aside);
  // Refused where the folder holds anything.
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

/**
 * An open PGlite as the service's database. It has one connection: every statement and every transaction waits for
 * its turn.
 */
export function asDatabase(
  pglite: Pick<PGlite, 'query' | 'transaction' | 'close'>,
  limits: DatabaseLimits = DATABASE_LIMITS,
): Database {
  const turns = new Turns();
  return {
    query: <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      turns.take(async () => (await told(pglite.query<Row>(sql, [...params]))).rows, limits.waitMs),
    transaction: (work, options) => {
      const patient = options?.patient === true;
      const guard = new TransactionGuard(patient ? undefined : limits);
      return turns.take(
        () => pglite.transaction((transaction) => guard.run(asTransaction(transaction), work)),
        patient ? undefined : limits.waitMs,
      );
    },
    close: async () => {
      await turns.close();
      await pglite.close();
    },
    isShared: false,
  };
}

function asTransaction(transaction: PgliteTransaction): Transaction {
  return {
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      (await told(transaction.query<Row>(sql, [...params]))).rows,
    execute: async (script) => {
      await told(transaction.exec(script));
    },
  };
}

/** Turns errors about what passes by itself (a full disk, for one) into {@link UnavailableError}. */
async function told<T>(statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (!isPassing(code)) {
      throw cause;
    }
    throw new UnavailableError(`the database refused for now (${code})`, undefined, { cause });
  }
}
