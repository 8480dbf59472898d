import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { removeDeletedFiles } from '../../../../../service/library/uploads/storage/deleted-files.js';
import { NOOP_METRICS } from '../../../../../service/kernel/metrics/metrics-port.js';
import { openStorage } from '../../../../../service/library/uploads/storage/open-storage.js';
import { UploadRepository } from '../../../../../service/library/uploads/repository/upload-repository.js';
import { startTestService } from '../../../support/running-service.js';
import type { TestService } from '../../../support/running-service.js';
import { create, locationOf, patch, photo, terminate } from '../../../support/tus-client.js';
import {
  PREVIEW_VARIANTS,
  previewKey,
} from '../../../../../service/library/uploads/storage/upload-storage.js';

/** Simulates a crash between the removal of a row and that of its bytes. */
describe('the bytes of uploads whose rows are gone', () => {
  let service: TestService;
  let token: string;
  let clock: number;

  beforeEach(async () => {
    clock = Date.now();
    service = await startTestService({ now: () => new Date(clock) });
    token = (await service.connect()).accessToken;
  });
  afterEach(() => service.close());

  /** An upload with bytes, finished or begun; its id. */
  const send = async (length: number): Promise<string> => {
    const url = locationOf(service.baseUrl, await create(service.baseUrl, token, { length }));
    expect((await patch(url, token, 0, photo(10))).status).toBe(204);
    return path.basename(url);
  };
  const noted = async (): Promise<string[]> => {
    const rows = await service.database.query<{ id: string }>('SELECT id FROM discarded_uploads');
    return rows.map(({ id }) => id);
  };

  it('are deleted by the next housekeeping', async () => {
    const [kept, begun] = [await send(10), await send(20)];
    const gone = [await send(10), await send(20)];
    for (const variant of PREVIEW_VARIANTS)
      await service.stored.add(previewKey(gone[0] ?? '', variant), photo(5));
    for (const id of gone) await service.database.query('DELETE FROM uploads WHERE id = $1', [id]);
    expect((await service.stored.ids()).sort()).toEqual([...gone, kept, begun].sort());
    expect((await noted()).sort()).toEqual([...gone].sort());

    await service.purge();
    expect((await service.stored.ids()).sort()).toEqual([kept, begun].sort());
    expect(await noted()).toEqual([]);
  });

  it('are deleted when an upload was abandoned or terminated', async () => {
    const ended = await send(20);
    expect((await terminate(`${service.baseUrl}/api/v1/uploads/${ended}`, token)).status).toBe(204);
    const [kept, abandoned] = [await send(10), await send(20)];
    expect((await service.stored.ids()).sort()).toEqual([kept, abandoned].sort());
    clock += 8 * 24 * 3_600_000;
    await service.purge();
    expect(await service.stored.ids()).toEqual([kept]);
    expect(await noted()).toEqual([]);
  });

  it('stay scheduled while the storage fails; bytes with a row are kept', async () => {
    const [stuck, other, back] = [await send(10), await send(10), await send(10)];
    const { database } = service;
    await database.query('INSERT INTO discarded_uploads (id) VALUES ($1)', [back]);
    await database.query('DELETE FROM uploads WHERE id IN ($1, $2)', [stuck, other]);
    const storage = await openStorage(service.storageOptions, new UploadRepository(database));
    const errors: unknown[] = [];
    await removeDeletedFiles({
      database,
      now: () => new Date(clock),
      counts: NOOP_METRICS,
      store: {
        discard: (id) =>
          id === stuck ? Promise.reject(new Error('the storage is away')) : storage.discard(id),
        settleDiscards: () => storage.settleDiscards(),
      },
      reportError: (error) => errors.push(error),
    });
    expect(errors).toHaveLength(1);
    expect((await noted()).sort()).toEqual([stuck, back].sort());
    expect((await service.stored.ids()).sort()).toEqual([stuck, back].sort());
  });
});
