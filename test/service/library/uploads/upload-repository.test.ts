import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createAccount, createWorkspace } from '../../../../service/identity/accounts/accounts.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import type { AllDigests } from '../../../../service/library/uploads/digests.js';
import type { NewUpload } from '../../../../service/library/uploads/upload.js';
import { openMigratedDatabase } from '../../support/database-templates.js';

describe('the table of uploads', () => {
  let database: Database;
  let uploads: UploadRepository;
  let accountId: string;
  let workspaceId: string;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    uploads = new UploadRepository(database);
    workspaceId = await createWorkspace(database, 'Studio');
    const user = { username: 'one', displayName: 'One', password: 'password of one' };
    accountId = await createAccount(database, user);
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
  const digests = (digit: string): AllDigests => ({
    sha256: digit.repeat(64),
    crc32c: digit.repeat(8),
  });
  const LIMITS = { workspaceBytes: 1e9, unfinishedUploads: 100 };

  it('keeps the values of the first finish of an upload', async () => {
    const { record } = await uploads.add(upload(), LIMITS);
    const first = new Date('2026-01-15T13:00:00Z');
    await uploads.finish(record.id, digests('a'), first);
    await uploads.finish(record.id, digests('b'), new Date('2026-01-16T13:00:00Z'));
    expect(await uploads.find(record.id)).toMatchObject({
      sha256: 'a'.repeat(64),
      finishedAt: first,
    });
  });

  it('lets two apps use the same id, also at the same time', async () => {
    const apps = ['one-app', 'two-app', 'three-app', 'four-app'];

    const made = await Promise.all(
      [...apps, ...apps].map((clientId) =>
        uploads.add({ ...upload(), clientId, clientUploadId: 'an-id-of-the-client' }, LIMITS),
      ),
    );

    expect(made.filter(({ added }) => added)).toHaveLength(4);
    expect(new Set(made.map(({ record }) => `${record.clientId} ${record.id}`)).size).toBe(4);
    expect(made.map(({ record }) => record.clientUploadId)).toEqual(
      Array(8).fill('an-id-of-the-client'),
    );
  });

  it('removes unfinished uploads only', async () => {
    const { record: open } = await uploads.add(upload(), LIMITS);
    const { record: done } = await uploads.add(upload(), LIMITS);
    await uploads.finish(done.id, digests('c'), new Date('2026-01-15T13:00:00Z'));
    await uploads.remove(open.id);
    await uploads.remove(done.id);
    expect(await uploads.find(open.id)).toBeUndefined();
    expect(await uploads.find(done.id)).toBeDefined();
  });

  it('updates the hour of activity until an upload is finished', async () => {
    const { record } = await uploads.add(upload(), LIMITS);
    const activeAt = async (): Promise<Date | undefined> => {
      const [row] = await database.query<{ active_at: Date }>(
        'SELECT active_at FROM uploads WHERE id = $1',
        [record.id],
      );
      return row?.active_at;
    };
    await uploads.markActive(record.id, new Date('2026-01-15T13:00:00Z'));
    expect(await activeAt()).toEqual(new Date('2026-01-15T12:00:00Z'));
    const later = new Date('2026-01-15T13:00:00.001Z');
    await uploads.markActive(record.id, later);
    expect(await activeAt()).toEqual(later);
    await uploads.finish(record.id, digests('d'), later);
    await uploads.markActive(record.id, new Date('2026-01-16T13:00:00Z'));
    expect(await activeAt()).toEqual(later);
  });

  it('has one upload for each id of an app, user and workspace', async () => {
    const one = { ...upload(), clientUploadId: 'the same' };
    const { record } = await uploads.add(one, LIMITS);
    const again = await uploads.add({ ...upload(), clientUploadId: 'the same', size: 20 }, LIMITS);
    expect(again).toEqual({ record, added: false });
    expect(await uploads.findByClient(one)).toEqual(record);
    expect(await uploads.findByClient({ ...one, clientId: 'another' })).toBeUndefined();
    expect(await uploads.findByClient({ ...one, clientUploadId: undefined })).toBeUndefined();
    const other = await uploads.add(
      { ...upload(), clientUploadId: 'the same', clientId: 'another' },
      LIMITS,
    );
    expect(other.added).toBe(true);
    expect(await uploads.findByClient({ ...one, clientId: 'another' })).toEqual(other.record);
    expect(await uploads.findByClient(one)).toEqual(record);
  });

  describe('its limits', () => {
    /** A user in a separate workspace, so that nothing else counts. */
    async function alone(): Promise<Pick<NewUpload, 'accountId' | 'workspaceId'>> {
      const username = `alone-${randomUUID()}`;
      return {
        accountId: await createAccount(database, { username, displayName: 'One', password: 'x' }),
        workspaceId: await createWorkspace(database, 'Alone'),
      };
    }

    it('limits the bytes of a workspace', async () => {
      // The cost of each upload besides its bytes: its row and directory entry.
      const limits = { ...LIMITS, workspaceBytes: 30 + 2 * 16_384 };
      const who = await alone();
      await uploads.add({ ...upload(), ...who, size: 10 }, limits);
      const more = { ...upload(), ...who, size: 21 };
      await expect(uploads.add(more, limits)).rejects.toMatchObject({ status_code: 507 });
      expect(await uploads.find(more.id)).toBeUndefined();
      expect((await uploads.add({ ...more, size: 20 }, limits)).added).toBe(true);
    });

    it('limits the unfinished uploads of a user, not the finished ones', async () => {
      const limits = { ...LIMITS, unfinishedUploads: 2 };
      const who = await alone();
      for (let count = 0; count < 4; count += 1) {
        const { record } = await uploads.add({ ...upload(), ...who }, limits);
        await uploads.finish(record.id, digests('e'), new Date());
      }
      await uploads.add({ ...upload(), ...who }, limits);
      await uploads.add({ ...upload(), ...who }, limits);
      await expect(uploads.add({ ...upload(), ...who }, limits)).rejects.toMatchObject({
        status_code: 507,
      });
      const another = await alone();
      const beside = { ...upload(), ...who, accountId: another.accountId };
      expect((await uploads.add(beside, limits)).added).toBe(true);
    });
  });
});
