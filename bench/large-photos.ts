import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeDatabaseUrl } from '../test/service/postgres/databases.js';
import { findPostgres, startPostgres } from '../test/service/postgres/server.js';
import { startServiceProcess } from '../test/service/support/service-process.js';
import type { BenchOptions } from './options.js';
import { report } from './report.js';
import { drive } from './service/drive.js';
import { wholePhotos } from './service/loads.js';
import { processorMs } from './service/processor.js';
import { median } from './statistics.js';

const BYTES = 8_000_000;
const CONNECTIONS = 4;

interface Round {
  readonly perSecond: number;
  /** Milliseconds of processor time for one photo. */
  readonly serviceMs: number;
  readonly databaseMs: number;
}

/** How many photos of 8 MB one process takes in a second, on a folder and PostgreSQL, and what one costs. */
export async function largePhotos({ rounds, scale }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const programs = await findPostgres();
  if (programs === undefined) {
    throw new Error('PostgreSQL is not installed');
  }
  const folder = await mkdtemp(join(tmpdir(), 'bench-large-photos-'));
  const postgres = await startPostgres(programs);
  const measured: Round[] = [];
  try {
    const databaseUrl = await makeDatabaseUrl(postgres.url);
    const service = await startServiceProcess({ dataDir: join(folder, 'data'), databaseUrl });
    const clients = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => wholePhotos(BYTES)(service)),
    );
    const database = await postgres.processId();
    const usedBy = (): Promise<number[]> =>
      Promise.all([service.processId, database].map((id) => processorMs(id)));
    const seconds = scale === 'small' ? 1 : 6;
    // Code that has not run yet is slow.
    await drive(clients, seconds);
    for (let round = 0; round < rounds; round += 1) {
      const before = await usedBy();
      const started = performance.now();
      const { length } = await drive(clients, seconds);
      const elapsed = (performance.now() - started) / 1000;
      const after = await usedBy();
      const [serviceMs = 0, databaseMs = 0] = after.map(
        (ms, index) => (ms - (before[index] ?? 0)) / length,
      );
      measured.push({ perSecond: length / elapsed, serviceMs, databaseMs });
    }
    await service.stop();
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
  tell(measured, startedAt);
}

function tell(measured: readonly Round[], startedAt: Date): void {
  const [perSecond = 0, serviceMs = 0, databaseMs = 0] = (
    ['perSecond', 'serviceMs', 'databaseMs'] as const
  ).map((name) => median(measured.map((round) => round[name])));
  report(
    {
      part: 'large-photos',
      tables: [
        {
          title: 'Photos of 8 MB, each in one request, one process',
          columns: ['Photos/s', 'Service, ms', 'Database, ms'],
          rows: [[perSecond, serviceMs, databaseMs].map((one) => one.toFixed(1))],
        },
      ],
      measurements: measured,
      notes: [
        `${String(CONNECTIONS)} connections, one photo at a time on each, ${String(measured.length)} rounds, medians; the load generator, the service, the database and the disk share the machine.`,
        'Files lie in a folder and are flushed to the disk before the answer, as is every commit. The bytes are no picture, so no thumbnail is made.',
      ],
    },
    startedAt,
  );
}
