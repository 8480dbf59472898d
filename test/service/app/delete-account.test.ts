import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createAccount,
  createWorkspace,
  setMember,
} from '../../../service/identity/accounts/accounts.js';
import { deleteAccount } from '../../../service/app/delete-account.js';
import type { Removal } from '../../../service/app/delete-account.js';
import type { Database } from '../../../service/kernel/database/database.js';
import { withAmbientTransactions } from '../../../service/kernel/database/ambient-transaction.js';
import { openStorage } from '../../../service/library/uploads/storage/open-storage.js';
import type { UploadStorage } from '../../../service/library/uploads/storage/upload-storage.js';
import { UploadRepository } from '../../../service/library/uploads/repository/upload-repository.js';
import { openMigratedDatabase } from '../support/database-templates.js';
import { testS3, writeAll } from '../support/test-storage.js';

const NOW = new Date('2026-01-15T12:00:00Z');

describe('a removed user', () => {
  let database: Database;
  let uploads: UploadRepository;
  let folder: string;
  let storage: UploadStorage;
  let workspaceId: string;
  let accountId: string;
  let users = 0;

  beforeAll(async () => {
    database = withAmbientTransactions(await openMigratedDatabase());
    uploads = new UploadRepository(database);
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-remove-'));
    storage = await openStorage({ s3: await testS3(), dataDir: folder }, uploads);
  });
  afterAll(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(async () => {
    workspaceId = await createWorkspace(database, `Studio ${users}`);
    accountId = await addUser('owner');
  });

  async function addUser(role: 'owner' | 'member'): Promise<string> {
    users += 1;
    const user = { username: `person-${users}`, displayName: 'A Person', password: 'x' };
    const id = await createAccount(database, user);
    await setMember(database, workspaceId, id, role);
    return id;
  }

  /** An upload with its bytes; they lie elsewhere where `isHere` is false. */
  async function addUpload({
    owner = accountId,
    isFinished = true,
    isHere = true,
  } = {}): Promise<string> {
    const id = randomUUID();
    await uploads.add(
      {
        id,
        accountId: owner,
        workspaceId,
        clientId: 'client',
        clientUploadId: undefined,
        size: 4,
        name: 'one.jpg',
        type: 'image/jpeg',
        metadata: {},
        createdAt: NOW,
      },
      { workspaceBytes: 1e9, unfinishedUploads: 1000 },
    );
    if (isHere) await writeAll(storage, id, Buffer.from('four'));
    if (isFinished)
      await uploads.finish(id, { sha256: 'a'.repeat(64), crc32c: 'a'.repeat(8) }, NOW);
    return id;
  }

  const remove = (
    withUploads: boolean,
    settle: () => Promise<void> = () => Promise.resolve(),
  ): Promise<Removal> =>
    deleteAccount(
      { database, storage: () => Promise.resolve(storage), settle },
      accountId,
      withUploads,
    );
  const bringsOne = async (): Promise<void> => {
    await addUpload();
  };
  const isThere = async (id = accountId): Promise<boolean> =>
    (await database.query('SELECT 1 FROM accounts WHERE id = $1', [id])).length > 0;

  it('is deleted, and the report names workspaces without an owner', async () => {
    const other = await addUser('member');
    expect(await remove(false)).toEqual({ uploads: 0, ownerless: [`Studio ${users - 2}`] });
    expect(await isThere()).toBe(false);
    expect(await isThere(other)).toBe(true);
  });

  it('is not reported for a workspace that has another owner', async () => {
    await addUser('owner');
    expect(await remove(false)).toEqual({ uploads: 0, ownerless: [] });
  });

  it('is kept if uploads would be deleted', async () => {
    await addUpload();
    await addUpload({ isFinished: false });
    expect(await remove(false)).toEqual({ problem: expect.stringContaining('2 uploads') });
    expect(await isThere()).toBe(true);
    expect(
      await database.query('SELECT 1 FROM workspace_members WHERE account_id = $1', [accountId]),
    ).toHaveLength(1);
  });

  it('is deleted with all own uploads and no others', async () => {
    const other = await addUser('member');
    const kept = await addUpload({ owner: other });
    for (let count = 0; count < 103; count += 1) {
      await addUpload({ isFinished: count % 2 === 0, isHere: count < 3 });
    }
    expect(await remove(true)).toMatchObject({ uploads: 103 });
    expect(await isThere()).toBe(false);
    expect(await storage.received(kept)).toBe(4);
    expect(
      await database.query('SELECT 1 FROM uploads WHERE workspace_id = $1', [workspaceId]),
    ).toHaveLength(1);
  });

  it('is kept if the files are not in this storage', async () => {
    await addUpload({ isHere: false });
    expect(await remove(true)).toEqual({ problem: expect.stringContaining('not here') });
    expect(await isThere()).toBe(true);
    await addUpload();
    expect(await remove(true)).toMatchObject({ uploads: 2 });
  });

  it('is deleted by a repeated command after an interruption at the last file', async () => {
    await addUpload();
    const discard = storage.discard.bind(storage);
    storage.discard = async (id) => {
      await discard(id);
      throw new Error('killed');
    };
    await expect(remove(true)).rejects.toThrow('killed');
    storage.discard = discard;
    expect(await isThere()).toBe(true);

    expect(await remove(true)).not.toHaveProperty('problem');
    expect(await isThere()).toBe(false);
  });

  it('is deleted if no upload was finished', async () => {
    await addUpload({ isFinished: false, isHere: false });
    expect(await remove(true)).toMatchObject({ uploads: 1 });
  });

  it('is deleted with uploads received during the removal', async () => {
    await addUpload();
    expect(await remove(true, bringsOne)).toMatchObject({ uploads: 2 });
    expect(await isThere()).toBe(false);
  });

  it('is kept if an unconfirmed upload was received during the removal', async () => {
    expect(await remove(false, bringsOne)).toEqual({
      problem: expect.stringContaining('1 uploads'),
    });
    expect(await isThere()).toBe(true);
    // Their ways in are closed already.
    expect(
      await database.query('SELECT 1 FROM workspace_members WHERE account_id = $1', [accountId]),
    ).toEqual([]);
  });
});
