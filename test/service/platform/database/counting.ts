import type {
  Database,
  Queryable,
  SqlValue,
} from '../../../../service/platform/database/database.js';

/** A database that notes what goes over the line to it. */
export interface CountingDatabase extends Database {
  /** Runs work; gives each round trip that it made, in order. */
  during(work: () => Promise<unknown>): Promise<string[]>;
}

/**
 * Counts round trips: each statement is one, and so are the beginning and the end of a transaction.
 * @param isShared what the service is told: with other processes, it takes its locks in the database
 */
export function countRoundTrips(database: Database, isShared: boolean): CountingDatabase {
  let trips: string[] = [];
  const noting = (target: Queryable): Queryable => ({
    query: <Row extends object>(sql: string, params?: readonly SqlValue[]) => {
      trips.push(sql.replace(/\s+/g, ' ').trim());
      return target.query<Row>(sql, params);
    },
  });
  return {
    ...noting(database),
    transaction: async (work, options) => {
      trips.push('BEGIN');
      try {
        return await database.transaction(
          (transaction) =>
            work({ ...noting(transaction), execute: (script) => transaction.execute(script) }),
          options,
        );
      } finally {
        trips.push('COMMIT or ROLLBACK');
      }
    },
    close: () => database.close(),
    isShared,
    during: async (work) => {
      trips = [];
      await work();
      return trips;
    },
  };
}
