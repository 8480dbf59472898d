import { expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from '../../../service/app/admin-commands.js';
import { migrate } from '../../../service/kernel/database/migrate.js';
import { openFilesToCopy } from '../../../service/library/uploads/storage/open-storage.js';
import { UploadRepository } from '../../../service/library/uploads/repository/upload-repository.js';
import { startMemoryStorage } from '../support/memory-storage.js';
import { makeDatabase } from './databases.js';

const SERVER = process.env['TEST_DATABASE_URL'] ?? '';

it('a second copy to S3 ends at once, and another one runs after the first', async () => {
  const database = await makeDatabase(SERVER);
  const storage = await startMemoryStorage();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-copies-'));
  const copy = (): Promise<string> =>
    runCommand(
      {
        database,
        storage: () => Promise.reject(new Error('not used')),
        settle: () => Promise.resolve(),
        copying: {
          open: () =>
            openFilesToCopy({ s3: storage.options, dataDir }, new UploadRepository(database)),
          report: () => undefined,
          wait: () => Promise.resolve(),
        },
        baseUrl: 'http://localhost',
      },
      'copy-to-s3',
      [],
    );
  try {
    await migrate(database);
    await mkdir(path.join(dataDir, 'uploads'));
    let goOn = (): void => undefined;
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const first = await new Promise<{ ended: Promise<string> }>((resolve) => {
      storage.before = async (): Promise<true> => {
        resolve({ ended });
        await mayGoOn;
        return true;
      };
      const ended = copy();
    });
    await expect(copy()).rejects.toThrow('Another copy is running. Wait until it has ended.');
    goOn();
    expect(await first.ended).toContain('All files are in the bucket.');
    expect(await copy()).toContain('All files are in the bucket.');
  } finally {
    await rm(dataDir, { recursive: true });
    await storage.close();
    await database.close();
  }
});
