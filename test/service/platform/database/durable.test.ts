import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, open, readlink, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { FileStorage } from '../../../../service/features/uploads/storage/file-storage.js';
import { UploadFinalizer } from '../../../../service/features/uploads/tus/finalize.js';
import type { StoredUpload } from '../../../../service/features/uploads/upload.js';
import type { UploadRepository } from '../../../../service/features/uploads/repository/upload-repository.js';
import { compiled, FOR_A_MOMENT } from '../../../support/compiled.js';
import { layReadyDatabase } from '../../support/database-templates.js';

/** Counts flushes in a process with a patched function, and commits once. */
const COMMIT_ONCE = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const plain = fs.fsyncSync;
const flushed = [];
fs.fsyncSync = (fd) => {
  flushed.push(fs.readlinkSync('/proc/self/fd/' + fd));
  return plain(fd);
};
syncBuiltinESMExports();
const { openEmbeddedDatabase } = await import(process.env.PROGRAM);
const database = await openEmbeddedDatabase(process.env.FOLDER);
await database.query('CREATE TABLE kept (number integer)');
flushed.length = 0;
await database.query('SELECT 1');
const afterReading = [...flushed];
await database.query('INSERT INTO kept VALUES (1)');
const afterCommit = flushed.splice(0);
await database.query('CREATE TABLE another (number integer)');
console.log(JSON.stringify({ afterReading, afterCommit, afterNewFile: flushed }));
process.exit(0);
`;

describe('data after a power loss', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-durable-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('includes every committed transaction of the embedded database', async () => {
    const place = path.join(folder, 'database');
    await layReadyDatabase(place);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...FOR_A_MOMENT, '--input-type=module', '--eval', COMMIT_ONCE],
      {
        env: {
          ...process.env,
          FOLDER: place,
          PROGRAM: compiled('service/platform/database/pglite.ts'),
        },
      },
    );
    const { afterReading, afterCommit, afterNewFile } = JSON.parse(stdout) as Record<
      string,
      string[]
    >;
    expect(afterReading).toEqual([]);
    expect(afterCommit).toEqual([expect.stringContaining(path.join(place, 'pg_wal'))]);
    // The name of the table's file, then its entries in the journal.
    expect(afterNewFile).toEqual([
      expect.stringMatching(/\/base\/\d+$/),
      expect.stringContaining(path.join(place, 'pg_wal')),
    ]);
  });

  it('includes bytes and name of every completed upload', async () => {
    const happened: string[] = [];
    const record = {
      ...{ id: 'an-upload', size: 4, metadata: {}, createdAt: new Date() },
      ...{ finishedAt: undefined, sha256: undefined },
    };
    const uploads = {
      find: () => Promise.resolve(record),
      finish: () => {
        happened.push('row');
        return Promise.resolve({ ...record, finishedAt: new Date(), sha256: 'a' });
      },
    } as unknown as UploadRepository;
    const storage = new FileStorage(path.join(folder, 'uploads'), uploads);
    await storage.getUpload(record.id);
    await storage.write(Readable.from([Buffer.from('four')]), record.id, 0);
    const probe = await open(folder, 'r');
    const handles = Object.getPrototypeOf(probe) as FileHandle;
    await probe.close();
    const plain = Object.getOwnPropertyDescriptor(handles, 'sync')?.value as () => Promise<void>;
    const watched = jest.spyOn(handles, 'sync').mockImplementation(async function (
      this: FileHandle,
    ) {
      const file = await readlink(`/proc/self/fd/${this.fd}`);
      await plain.call(this);
      happened.push(path.relative(folder, file));
    });
    try {
      const finishing = new UploadFinalizer({
        uploads,
        store: storage,
        now: () => new Date(),
        onFinished: () => undefined,
        reportError: (error) => {
          throw error;
        },
      });
      const outcome = await finishing.finishIfComplete(record as unknown as StoredUpload);
      expect(outcome.state).toBe('finished');
    } finally {
      watched.mockRestore();
    }
    expect(happened[0]).toBe(path.join('uploads', record.id));
    expect(happened.slice(1, -1).sort()).toEqual(['', 'uploads']);
    expect(happened.at(-1)).toBe('row');
  });
});
