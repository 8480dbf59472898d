import { PGlite, type Transaction as PgliteTransaction } from '@electric-sql/pglite';
import { systemErrorCode, UnavailableError } from '../errors.js';
import type { Database, SqlValue, Transaction } from './database.js';
import { DATABASE_LIMITS, TransactionGuard, type DatabaseLimits } from './limits.js';
import { isPassing } from './sql-states.js';
import { Turns } from './turns.js';

/** Opens PostgreSQL embedded in this process, kept in `folder` (made when missing). */
export async function openEmbeddedDatabase(folder: string): Promise<Database> {
  return asDatabase(await PGlite.create(folder));
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
