/*
 * What one request costs, and one row. Each figure has its source; put new ones in when they were measured.
 * "measure": `npm run growth-model -- --measure` prints it. "trips": test/service/round-trips.test.ts holds it.
 * "bench": `npm run bench -- service`, PostgreSQL and one process (docs/performance.md).
 * "guess": nobody measured it.
 */

/** What one request costs. */
export interface RequestCost {
  /** Trips to the database, of a service beside others. */
  readonly trips: number;
  /** Commits that wait for the disk. */
  readonly flushes: number;
  /** Transactions that get a number, whether they wait for the disk or not. */
  readonly transactions: number;
  /** Bytes of journal when every page was written since the last checkpoint, and when none was. */
  readonly journalBytes: number;
  readonly firstJournalBytes: number;
  /** Processor time in seconds. */
  readonly serviceSeconds: number;
  readonly databaseSeconds: number;
}

/** bench (`large-photos`, on a busy machine): 45 and 47 ms of the service for a photo of 8 MB. */
export const PHOTO_SECONDS = 0.05;

/** A process makes one thumbnail at a time. A guess; the service gives up after 5 s. */
export const THUMBNAIL_SECONDS = 0.15;

export const REQUESTS = {
  refresh: {
    // trips; one statement reads, one writes.
    trips: 2,
    flushes: 1,
    transactions: 1,
    // measure: 3105 and 74001.
    journalBytes: 3_100,
    firstJournalBytes: 74_000,
    // bench
    serviceSeconds: 0.001_12,
    databaseSeconds: 0.000_45,
  },
  poll: {
    // trips; the table has no journal, the transaction gets a number all the same. measure: 40 bytes.
    trips: 1,
    flushes: 0,
    transactions: 1,
    journalBytes: 40,
    firstJournalBytes: 40,
    // bench
    serviceSeconds: 0.000_69,
    databaseSeconds: 0.000_14,
  },
  /** A request with a token that was used before: `/api/v1/me`, `/api/v1/uploads/known`, a list. */
  read: {
    // trips, measure.
    trips: 2,
    flushes: 0,
    transactions: 0,
    journalBytes: 0,
    firstJournalBytes: 0,
    // guess: a little more than a poll, without its write.
    serviceSeconds: 0.001,
    databaseSeconds: 0.000_3,
  },
  /** What the first request with a new access token costs more, and the first in each minute of use. */
  use: {
    // trips: 3 instead of 2.
    trips: 1,
    flushes: 1,
    transactions: 1,
    // measure: 8246 with its refresh before it, and 79778.
    journalBytes: 1_000,
    firstJournalBytes: 6_000,
    // guess
    serviceSeconds: 0.000_2,
    databaseSeconds: 0.000_3,
  },
  /** A photo in one request, and its thumbnail. */
  photo: {
    // trips: 3, of which the check of the token does not write; two more for the thumbnail, which do not wait for the disk.
    trips: 5,
    flushes: 2,
    transactions: 4,
    // measure: 19137 and 105288; and the thumbnail itself.
    journalBytes: 28_000,
    firstJournalBytes: 114_000,
    // bench: 1.41 ms of the database for a photo of 10 kB, and at most 0.57 of both for its thumbnail later.
    serviceSeconds: PHOTO_SECONDS + THUMBNAIL_SECONDS,
    databaseSeconds: 0.002,
  },
  /** Code, sign-in, consent and tokens, without the polls. */
  connect: {
    // guess: four pages and two token requests.
    trips: 40,
    flushes: 12,
    transactions: 20,
    // measure: 27087 and 159569.
    journalBytes: 27_000,
    firstJournalBytes: 160_000,
    // A password takes a tenth of a second (service/accounts/password-check.ts); guess: the pages as much as ten polls.
    serviceSeconds: 0.11,
    databaseSeconds: 0.01,
  },
} as const satisfies Readonly<Record<string, RequestCost>>;

/** Bytes of one row with its indexes, by measure. */
export const ROW_BYTES = {
  account: 808,
  consent: 380,
  grant: 631,
  refreshToken: 1_252,
  accessToken: 867,
  upload: 2_644,
  thumbnail: 8_562,
  /** What of an upload's row is indexes: most are in the order of random ids, so that a new row may touch any page. */
  uploadIndexes: 1_900,
} as const;

/**
 * Rows of a connection: its refresh token and the one before (service/oauth/refresh-exchange.ts), its access token and
 * the one before, which has not expired when the next one comes.
 */
export const ROWS_OF_CONNECTION = { refreshTokens: 2, accessTokens: 2 } as const;

/** Rows that a connection leaves behind for the purge: a device code, its poll, two sign-in pages, a session. A guess. */
export const ROWS_LEFT_BY_CONNECTING = 5;

/** How much larger tables get by pages half empty, and rows that are dead and not yet swept. A guess. */
export const GROWN = 1.3;

/** The service's own limits. */
export const SERVICE = {
  /** Connections to the database of one process (service/database/postgres.ts). */
  connectionsPerProcess: 10,
  /** Device codes in 15 minutes above which each address gets 10 instead of 100 (service/oauth/storage-limits.ts). */
  deviceCodesFromEverywhere: 10_000,
  /** Wrong codes in 15 minutes above which each address may enter 5 instead of 20 (service/oauth/code-entry-limit.ts). */
  wrongCodesFromEverywhere: 1_000,
  /** Codes that wait at a time, for which guessing was worked out (docs/protocol.md). */
  waitingCodes: 1_000,
  /** Trips for which an attempt keeps the row that all attempts share: half of three counters, and the commit. */
  tripsWithSharedRow: 2.5,
  /** Seconds between two purges, and rows of a step (service/assemble.ts, service/database/upkeep.ts). */
  purgeEverySeconds: 300,
  purgeBatch: 500,
  /**
   * A step of the purge, and of the daily look for consents without a grant. Measured with 200,000 connections on
   * PostgreSQL, medians of 210 and of 401 steps: 3.3 ms and 1.8 ms.
   */
  purgeStepSeconds: 0.003_3,
  orphansStepSeconds: 0.001_8,
} as const;
