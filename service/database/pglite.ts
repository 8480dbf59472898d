import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { Transaction as PgliteTransaction } from '@electric-sql/pglite';
import type { Database, SqlValue, Transaction } from './database.js';

/** Opens PostgreSQL embedded in this process, kept in `folder` (made when missing). */
export async function openEmbeddedDatabase(folder: string): Promise<Database> {
  return asDatabase(await PGlite.create(folder));
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
export async function openMemoryDatabase(cacheFile?: string): Promise<Database> {
  if (cacheFile === undefined) return asDatabase(await PGlite.create('memory://'));
  let copy = emptyClusters.get(cacheFile);
  if (copy === undefined) {
    copy = readFile(cacheFile).then(
      (bytes) => new Blob([bytes]),
      () => makeEmptyCluster(cacheFile),
    );
    emptyClusters.set(cacheFile, copy);
  }
  return asDatabase(await PGlite.create({ loadDataDir: await copy }));
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

function asDatabase(pglite: PGlite): Database {
  return {
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      (await pglite.query<Row>(sql, [...params])).rows,
    transaction: (work) => pglite.transaction((transaction) => work(asTransaction(transaction))),
    close: () => pglite.close(),
    isShared: false,
  };
}

function asTransaction(transaction: PgliteTransaction): Transaction {
  return {
    query: async <Row extends object>(sql: string, params: readonly SqlValue[] = []) =>
      (await transaction.query<Row>(sql, [...params])).rows,
    execute: async (script) => {
      await transaction.exec(script);
    },
  };
}
