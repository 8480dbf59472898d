import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, open, readlink, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { FileStorage } from '../../../../service/library/uploads/storage/file-storage.js';
import { UploadFinalizer } from '../../../../service/library/uploads/tus/finalize.js';
import type { StoredUpload } from '../../../../service/library/uploads/upload.js';
import type { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import { compiled, FOR_A_MOMENT } from '../../../support/compiled.js';
import { layReadyDatabase } from '../../support/database-templates.js';

/** Counts flushes in a process with patched functions. */
const COUNTING = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const plain = { ...fs };
const flushed = [];
const note = (fd) => flushed.push(fs.readlinkSync('/proc/self/fd/' + fd));
fs.fsyncSync = (fd) => {
  note(fd);
  return plain.fsyncSync(fd);
};
let breaks = false;
let slowMs = 0;
fs.fsync = (fd, done) => {
  note(fd);
  if (breaks) {
    breaks = false;
    setImmediate(done, Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' }));
  } else setTimeout(() => plain.fsync(fd, done), slowMs);
};
syncBuiltinESMExports();
const { openEmbeddedDatabase } = await import(process.env.PROGRAM);
const database = await openEmbeddedDatabase(process.env.FOLDER);
await database.query('CREATE TABLE kept (number integer)');
flushed.length = 0;`;

const COMMITS = `${COUNTING}
await database.query('SELECT 1');
const afterReading = flushed.splice(0);
await database.query('INSERT INTO kept VALUES (1)');
const afterCommit = flushed.splice(0);
await database.query('CREATE TABLE another (number integer)');
const afterNewFile = flushed.splice(0);
slowMs = 50;
await Promise.all(Array.from({ length: 40 }, (_, n) => database.query('INSERT INTO kept VALUES ($1)', [n])));
console.log(JSON.stringify({ afterReading, afterCommit, afterNewFile, afterMany: flushed }));
process.exit(0);
`;

/** A flush fails once. Then reads what the database answers to some statements, and what a restart finds. */
const FAILED_FLUSH = `${COUNTING}
const outcome = (sql) => database.query(sql).then(() => 'done', (error) => error.constructor.name);
breaks = true;
const first = [outcome('INSERT INTO kept VALUES (1)'), outcome('SELECT 1')];
const answers = [...(await Promise.all(first)), await outcome('SELECT 1'), await outcome('INSERT INTO kept VALUES (2)')];
const checkpoint = await outcome('CHECKPOINT');
console.log(JSON.stringify({ answers, checkpoint }));
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
    const found = await run(COMMITS, place);
    const { afterReading, afterCommit, afterNewFile, afterMany } = found as Record<
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
    // One flush serves all that were committed before it.
    expect(afterMany?.length).toBeLessThan(20);
  });

  it('is never answered after a failed flush', async () => {
    const { answers, checkpoint } = await run(FAILED_FLUSH, path.join(folder, 'database'));
    expect(answers).toEqual(Array.from({ length: 4 }, () => 'LostAnswerError'));
    expect(checkpoint).not.toBe('done');
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

  async function run(program: string, place: string): Promise<Record<string, unknown>> {
    await layReadyDatabase(place);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...FOR_A_MOMENT, '--input-type=module', '--eval', program],
      {
        env: {
          ...process.env,
          FOLDER: place,
          PROGRAM: compiled('service/kernel/database/pglite.ts'),
        },
      },
    );
    return JSON.parse(stdout) as Record<string, unknown>;
  }
});
