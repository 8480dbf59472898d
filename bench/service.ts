import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { makeDatabaseUrl } from '../test/service/postgres/databases.js';
import {
  findPostgres,
  startPostgres,
  type TemporaryPostgres,
} from '../test/service/postgres/server.js';
import { checkOut, type Checkout } from './checkout.js';
import type { MeasuredProcess } from './measured-process.js';
import { wantedRows, type BenchOptions } from './options.js';
import { buildRelease, startRelease, type Release, type RunningRelease } from './release.js';
import { report, type Table } from './report.js';
import { drive } from './service/drive.js';
import { LOADS, type LoadClient } from './service/loads.js';
import { processorMs } from './service/processor.js';
import { median, quantile } from './statistics.js';

const CONNECTIONS = 16;

/** The name of the present version. */
const NOW = 'now';

/** How often to check whether a service is idle, and the processor share that counts as idle. */
const LOOK_MS = 500;
const MAX_LOOKS = 120;
const IDLE_SHARE = 0.06;
/** A service needs that much when idle. */
const MIN_LATER_MS = 0.05;

/** How the service is run. */
interface Setting {
  readonly name: string;
  readonly processes: number;
  readonly onServer: boolean;
}

const SETTINGS: readonly Setting[] = [
  { name: 'embedded database, 1 process', processes: 1, onServer: false },
  { name: 'PostgreSQL, 1 process', processes: 1, onServer: true },
  { name: 'PostgreSQL, 2 processes', processes: 2, onServer: true },
];

/** The service of a commit. */
interface Source {
  readonly name: string;
  readonly release: Release;
}

/** The service of a commit, as it runs for one setting. */
interface Version {
  readonly name: string;
  readonly running: readonly RunningRelease[];
}

interface Parts {
  readonly folder: string;
  readonly postgres: TemporaryPostgres | undefined;
  readonly sources: readonly Source[];
  /** Everything that was started. */
  readonly processes: MeasuredProcess[];
}

/** One round of one load. */
interface Round {
  readonly perSecond: number;
  /** Milliseconds of processor time for one request. */
  readonly serviceMs: number;
  readonly databaseMs: number;
  /** The same of both, after the round, until nothing is left to do: thumbnails are made then. */
  readonly laterMs: number;
  readonly times: readonly number[];
}

interface Measured extends Omit<Round, 'times'> {
  readonly setting: string;
  readonly load: string;
  readonly version: string;
  readonly rounds: readonly Omit<Round, 'times'>[];
  readonly p50: number;
  readonly p99: number;
}

/** Processor time of service and database per request, and requests per second. */
export async function service(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const names = SETTINGS.flatMap((setting) =>
    Object.keys(LOADS).map((load) => rowName(setting, load)),
  );
  const wanted = wantedRows(names, options.only);
  const folder = await mkdtemp(join(tmpdir(), 'bench-service-'));
  const measured: Measured[] = [];
  const processes: MeasuredProcess[] = [];
  const notes = [
    `${CONNECTIONS} connections, one request at a time on each, ${String(options.rounds)} rounds of ${secondsOf(options)} s, medians; the load generator, the service and the database share the machine.`,
    'Processor time is that of all processes of the service, or of PostgreSQL, during a round (/proc), by the requests answered in it. The embedded database works within the service.',
    'A refresh names its attempt, as the plugin does, and uses the refresh token of the answer before. Each device code is polled in turn with others; a poll that comes before its interval is answered slow_down, which costs the same work. A small photo is 10 kB in one request; a part is 10 kB of a long upload.',
    'Later: processor time of service and database after a round, until they had nothing left to do, by its requests. It is that of looking at photos for their thumbnails; what of it happened within the round counts there. The bytes are no picture, so nothing is decoded.',
    'PostgreSQL as Debian ships it: every commit waits for the disk (fsync on).',
  ];
  const programs = await findPostgres();
  if (programs === undefined) {
    notes.push('PostgreSQL is not installed: it was not measured.');
  }
  const postgres = programs === undefined ? undefined : await startPostgres(programs);
  let earlier: Checkout | undefined;
  try {
    const sources: Source[] = [{ name: NOW, release: buildRelease() }];
    if (options.against !== undefined) {
      earlier = checkOut(options.against, join(folder, 'earlier'));
      sources.push({ name: earlier.name, release: buildRelease(earlier.folder) });
    }
    for (const setting of SETTINGS) {
      const loads = Object.keys(LOADS).filter((load) => wanted.has(rowName(setting, load)));
      if (loads.length > 0 && (!setting.onServer || postgres !== undefined)) {
        const own = join(folder, String(SETTINGS.indexOf(setting)));
        const parts = { folder: own, postgres, sources, processes };
        measured.push(...(await measureSetting(setting, loads, options, parts)));
      }
    }
  } finally {
    await postgres?.stop();
    earlier?.remove();
    await rm(folder, { recursive: true, force: true });
  }
  tell({ part: partName(options), measured, processes, notes }, startedAt);
}

function rowName({ name }: Setting, load: string): string {
  return `${name}, ${load}`;
}

/** Each load in turn for each version, round by round, so that what else the machine does is shared. */
async function measureSetting(
  setting: Setting,
  loads: readonly string[],
  options: BenchOptions,
  parts: Parts,
): Promise<Measured[]> {
  const versions: Version[] = [];
  const measured: Measured[] = [];
  const server = setting.onServer ? parts.postgres : undefined;
  try {
    for (const source of parts.sources) {
      versions.push(await start(setting, source, parts));
    }
    for (const [load, prepare] of Object.entries(LOADS).filter(([name]) => loads.includes(name))) {
      const made = await Promise.all(
        versions.map(async (version) => ({
          version,
          clients: await prepareClients(version.running, prepare),
          rounds: [] as Round[],
        })),
      );
      // Code that has not run yet is slow; that is no part of a round.
      for (const { version, clients } of made) {
        await drive(clients, secondsOf(options));
        await untilIdle(version, server);
      }
      for (let round = 0; round < options.rounds; round += 1) {
        for (const { version, clients, rounds } of made) {
          rounds.push(await measureRound(version, clients, secondsOf(options), server));
        }
      }
      for (const { version, rounds } of made) {
        measured.push(summary({ setting: setting.name, load, version: version.name }, rounds));
        console.log(lineOf(measured.at(-1)));
      }
    }
  } finally {
    for (const one of versions.flatMap(({ running }) => running)) {
      await one.stop();
    }
  }
  return measured;
}

async function start(
  setting: Setting,
  { name, release }: Source,
  { folder, postgres, processes }: Parts,
): Promise<Version> {
  const databaseUrl =
    setting.onServer && postgres !== undefined ? await makeDatabaseUrl(postgres.url) : undefined;
  const running: RunningRelease[] = [];
  for (let index = 0; index < setting.processes; index += 1) {
    const first = running[0]?.ownUrl;
    running.push(
      await startRelease(release, {
        dataDir: join(folder, `data-${name}-${String(index)}`),
        ...(databaseUrl !== undefined && { databaseUrl }),
        ...(first !== undefined && { baseUrl: first }),
      }),
    );
  }
  processes.push(...running.map((one) => one.measured));
  return { name, running };
}

async function prepareClients(
  running: readonly RunningRelease[],
  prepare: (target: RunningRelease) => Promise<LoadClient>,
): Promise<LoadClient[]> {
  const clients: LoadClient[] = [];
  for (let index = 0; index < CONNECTIONS; index += 1) {
    const target = running[index % running.length];
    if (target !== undefined) {
      clients.push(await prepare(target));
    }
  }
  return clients;
}

async function measureRound(
  version: Version,
  clients: readonly LoadClient[],
  seconds: number,
  server: TemporaryPostgres | undefined,
): Promise<Round> {
  const before = await usedBy(version, server);
  const started = performance.now();
  const times = await drive(clients, seconds);
  const elapsed = (performance.now() - started) / 1000;
  const after = await usedBy(version, server);
  const later = await untilIdle(version, server);
  return {
    perSecond: times.length / elapsed,
    serviceMs: (after.service - before.service) / times.length,
    databaseMs: (after.database - before.database) / times.length,
    laterMs: (later.service + later.database - after.service - after.database) / times.length,
    times,
  };
}

/** Milliseconds of processor time. */
interface Used {
  readonly service: number;
  readonly database: number;
}

async function usedBy(version: Version, server: TemporaryPostgres | undefined): Promise<Used> {
  const services = await Promise.all(
    version.running.map(({ processId }) => processorMs(processId)),
  );
  return {
    service: services.reduce((sum, one) => sum + one, 0),
    database: server === undefined ? 0 : await processorMs(await server.processId()),
  };
}

/** Waits until a version has nothing left to do, so that it takes nothing from the other one; a minute at most. */
async function untilIdle(version: Version, server: TemporaryPostgres | undefined): Promise<Used> {
  let last = await usedBy(version, server);
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    await sleep(LOOK_MS);
    const now = await usedBy(version, server);
    if (now.service - last.service < IDLE_SHARE * LOOK_MS) {
      return now;
    }
    last = now;
  }
  return last;
}

function summary(
  about: { setting: string; load: string; version: string },
  rounds: readonly Round[],
): Measured {
  const times = rounds.flatMap((round) => round.times);
  return {
    ...about,
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    serviceMs: median(rounds.map(({ serviceMs }) => serviceMs)),
    databaseMs: median(rounds.map(({ databaseMs }) => databaseMs)),
    laterMs: median(rounds.map(({ laterMs }) => laterMs)),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    rounds: rounds.map(({ perSecond, serviceMs, databaseMs, laterMs }) => ({
      perSecond,
      serviceMs,
      databaseMs,
      laterMs,
    })),
  };
}

function cells(one: Measured): string[] {
  const database = one.setting.startsWith('PostgreSQL') ? one.databaseMs.toFixed(2) : '–';
  return [
    one.setting,
    one.load,
    one.version,
    one.serviceMs.toFixed(2),
    database,
    one.laterMs < MIN_LATER_MS ? '–' : one.laterMs.toFixed(2),
    one.perSecond.toFixed(0),
    one.p50.toFixed(1),
    one.p99.toFixed(1),
  ];
}

/** How the two versions compare, round by round; without a second version, nothing. */
function paired(measured: readonly Measured[]): Table[] {
  const rows = measured.flatMap((now) => {
    const before = measured.find(
      ({ setting, load, version }) =>
        setting === now.setting && load === now.load && version !== now.version,
    );
    if (now.version !== NOW || before === undefined) {
      return [];
    }
    const share = (of: (one: Measured['rounds'][number]) => number): string =>
      median(
        now.rounds.map((round, index) => of(before.rounds[index] ?? round) / of(round)),
      ).toFixed(2);
    return [
      [
        now.setting,
        now.load,
        before.serviceMs.toFixed(2),
        now.serviceMs.toFixed(2),
        share(({ serviceMs }) => serviceMs),
        share(({ perSecond }) => 1 / perSecond),
      ],
    ];
  });
  return rows.length === 0
    ? []
    : [
        {
          title: 'Before and now, in turn in the same rounds (more than 1: faster now)',
          columns: [
            'Setting',
            'Load',
            'Service before, ms',
            'Now, ms',
            'Before ÷ now',
            'Requests/s, now ÷ before',
          ],
          rows,
        },
      ];
}

function lineOf(one: Measured | undefined): string {
  return one === undefined ? '' : cells(one).join(' | ');
}

function secondsOf({ scale }: BenchOptions): number {
  return scale === 'small' ? 1 : 4;
}

/** Results of some rows go to separate files. */
function partName({ only }: BenchOptions): string {
  return only === undefined
    ? 'service'
    : `service-${only.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
}

function tell(
  found: {
    readonly part: string;
    readonly measured: readonly Measured[];
    readonly processes: readonly MeasuredProcess[];
    readonly notes: readonly string[];
  },
  startedAt: Date,
): void {
  const { part, measured, processes, notes } = found;
  report(
    {
      part,
      tables: [
        {
          title: 'Processor time of a request, and requests per second',
          columns: [
            'Setting',
            'Load',
            'Version',
            'Service, ms',
            'Database, ms',
            'Later, ms',
            'Requests/s',
            'p50, ms',
            'p99, ms',
          ],
          rows: measured.map(cells),
        },
        ...paired(measured),
      ],
      processes,
      measurements: measured,
      notes,
    },
    startedAt,
  );
}
