import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../../service/kernel/database/database.js';
import { PhotoTable } from '../../../../service/library/photos/data/photo-table.js';
import { purgeTrash } from '../../../../service/library/photos/data/trash-purge.js';
import { openReadyDatabase } from '../../support/database-templates.js';

const NOW = new Date('2026-11-22T12:00:00Z');

describe('photos whose time in the trash is over', () => {
  let database: Database;
  const ids = async (): Promise<string[]> => {
    const rows = await database.query<{ id: string }>('SELECT id FROM uploads ORDER BY id');
    return rows.map(({ id }) => id);
  };

  beforeEach(async () => {
    database = await openReadyDatabase();
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            finished_at, sha256, trashed_at)
       SELECT 'photo-' || lpad(n::text, 3, '0'), account_id, workspace_id, 10, 'photo', '', '{}', now(), now(),
              repeat('a', 64), timestamptz '2026-10-01' + n / 2 * interval '1 second'
         FROM generate_series(1, 250) AS n, workspace_members`,
    );
  });
  afterEach(() => database.close());

  it('are purged, and retried if the storage does not delete them', async () => {
    const reported: unknown[] = [];
    const discarded: string[] = [];
    const stuck = new Set(['photo-007', 'photo-150']);
    const purge = (): Promise<void> =>
      purgeTrash({
        photos: new PhotoTable(database),
        store: {
          discard: (id) => {
            if (stuck.has(id)) return Promise.reject(new Error('the storage is away'));
            discarded.push(id);
            return Promise.resolve();
          },
        },
        now: () => NOW,
        reportError: (error) => reported.push(error),
      });

    await purge();
    expect(await ids()).toEqual(['photo-007', 'photo-150']);
    expect(reported).toHaveLength(2);
    expect(new Set(discarded).size).toBe(248);

    stuck.clear();
    await purge();
    expect(await ids()).toEqual([]);
  });

  it('keep their rows when the purge stops before their bytes are deleted', async () => {
    const stop = new AbortController();
    const discarded: string[] = [];
    await purgeTrash(
      {
        photos: new PhotoTable(database),
        store: {
          discard: (id) => {
            discarded.push(id);
            if (discarded.length === 5) stop.abort();
            return Promise.resolve();
          },
        },
        now: () => NOW,
        reportError: () => undefined,
      },
      stop.signal,
    );
    expect(discarded).toHaveLength(5);
    expect(await ids()).toHaveLength(245);
  });
});
