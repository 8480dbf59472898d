import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import { systemErrorCode, UnavailableError } from '../errors.js';
import type { Database, SqlValue, Transaction } from './database.js';
import { DATABASE_LIMITS, TransactionGuard, type DatabaseLimits } from './limits.js';
import { isPassing } from './sql-states.js';
import { Turns } from './turns.js';

/** Opens PostgreSQL embedded in this process, kept in `folder` (made when missing). */
export async function openEmbeddedDatabase(folder: string): Promise<Database> {
  return asDatabase(await PGlite.create(folder), DATABASE_LIMITS);
}

/** Copies of an empty cluster, by the file they are kept in. */
const emptyClusters = new Map<string, Promise<Blob>>();

/**
 * Opens a database that lives in memory only; for tests.
 *
 * PGlite takes seconds to initialise a cluster and a fraction of one to load it from a copy, so an
 * empty one can be kept for the next time.
 * @param cacheFile where the copy lies or is to be put; without it the cluster is made anew.
 */
export async function openMemoryDatabase(
  cacheFile?: string,
  limits: DatabaseLimits = DATABASE_LIMITS,
): Promise<Database> {
  if (cacheFile === undefined) {
    return asDatabase(await PGlite.create('memory://'), limits);
  }
  let copy = emptyClusters.get(cacheFile);
  if (copy === undefined) {
    copy = readFile(cacheFile).then(
      (bytes) => new Blob([bytes]),
      () => makeEmptyCluster(cacheFile),
    );
    emptyClusters.set(cacheFile, copy);
  }
  return asDatabase(await PGlite.create({ loadDataDir: await copy }), limits);
}

async function makeEmptyCluster(cacheFile: string): Promise<Blob> {
  const pglite = await PGlite.create('memory://');
  const copy = await pglite.dumpDataDir('none');
  await pglite.close();
  // Written aside and renamed: another process never reads half a copy.
  const aside = `${cacheFile}.${process.pid}`;
  await mkdir(path.dirname(cacheFile), { recursive: true });
  await writeFile(aside, Buffer.from(await copy.arrayBuffer()));
  await rename(aside, cacheFile);
  return copy;
}

/** PGlite has one connection: every statement and every transaction waits for its turn. */
function asDatabase(pglite: PGlite, limits: DatabaseLimits): Database {
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
