import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createAccount, createWorkspace } from '../../service/accounts/accounts.js';
import type { Database } from '../../service/database/database.js';
import { migrate } from '../../service/database/migrate.js';
import { UploadTable } from '../../service/uploads/upload-table.js';
import type { NewUpload } from '../../service/uploads/stored-upload.js';
import { openTestDatabase } from './kept-databases.js';

describe('the table of uploads', () => {
  let database: Database;
  let uploads: UploadTable;
  let accountId: string;
  let workspaceId: string;

  beforeAll(async () => {
    database = await openTestDatabase();
    await migrate(database);
    uploads = new UploadTable(database);
    workspaceId = await createWorkspace(database, 'Studio');
    const person = { username: 'one', displayName: 'One', password: 'password of one' };
    accountId = await createAccount(database, person);
  });
  afterAll(() => database.close());

  const upload = (): NewUpload => ({
    id: randomUUID(),
    accountId,
    workspaceId,
    clientId: 'client',
    clientUploadId: undefined,
    size: 10,
    name: 'one.jpg',
    type: 'image/jpeg',
    metadata: {},
    createdAt: new Date('2026-01-15T12:00:00Z'),
  });
  const LIMITS = { workspaceBytes: 1e9, unfinishedUploads: 100 };

  it('keeps what the first finish of an upload wrote, whatever a second one says', async () => {
    const { record } = await uploads.add(upload(), LIMITS);
    const first = new Date('2026-01-15T13:00:00Z');
    await uploads.finish(record.id, 'a'.repeat(64), first);
    await uploads.finish(record.id, 'b'.repeat(64), new Date('2026-01-16T13:00:00Z'));
    expect(await uploads.find(record.id)).toMatchObject({
      sha256: 'a'.repeat(64),
      finishedAt: first,
    });
  });

  it('removes what is not finished, and nothing that is', async () => {
    const { record: open } = await uploads.add(upload(), LIMITS);
    const { record: done } = await uploads.add(upload(), LIMITS);
    await uploads.finish(done.id, 'c'.repeat(64), new Date('2026-01-15T13:00:00Z'));
    await uploads.remove(open.id);
    await uploads.remove(done.id);
    expect(await uploads.find(open.id)).toBeUndefined();
    expect(await uploads.find(done.id)).toBeDefined();
  });
});
