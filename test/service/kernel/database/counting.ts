import type {
  Database,
  Queryable,
  SqlValue,
} from '../../../../service/kernel/database/database.js';

/**
 * Statements of background work: pictures, sums, mail, digests, webhooks, the timer that renews a lock, and the use of a browser, which
 * is noted once a minute.
 */
const BACKGROUND =
  /\b(UPDATE|FROM|INTO) thumbnails\b|UPDATE upload_locks\b|webhook_deliveries|outgoing_mail|mailed_at|INTO browser_sessions\b|sum_photo_counts|\bDELETE FROM share_digests\b|UPDATE reply_subscriptions SET since\b|share_rounds WHERE due_at\b/;

const BEGIN = 'BEGIN';
const END = 'COMMIT or ROLLBACK';

/** Whether statements are of background work. A request ends its transactions before it is answered. */
function isBackground(group: readonly string[]): boolean {
  return group.some((sql) => BACKGROUND.test(sql)) || (group[0] === BEGIN && !group.includes(END));
}

/** A database that notes what goes over the line to it. */
export interface CountingDatabase extends Database {
  /** Runs work; returns each round trip that it made, in order, without those of background work. */
  during(work: () => Promise<unknown>): Promise<string[]>;
  /** The same, with those of background work. */
  duringAll(work: () => Promise<unknown>): Promise<string[]>;
}

/**
 * Counts round trips: each statement is one, and so are the beginning and the end of a transaction.
 * @param isShared what the service is told: with other processes, it takes its locks in the database
 */
export function countRoundTrips(database: Database, isShared: boolean): CountingDatabase {
  // A list for each transaction and for each statement outside of one.
  let groups: string[][] = [];
  const begin = (): string[] => {
    const group: string[] = [];
    groups.push(group);
    return group;
  };
  const noting = (target: Queryable, groupOf: () => string[]): Queryable => ({
    query: <Row extends object>(sql: string, params?: readonly SqlValue[]) => {
      groupOf().push(sql.replace(/\s+/g, ' ').trim());
      return target.query<Row>(sql, params);
    },
  });
  return {
    ...noting(database, begin),
    transaction: async (work, options) => {
      const group = begin();
      group.push(BEGIN);
      try {
        return await database.transaction(
          (transaction) =>
            work({
              ...noting(transaction, () => group),
              execute: (script) => transaction.execute(script),
            }),
          options,
        );
      } finally {
        group.push(END);
      }
    },
    close: () => database.close(),
    isShared,
    during: async (work) => {
      groups = [];
      await work();
      return groups.filter((group) => !isBackground(group)).flat();
    },
    duringAll: async (work) => {
      groups = [];
      await work();
      return groups.flat();
    },
  };
}
