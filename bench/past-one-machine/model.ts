import type { Assumptions, Machines } from './assumptions.js';
import {
  GROWN,
  REQUESTS,
  ROW_BYTES,
  ROWS_LEFT_BY_CONNECTING,
  ROWS_OF_CONNECTION,
  SERVICE,
  type RequestCost,
} from './costs.js';

const DAY_SECONDS = 86_400;
const DAYS_PER_YEAR = 365;
const PAGE_BYTES = 8192;

type RequestKind = keyof typeof REQUESTS;

/** What so many connected plugins bring. Rates are those of the busiest hour, per second. */
export interface Load {
  readonly plugins: number;
  readonly perSecond: Readonly<Record<RequestKind, number>>;
  /** Plugins at work at a time. */
  readonly atWork: number;
  /** Refreshes per second when an outage is over. */
  readonly refreshesAfterOutage: number;
  /** Device codes that wait for a person at a time. */
  readonly waitingCodes: number;
  readonly photoBytesPerSecond: number;
  readonly tripsPerSecond: number;
  readonly flushesPerSecond: number;
  readonly transactionsPerSecond: number;
  readonly journalBytesPerSecond: number;
  readonly serviceCores: number;
  readonly databaseCores: number;
  /** Processes of the service; each has one processor. */
  readonly processes: number;
  /** Rows of `oidc_records`. */
  readonly records: number;
  /** Bytes of all rows of accounts and their connections. */
  readonly connectionBytes: number;
  /** Photos that are kept, their bytes, and those of their rows and thumbnails. */
  readonly photos: number;
  readonly photoBytes: number;
  readonly photoRowBytes: number;
  /** Rows that the purge removes per second. */
  readonly purgedPerSecond: number;
}

/** Works out the load of so many connected plugins. */
export function loadOf(plugins: number, assumed: Assumptions, machines: Machines): Load {
  const perSecond = ratesOf(plugins, assumed);
  const sum = (cost: (one: RequestCost) => number): number =>
    kinds().reduce((total, kind) => total + perSecond[kind] * cost(REQUESTS[kind]), 0);
  const rows = rowsOf(plugins, assumed);
  const touched = sum(pagesOf) * machines.checkpointSeconds;
  const first = shareOfFirst(touched, (rows.connectionBytes + rows.indexBytes) / PAGE_BYTES);
  const serviceCores = sum((one) => one.serviceSeconds);
  const atWork = ((plugins * assumed.usedOnDay * assumed.hoursInUse) / 24) * assumed.busiestHour;
  const expired = Math.min(1, assumed.outageSeconds / assumed.accessTokenSeconds);
  return {
    plugins,
    perSecond,
    atWork,
    refreshesAfterOutage: (atWork * expired) / assumed.backSeconds,
    waitingCodes: perSecond.connect * secondsOfWaiting(assumed),
    photoBytesPerSecond: perSecond.photo * assumed.photoBytes,
    tripsPerSecond: sum((one) => one.trips),
    flushesPerSecond: sum((one) => one.flushes),
    transactionsPerSecond: sum((one) => one.transactions),
    journalBytesPerSecond: sum(
      (one) => one.journalBytes + first * (one.firstJournalBytes - one.journalBytes),
    ),
    serviceCores,
    databaseCores: sum((one) => one.databaseSeconds),
    processes: Math.max(1, Math.ceil(serviceCores / machines.share)),
    purgedPerSecond: perSecond.connect * ROWS_LEFT_BY_CONNECTING,
    ...rows,
  };
}

function kinds(): readonly RequestKind[] {
  return Object.keys(REQUESTS) as RequestKind[];
}

function ratesOf(plugins: number, assumed: Assumptions): Load['perSecond'] {
  const { hoursInUse } = assumed;
  const used = plugins * assumed.usedOnDay;
  const peak = assumed.busiestHour / DAY_SECONDS;
  // One more for the token that ended overnight.
  const refreshes = 1 + (hoursInUse * 3600) / (assumed.accessTokenSeconds * assumed.renewedAt);
  const connects = plugins * assumed.connectingOnDay;
  // Photos come in batches: one minute of use, which is noted once (service/oauth/bearer.ts), for each three of them.
  const uses = refreshes + assumed.photosOnDay / 3;
  return {
    refresh: used * refreshes * peak,
    poll: (connects * secondsOfWaiting(assumed) * peak) / assumed.pollIntervalSeconds,
    // After each refresh the plugin asks whose session it is, and before each batch which photos are known.
    read: used * uses * peak,
    use: used * uses * peak,
    photo: used * assumed.photosOnDay * peak,
    connect: connects * peak,
  };
}

/** How long a device code waits for its person, on average. */
function secondsOfWaiting({ abandoned, approvalSeconds, deviceCodeSeconds }: Assumptions): number {
  return (1 - abandoned) * approvalSeconds + abandoned * deviceCodeSeconds;
}

function rowsOf(
  plugins: number,
  assumed: Assumptions,
): Pick<Load, 'records' | 'connectionBytes' | 'photos' | 'photoBytes' | 'photoRowBytes'> & {
  readonly indexBytes: number;
} {
  const { refreshTokens, accessTokens } = ROWS_OF_CONNECTION;
  const photos =
    plugins * assumed.usedOnDay * assumed.photosOnDay * DAYS_PER_YEAR * assumed.yearsKept;
  return {
    records: plugins * (1 + refreshTokens + accessTokens),
    connectionBytes:
      plugins *
      GROWN *
      (ROW_BYTES.account +
        ROW_BYTES.consent +
        ROW_BYTES.grant +
        refreshTokens * ROW_BYTES.refreshToken +
        accessTokens * ROW_BYTES.accessToken),
    photos,
    photoBytes: photos * assumed.photoBytes,
    photoRowBytes: photos * GROWN * (ROW_BYTES.upload + ROW_BYTES.thumbnail),
    indexBytes: photos * GROWN * ROW_BYTES.uploadIndexes,
  };
}

/** Pages that a request changes: after a checkpoint each goes into the journal as a whole. */
function pagesOf({ journalBytes, firstJournalBytes }: RequestCost): number {
  return (firstJournalBytes - journalBytes) / PAGE_BYTES;
}

/** Of so many changes, spread evenly over so many pages, the share that meets its page for the first time. */
export function shareOfFirst(changes: number, pages: number): number {
  return changes === 0 ? 1 : (pages / changes) * -Math.expm1(-changes / pages);
}

/** Seconds that the steps of one run over `rows` rows take. */
export function secondsOfSteps(rows: number, stepSeconds: number): number {
  return (rows / SERVICE.purgeBatch) * stepSeconds;
}
