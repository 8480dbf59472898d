import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Database } from '../../../service/kernel/database/database.js';
import { startService } from '../../../service/start.js';
import type { RunningService } from '../../../service/start.js';
import { openReadyDatabase } from '../support/database-templates.js';
import { photo, sha256 } from '../support/tus-client.js';
import { until } from './raw.js';
import { sequentialTest } from '../../support/sequential-test.js';

/** More than two batches. */
const COUNT = 1100;

describe('very many unfinished uploads', () => {
  let database: Database;
  let dataDir: string;
  let statements = 0;
  let clock = Date.now();

  const start = (): Promise<RunningService> =>
    startService({
      port: 0,
      dataDir,
      demoAccount: true,
      now: () => new Date(clock),
      database: {
        ...database,
        query: (sql, params) => {
          statements += 1;
          return database.query(sql, params);
        },
        // It is used by more than one service here, one after the other.
        close: () => Promise.resolve(),
      },
    });
  const rows = async (where: string): Promise<number> => {
    const [row] = await database.query<{ count: number | string }>(
      `SELECT count(*) AS count FROM uploads WHERE ${where}`,
    );
    return Number(row?.count);
  };

  beforeAll(async () => {
    database = await openReadyDatabase();
    dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-unfinished-'));
    const service = await start();
    await service.close();
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at)
       SELECT 'upload-' || n, account_id, workspace_id, 10, 'photo', 'image/jpeg', '{}', now()
         FROM generate_series(1, ${COUNT}) AS n, (SELECT * FROM workspace_members LIMIT 1) AS member`,
    );
    // Two with all bytes at the end of the process, and one in progress.
    const folder = path.join(dataDir, 'uploads');
    for (const name of ['upload-7', 'upload-1099'])
      await writeFile(path.join(folder, name), photo(10));
    await writeFile(path.join(folder, 'upload-8'), photo(4));
  });
  afterAll(async () => {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const step = sequentialTest('are deleted in batches and do not delay a start');

  step('cost a start a few statements, and it finishes what was all but finished', async () => {
    statements = 0;
    const service = await start();
    await until(async () => (await rows('finished_at IS NOT NULL')) === 2);
    await service.close();

    expect(statements).toBeLessThan(100);
    const finished = await database.query(
      'SELECT id, sha256 FROM uploads WHERE finished_at IS NOT NULL ORDER BY id',
    );
    expect(finished).toEqual([
      { id: 'upload-1099', sha256: sha256(photo(10)) },
      { id: 'upload-7', sha256: sha256(photo(10)) },
    ]);
  });

  step(
    'are removed in batches once they were given up, with their files and their share of the room',
    async () => {
      clock += 8 * 24 * 3600_000;
      statements = 0;
      const service = await start();
      await service.purge();
      await service.close();

      expect(statements).toBeLessThan(100);
      expect(await rows('true')).toBe(2);
      expect((await readdir(path.join(dataDir, 'uploads'))).sort()).toEqual([
        'upload-1099',
        'upload-7',
      ]);
      const usage = await database.query<{ bytes: number | string }>(
        'SELECT bytes FROM workspace_usage',
      );
      expect(usage.map(({ bytes }) => Number(bytes))).toEqual([2 * (10 + 16 * 1024)]);
    },
  );
});
