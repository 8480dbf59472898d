import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAccount, createWorkspace } from '../../../../service/identity/accounts/accounts.js';
import { UnavailableError } from '../../../../service/kernel/errors.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { HEAD_BYTES } from '../../../../service/library/uploads/digests.js';
import { UploadFinalizer } from '../../../../service/library/uploads/tus/finalize.js';
import { openStorage } from '../../../../service/library/uploads/storage/open-storage.js';
import type { UploadStorage } from '../../../../service/library/uploads/storage/upload-storage.js';
import type { StoredUpload } from '../../../../service/library/uploads/upload.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import { openMigratedDatabase } from '../../support/database-templates.js';
import { crc32c, flipped } from '../../support/repr-digest-fields.js';
import { testS3, writeAll } from '../../support/test-storage.js';
import { photo } from '../../support/tus-client.js';

describe('two processes that finish one upload at the same time', () => {
  let database: Database;
  let folder: string;
  let uploads: UploadRepository;
  let where: Parameters<typeof openStorage>[0];
  let shared: UploadStorage;
  let accountId: string;
  let workspaceId: string;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    uploads = new UploadRepository(database);
    const user = { username: 'anna', displayName: 'Anna', password: 'x' };
    accountId = await createAccount(database, user);
    workspaceId = await createWorkspace(database, 'Studio');
    folder = await mkdtemp(path.join(tmpdir(), 'two-finish-'));
    where = { s3: await testS3(), dataDir: folder };
    shared = await openStorage(where, uploads);
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The reported uploads, with the number of their first bytes. */
  const told: [id: string, head: number][] = [];
  const finishing = (store = shared): UploadFinalizer =>
    new UploadFinalizer({
      uploads,
      store,
      now: () => new Date(),
      reportError: (error) => {
        throw error;
      },
      onFinished: ({ id }, head) => told.push([id, head.length]),
    });

  /** An upload with all bytes stored. */
  const add = async (
    bytes: Uint8Array<ArrayBuffer>,
    expected: Uint8Array = bytes,
  ): Promise<StoredUpload> => {
    const upload = {
      id: randomUUID(),
      accountId,
      workspaceId,
      clientId: 'client',
      clientUploadId: undefined,
      size: bytes.length,
      name: 'a.jpg',
      type: 'image/jpeg',
      metadata: {},
      createdAt: new Date(),
      expected: { crc32c: crc32c(expected).toString('hex') },
    };
    const { record } = await uploads.add(upload, { workspaceBytes: 1e9, unfinishedUploads: 100 });
    await writeAll(shared, record.id, bytes);
    return record;
  };

  it.each([
    ['right', 'finished'],
    ['wrong', 'rejected'],
  ])('reach the same correct result: %s', async (kind, state) => {
    const bytes = photo(100_000, 53);
    for (let round = 0; round < 5; round += 1) {
      const record = await add(bytes, kind === 'right' ? bytes : flipped(bytes, 3));
      const ends = await Promise.all([1, 2, 3].map(() => finishing().finishComplete(record)));
      const states = ends.map((end) => end.state);
      expect(states).toContain(state);
      for (const end of states)
        expect(kind === 'right' ? ['finished'] : ['rejected', 'missing']).toContain(end);
      expect((await uploads.find(record.id))?.finishedAt !== undefined).toBe(kind === 'right');
      // By each that has read it to its end.
      expect(new Set(told.filter(([id]) => id === record.id).map(([, head]) => head))).toEqual(
        new Set(kind === 'right' ? [HEAD_BYTES] : []),
      );
    }
  });

  it('do not change it while bytes are missing', async () => {
    const record = { ...(await add(photo(1000, 55))), size: 1001 };

    expect(await finishing().finishIfComplete(record)).toEqual({ state: 'unfinished' });
    expect((await uploads.find(record.id))?.finishedAt).toBeUndefined();
  });

  it.each(['finds bytes missing', 'fails'])(
    'find it gone when the other has dropped it since its row was read, and the reader %s',
    async (what) => {
      const record = await add(photo(1000, 56));
      const store = await openStorage(where, uploads);
      const read = store.contentIfComplete.bind(store);
      store.contentIfComplete = async (upload) => {
        await database.query('DELETE FROM uploads WHERE id = $1', [upload.id]);
        await store.discard(upload.id);
        if (what === 'fails') throw new Error('the file was there a moment ago');
        return read(upload);
      };

      const outcome = await finishing(store).finish(record.id);

      expect(outcome).toEqual({ state: 'missing' });
    },
  );

  it('report the error when the upload still exists', async () => {
    const record = await add(photo(1000, 56));
    const store = await openStorage(where, uploads);
    store.contentIfComplete = () => Promise.reject(new Error('cannot be read'));

    await expect(finishing(store).finish(record.id)).rejects.toThrow('cannot be read');
  });

  it('find it finished by the other process, although its bytes are unreadable', async () => {
    const record = await add(photo(1000, 57));
    const done = await finishing().finishComplete(record);
    const store = await openStorage(where, uploads);
    store.contentIfComplete = () => Promise.resolve(undefined);

    expect(done.state).toBe('finished');
    expect(await finishing(store).finishComplete(record)).toEqual(done);
  });

  it('do not complete it when stored bytes are missing', async () => {
    const record = await add(photo(1000, 58));
    await shared.discard(record.id);

    await expect(finishing().finish(record.id)).rejects.toThrow(UnavailableError);
    expect((await uploads.find(record.id))?.finishedAt).toBeUndefined();
  });

  it('find it missing when it was removed while its bytes were read', async () => {
    const record = await add(photo(1000, 54));
    const store = await openStorage(where, uploads);
    const read = store.contentIfComplete.bind(store);
    store.contentIfComplete = async (upload) => {
      const digests = await read(upload);
      await uploads.remove(upload.id);
      return digests;
    };

    expect(await finishing(store).finishIfComplete(record)).toEqual({ state: 'missing' });
  });
});
