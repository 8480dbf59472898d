import type { Lifetimes } from '../../service/options.js';

/** What people and plugins do. None of it was measured: no plugin is out yet. Times in seconds, shares from 0 to 1. */
export interface Assumptions extends Pick<
  Lifetimes,
  'accessTokenSeconds' | 'deviceCodeSeconds' | 'pollIntervalSeconds'
> {
  /** Of the connected plugins, how many are used on a day. */
  readonly usedOnDay: number;
  /** Hours of such a day in which a plugin sends anything. */
  readonly hoursInUse: number;
  /** How much more comes in the busiest hour than in an hour on average. */
  readonly busiestHour: number;
  /** When a plugin renews its access token, as a share of the token's life. */
  readonly renewedAt: number;
  /** Of the connected plugins, how many connect on a day, for the first time or again. */
  readonly connectingOnDay: number;
  /** From the code to Allow. */
  readonly approvalSeconds: number;
  /** Of those who ask for a code, how many never enter it: their plugin polls until the code ends. */
  readonly abandoned: number;
  /** Wrong codes that people enter for each one that is right. */
  readonly wrongCodes: number;
  /** Photos that a plugin sends on a day on which it is used. */
  readonly photosOnDay: number;
  readonly photoBytes: number;
  /** How long photos stay. */
  readonly yearsKept: number;
  /** How long an outage lasts, and within what time all plugins are back after it. */
  readonly outageSeconds: number;
  readonly backSeconds: number;
}

/** @param lifetimes those of the service's own options */
export function usualAssumptions(lifetimes: Lifetimes): Assumptions {
  return {
    accessTokenSeconds: lifetimes.accessTokenSeconds,
    deviceCodeSeconds: lifetimes.deviceCodeSeconds,
    pollIntervalSeconds: lifetimes.pollIntervalSeconds,
    usedOnDay: 0.3,
    hoursInUse: 4,
    busiestHour: 3,
    renewedAt: 0.95,
    connectingOnDay: 0.005,
    approvalSeconds: 60,
    abandoned: 0.1,
    wrongCodes: 0.05,
    photosOnDay: 20,
    photoBytes: 8e6,
    yearsKept: 1,
    outageSeconds: 3600,
    backSeconds: 60,
  };
}

/** The machines that the model has. Of what they can do, no more than {@link Machines.share} is used. */
export interface Machines {
  readonly share: number;
  readonly databaseCores: number;
  readonly databaseMemoryBytes: number;
  readonly databaseDiskBytes: number;
  /** Commits that reach the disk in a second; several share one flush. */
  readonly commitsPerSecond: number;
  /** Bytes of journal that one server writes and its standby takes over in a second. */
  readonly journalBytesPerSecond: number;
  readonly databaseConnections: number;
  /** From a process of the service to the database and back. */
  readonly roundTripSeconds: number;
  /** Between two checkpoints of the database. */
  readonly checkpointSeconds: number;
  /** Disk for photos where they lie in a folder. */
  readonly photoDiskBytes: number;
  /** The line of one machine, bytes in a second. */
  readonly lineBytesPerSecond: number;
}

export const MACHINES: Machines = {
  share: 0.7,
  databaseCores: 32,
  databaseMemoryBytes: 256e9,
  databaseDiskBytes: 8e12,
  commitsPerSecond: 10_000,
  journalBytesPerSecond: 200e6,
  // PostgreSQL as it comes: max_connections 100, of which 3 are the administrator's.
  databaseConnections: 97,
  roundTripSeconds: 0.000_5,
  checkpointSeconds: 300,
  photoDiskBytes: 100e12,
  lineBytesPerSecond: 10e9 / 8,
};
