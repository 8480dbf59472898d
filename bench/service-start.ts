import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Database } from '../service/kernel/database/database.js';
import { migrate } from '../service/kernel/database/migrate.js';
import { openEmbeddedDatabase } from '../service/kernel/database/pglite.js';
import { openPostgresDatabase } from '../service/kernel/database/postgres.js';
import { listUploads } from '../test/service/support/oauth-client.js';
import { addGrants } from '../test/service/kernel/database/many-grants.js';
import { addPhotos } from '../test/service/kernel/database/many-photos.js';
import { analyse } from '../test/service/kernel/database/plans.js';
import { makeDatabaseUrl } from '../test/service/postgres/databases.js';
import { findPostgres, startPostgres } from '../test/service/postgres/server.js';
import type { BenchOptions } from './options.js';
import type { MeasuredProcess } from './measured-process.js';
import { buildRelease, startRelease, type Release, type ReleaseOptions } from './release.js';
import { report } from './report.js';
import { median } from './statistics.js';

/** Connections and photos of a database; a connection is five records. */
interface Size {
  readonly grants: number;
  readonly photos: number;
}

const EMPTY: Size = { grants: 0, photos: 0 };

interface Start {
  /** From the start of the process to the line that reports that it is ready. */
  readonly readyMs: number;
  /** From there to the response to a first request that queries the database. */
  readonly firstAnswerMs: number;
  readonly process: MeasuredProcess;
}

interface Measured {
  readonly database: string;
  readonly size: Size;
  readonly starts: readonly Start[];
}

/** How long a service takes to start on an empty database and on a large one. */
export async function serviceStart({ rounds, scale }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const folder = await mkdtemp(join(tmpdir(), 'bench-service-start-'));
  const large: Size =
    scale === 'small' ? { grants: 4000, photos: 4000 } : { grants: 200_000, photos: 100_000 };
  const programs = await findPostgres();
  const postgres = programs === undefined ? undefined : await startPostgres(programs);
  const measured: Measured[] = [];
  const release = buildRelease();
  try {
    for (const size of [EMPTY, large]) {
      const dataDir = join(folder, `embedded-${String(size.grants)}`);
      await layEmbedded(dataDir, size);
      const embedded = await startsOf(release, rounds, { dataDir });
      measured.push({ database: 'embedded', size, starts: embedded });
      if (postgres !== undefined) {
        const databaseUrl = await makeDatabaseUrl(postgres.url);
        await fill(await openPostgresDatabase(databaseUrl, ignore), size);
        const options = { dataDir: join(folder, `server-${String(size.grants)}`), databaseUrl };
        measured.push({
          database: 'PostgreSQL',
          size,
          starts: await startsOf(release, rounds, options),
        });
      }
    }
  } finally {
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  }
  tell(measured, rounds, startedAt);
}

function ignore(): void {
  // A connection that is lost ends the run by what fails next.
}

async function layEmbedded(dataDir: string, size: Size): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await fill(await openEmbeddedDatabase(join(dataDir, 'database')), size);
}

async function fill(database: Database, { grants, photos }: Size): Promise<void> {
  await migrate(database);
  if (grants > 0) {
    await database.transaction(
      async (transaction) => {
        await addGrants(transaction, grants);
        await addPhotos(transaction, photos);
        await analyse(transaction);
      },
      { noTimeout: true },
    );
  }
  await database.close();
}

/** The first start, which seeds and makes keys, does not count. */
async function startsOf(
  release: Release,
  rounds: number,
  options: ReleaseOptions,
): Promise<Start[]> {
  const starts: Start[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const begun = performance.now();
    const service = await startRelease(release, options);
    const ready = performance.now();
    // An unknown token, which the service looks up in the database.
    await listUploads(service.ownUrl, 'svc_at_nobody');
    const answered = performance.now();
    await service.stop();
    if (round > 0) {
      starts.push({
        readyMs: ready - begun,
        firstAnswerMs: answered - ready,
        process: service.measured,
      });
    }
  }
  return starts;
}

function tell(measured: readonly Measured[], rounds: number, startedAt: Date): void {
  const rows = measured.map(({ database, size, starts }) => [
    `${database}, ${size.grants.toLocaleString('en-US')} connections, ${size.photos.toLocaleString('en-US')} photos`,
    median(starts.map(({ readyMs }) => readyMs)).toFixed(0),
    median(starts.map(({ firstAnswerMs }) => firstAnswerMs)).toFixed(0),
  ]);
  report(
    {
      part: 'service-start',
      tables: [
        {
          title: 'Start of the service',
          columns: ['Database', 'Ready after, ms', 'First answer after that, ms'],
          rows,
        },
      ],
      processes: measured.flatMap(({ starts }) => starts.map((one) => one.process)),
      measurements: measured,
      notes: [
        `Medians of ${String(rounds)} starts after a first one, each in a separate process. Node spends most of a start on loading the program.`,
        'A tenth of the connections has expired and is purged beside the first requests of the first start.',
      ],
    },
    startedAt,
  );
}
