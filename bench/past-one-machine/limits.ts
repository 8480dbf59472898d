import type { Assumptions, Machines } from './assumptions.js';
import { ROW_BYTES, SERVICE } from './costs.js';
import { loadOf, secondsOfSteps, type Load } from './model.js';

/** Something that is used up as plugins get more. */
interface Limit {
  readonly name: string;
  /** What is used of it, as a share: above 1 it breaks. Never falls as plugins get more. */
  readonly used: (load: Load) => number;
  /** What breaks, and what is done then. */
  readonly then: string;
}

/** A limit, and the number of connected plugins from which on it is used up; Infinity when never. */
export interface Reached extends Pick<Limit, 'name' | 'then'> {
  readonly plugins: number;
}

const QUARTER_SECONDS = 15 * 60;
const DAY_SECONDS = 86_400;
/** PostgreSQL sweeps a whole table at the latest after so many transactions (autovacuum_freeze_max_age). */
const TRANSACTIONS_TO_FREEZE = 200e6;
/** More plugins than people: what is reached beyond is never reached. */
const MOST = 1e11;

/** When each limit is reached, the first one first. */
export function limitsReached(assumed: Assumptions, machines: Machines): readonly Reached[] {
  return [...ofStorage(machines), ...ofDatabase(machines), ...ofService(assumed, machines)]
    .map(({ name, then, used }) => ({
      name,
      then,
      plugins: whereReached((plugins) => used(loadOf(plugins, assumed, machines))),
    }))
    .sort((one, other) => one.plugins - other.plugins);
}

/** The number at which `used` passes 1, to a thousandth. */
export function whereReached(used: (plugins: number) => number): number {
  if (used(MOST) <= 1) {
    return Infinity;
  }
  let [least, most] = [1, MOST];
  while (most / least > 1.001) {
    const middle = Math.sqrt(least * most);
    [least, most] = used(middle) > 1 ? [least, middle] : [middle, most];
  }
  return most;
}

function ofStorage(machines: Machines): readonly Limit[] {
  return [
    {
      name: 'Disk for photos in a folder',
      used: ({ photoBytes }) => photoBytes / machines.photoDiskBytes,
      then: 'S3-compatible storage (`S3_BUCKET`); several buckets, by the first letters of the id, past what one takes',
    },
    {
      name: 'Disk of the database',
      used: ({ connectionBytes, photoRowBytes }) =>
        (connectionBytes + photoRowBytes) / (machines.share * machines.databaseDiskBytes),
      then: 'Thumbnails go to the storage, beside their photos: three quarters of it; then `uploads` in partitions by workspace',
    },
    {
      name: 'Line of one machine',
      used: ({ photoBytesPerSecond }) =>
        photoBytesPerSecond / (machines.share * machines.lineBytesPerSecond),
      then: 'More machines for processes behind the proxy; they share nothing but the database',
    },
  ];
}

function ofDatabase(machines: Machines): readonly Limit[] {
  const { share } = machines;
  return [
    {
      name: 'Connections to the database',
      used: ({ processes }) =>
        (processes * SERVICE.connectionsPerProcess) / machines.databaseConnections,
      then: 'PgBouncer in transaction mode, or a higher `max_connections`, up to some hundreds',
    },
    {
      name: 'Journal of the database',
      used: ({ journalBytesPerSecond }) =>
        journalBytesPerSecond / (share * machines.journalBytesPerSecond),
      then: 'Most of it is whole pages after a checkpoint: `wal_compression`, checkpoints every 30 minutes; then shards',
    },
    {
      name: 'Commits on one disk',
      used: ({ flushesPerSecond }) => flushesPerSecond / (share * machines.commitsPerSecond),
      then: 'Shards by account',
    },
    {
      name: 'Transaction numbers: less than a day between two sweeps of all tables',
      used: ({ transactionsPerSecond }) =>
        (transactionsPerSecond * DAY_SECONDS) / TRANSACTIONS_TO_FREEZE,
      then: '`autovacuum_freeze_max_age` at a billion; `uploads` in partitions, so that old ones are swept once',
    },
    {
      name: 'Processors of the database',
      used: ({ databaseCores }) => databaseCores / (share * machines.databaseCores),
      then: 'Shards by account',
    },
    {
      name: 'Memory of the database for what requests read',
      used: ({ connectionBytes, photos }) =>
        (connectionBytes + photos * ROW_BYTES.uploadIndexes) /
        (share * machines.databaseMemoryBytes),
      then: '`uploads` in partitions by workspace and year: only the newest are read often; then shards',
    },
  ];
}

function ofService(assumed: Assumptions, machines: Machines): readonly Limit[] {
  return [
    {
      name: 'One process of the service',
      used: ({ serviceCores }) => serviceCores / machines.share,
      then: 'More processes on the same `DATABASE_URL`, on any number of machines',
    },
    {
      name: 'A day for the look for consents without a grant, all processes together',
      used: ({ plugins, processes }) =>
        (secondsOfSteps(plugins, SERVICE.orphansStepSeconds) * processes) / DAY_SECONDS,
      then: 'One process does it (a lock in the database), or none: only rows of an earlier version are found',
    },
    {
      name: 'Five minutes for the purge',
      used: ({ purgedPerSecond }) =>
        secondsOfSteps(purgedPerSecond * SERVICE.purgeEverySeconds, SERVICE.purgeStepSeconds) /
        SERVICE.purgeEverySeconds,
      then: 'Device codes, sign-in pages and sessions in partitions by the hour, dropped as a whole',
    },
    {
      name: 'Device codes from everywhere',
      used: ({ perSecond }) =>
        (perSecond.connect * QUARTER_SECONDS) / SERVICE.deviceCodesFromEverywhere,
      then: 'Each address then gets 10 codes in 15 minutes instead of 100. The number grows with the service: an option',
    },
    {
      name: 'Wrong codes from everywhere',
      used: ({ perSecond }) =>
        (perSecond.connect * assumed.wrongCodes * QUARTER_SECONDS) /
        SERVICE.wrongCodesFromEverywhere,
      then: 'Each address may then enter 5 in 15 minutes instead of 20; longer codes first, then a higher number',
    },
    {
      name: 'Codes that wait, for which guessing was worked out',
      used: ({ waitingCodes }) => waitingCodes / SERVICE.waitingCodes,
      then: 'Nine letters instead of eight: guessing finds twenty times less',
    },
    {
      name: 'The row that counts all device codes',
      used: ({ perSecond }) =>
        perSecond.connect * SERVICE.tripsWithSharedRow * machines.roundTripSeconds,
      then: 'One attempt waits for the other. Sixteen rows by chance, added up when they are read',
    },
  ];
}
