import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createAccount, createWorkspace } from '../../../../service/identity/accounts/accounts.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { migrate } from '../../../../service/kernel/database/migrate.js';
import type { AllDigests, FileContent } from '../../../../service/library/uploads/digests.js';
import { removeDeletedFiles } from '../../../../service/library/uploads/storage/deleted-files.js';
import { NOOP_METRICS } from '../../../../service/kernel/metrics/metrics-port.js';
import { FileStorage } from '../../../../service/library/uploads/storage/file-storage.js';
import { UploadFinalizer } from '../../../../service/library/uploads/tus/finalize.js';
import type { NewUpload, StoredUpload } from '../../../../service/library/uploads/upload.js';
import { UnfinishedUploads } from '../../../../service/library/uploads/repository/unfinished-uploads.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import { UploadCleanup } from '../../../../service/library/uploads/upload-cleanup.js';
import { openTestDatabase } from '../../support/database-templates.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const DIGESTS: AllDigests = { sha256: 'a'.repeat(64), crc32c: 'a'.repeat(8) };
const CREATED = new Date('2026-01-15T12:00:00Z');

/** A storage with complete bytes, which a test can break. */
class AnyStorage extends FileStorage {
  /** Uploads whose bytes were read through, and that were to be removed. */
  readonly readThrough: string[] = [];
  readonly discarded: string[] = [];
  /** Reading waits for this promise. */
  free: Promise<void> = Promise.resolve();
  broken: string | undefined;

  override async contentIfComplete({ id }: StoredUpload): Promise<FileContent> {
    this.readThrough.push(id);
    await this.free;
    return { ...DIGESTS, head: new Uint8Array() };
  }

  override discard(id: string): Promise<void> {
    this.discarded.push(id);
    return id === this.broken ? Promise.reject(new Error('cannot be removed')) : Promise.resolve();
  }
}

describe('finished and abandoned uploads', () => {
  let database: Database;
  let uploads: UploadRepository;
  let unfinished: UnfinishedUploads;
  let folder: string;
  let store: AnyStorage;
  let errors: unknown[];
  let who: Pick<NewUpload, 'accountId' | 'workspaceId'>;

  beforeAll(async () => {
    database = await openTestDatabase();
    await migrate(database);
    uploads = new UploadRepository(database);
    unfinished = new UnfinishedUploads(database);
    const user = { username: 'one', displayName: 'One', password: 'password of one' };
    who = {
      workspaceId: await createWorkspace(database, 'Studio'),
      accountId: await createAccount(database, user),
    };
    folder = await mkdtemp(path.join(tmpdir(), 'uploads-'));
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  beforeEach(async () => {
    await database.query('DELETE FROM uploads');
    await database.query('DELETE FROM discarded_uploads');
    store = new AnyStorage(folder, uploads);
    errors = [];
  });

  const reportError = (error: unknown): void => void errors.push(error);

  async function add(more: Partial<NewUpload> = {}): Promise<StoredUpload> {
    const { record } = await uploads.add(
      {
        id: randomUUID(),
        ...who,
        clientId: 'client',
        clientUploadId: undefined,
        size: 10,
        name: 'one.jpg',
        type: 'image/jpeg',
        metadata: {},
        createdAt: CREATED,
        ...more,
      },
      { workspaceBytes: 1e9, unfinishedUploads: 1000 },
    );
    return record;
  }

  function cleanup(finishIfComplete: (upload: StoredUpload) => Promise<unknown>): UploadCleanup {
    return new UploadCleanup({ unfinished, store, finishIfComplete, reportError });
  }

  function finishingOf(): UploadFinalizer {
    return new UploadFinalizer({
      uploads,
      store,
      now: () => CREATED,
      reportError,
      onFinished: () => undefined,
    });
  }

  it('are read once for concurrent requests', async () => {
    const record = await add();
    let letGo = (): void => undefined;
    store.free = new Promise((resolve) => {
      letGo = resolve;
    });
    const finishing = finishingOf();
    const asked = [1, 2, 3].map(() => finishing.finishIfComplete(record));
    letGo();
    const finished = { state: 'finished', digests: DIGESTS, isVersion: false };
    expect(await Promise.all(asked)).toEqual([finished, finished, finished]);
    // Later callers read the row.
    expect(await finishing.finish(record.id)).toEqual(finished);
    expect(store.readThrough).toEqual([record.id]);
  });

  it('are deleted although unexpected bytes cannot be removed, which is logged', async () => {
    const record = await add({ expected: { sha256: 'b'.repeat(64) } });
    store.broken = record.id;
    const finishing = finishingOf();
    expect(await finishing.finish(record.id)).toEqual({ state: 'rejected' });
    expect(store.discarded).toEqual([record.id]);
    expect(errors).toHaveLength(1);
    expect(await finishing.finish(record.id)).toEqual({ state: 'missing' });
  });

  it('are each checked once at a start, though some cannot be finished', async () => {
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, client_id, size, name, type, metadata, created_at, active_at)
       SELECT 'many-' || n, $1, $2, 'client', 1, 'n', 't', '{}', $3::timestamptz, $3::timestamptz
         FROM generate_series(1, 1001) AS n`,
      [who.accountId, who.workspaceId, CREATED],
    );
    const seen: string[] = [];
    await cleanup((upload) => {
      seen.push(upload.id);
      return seen.length % 500 === 1 ? Promise.reject(new Error('EIO')) : Promise.resolve();
    }).recover(new AbortController().signal);
    expect([seen.length, new Set(seen).size, errors.length]).toEqual([1001, 1001, 3]);
  });

  it('are not checked further when the service stops', async () => {
    await add();
    await add();
    const stop = new AbortController();
    let seen = 0;
    await cleanup(() => {
      seen += 1;
      stop.abort();
      return Promise.resolve();
    }).recover(stop.signal);
    expect(seen).toBe(1);
  });

  it('are removed with their bytes after inactivity, though some cannot be', async () => {
    const old = [await add(), await add(), await add()].map(({ id }) => id);
    const { id: young } = await add({ createdAt: new Date(CREATED.getTime() + 1) });
    const { id: done } = await add();
    await uploads.finish(done, DIGESTS, CREATED);
    store.broken = old[0];
    await cleanup(() => Promise.resolve()).removeAbandoned(new Date(CREATED.getTime() + 1));
    let nowMs = Date.now();
    const remove = (): Promise<void> =>
      removeDeletedFiles({
        ...{ database, store, reportError, counts: NOOP_METRICS },
        now: () => new Date(nowMs),
      });
    await remove();
    expect(store.discarded.toSorted()).toEqual(old.toSorted());
    expect(errors).toHaveLength(1);
    store.broken = undefined;
    await remove();
    expect(store.discarded).toHaveLength(old.length);
    nowMs += 60_000;
    await remove();
    expect(store.discarded.slice(old.length)).toEqual(old.slice(0, 1));
    expect(await Promise.all(old.map((id) => uploads.find(id)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await uploads.find(young)).toBeDefined();
    expect(await uploads.find(done)).toBeDefined();
  });
});
