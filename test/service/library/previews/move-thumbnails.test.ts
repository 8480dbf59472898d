import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PhotoThumbnails } from '../../../../service/library/photos/data/photo-thumbnails.js';
import { moveThumbnails } from '../../../../service/library/previews/move-thumbnails.js';
import { readThumbnail } from '../../../../service/library/previews/thumbnail-table.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';
import { openStorage } from '../../../../service/library/uploads/storage/open-storage.js';
import type { UploadStorage } from '../../../../service/library/uploads/storage/upload-storage.js';
import type { Database } from '../../../../service/kernel/database/database.js';
import { openReadyDatabase } from '../../support/database-templates.js';

/** Many batches. */
const PHOTOS = 250;

describe('moving thumbnails from their rows into the storage', () => {
  let database: Database;
  let dataDir: string;
  let store: UploadStorage;

  beforeAll(async () => {
    database = await openReadyDatabase();
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'thumbnails-'));
    store = await openStorage({ dataDir }, new UploadRepository(database));
    await database.query('DELETE FROM uploads');
    await database.query('DELETE FROM discarded_uploads');
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT md5(n::text), account_id, workspace_id, 10, 'photo', '', '{}', now(), now(), repeat('a', 64)
         FROM generate_series(1, ${PHOTOS}) AS n, workspace_members`,
    );
    await database.query(
      `UPDATE thumbnails SET state = 'made', picture = decode(md5(upload_id) || md5(upload_id), 'hex')`,
    );
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const ids = async (): Promise<string[]> =>
    (await database.query<{ id: string }>('SELECT id FROM uploads')).map(({ id }) => id);
  const inRows = (table = 'thumbnails', column = 'picture'): Promise<unknown[]> =>
    database.query(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL`);
  /** The thumbnails as they are shown, by the ids of their photos. */
  const shown = async (): Promise<Map<string, string | undefined>> => {
    const table = new PhotoThumbnails(database);
    const found = (await ids()).map(async (id) => {
      const picture = (await table.find(id, new Date()))?.thumbnail.picture;
      const bytes = picture && (await readThumbnail(store, id, picture));
      return [id, bytes?.toString('hex')] as const;
    });
    return new Map(await Promise.all(found));
  };
  /** A storage that fails after so many thumbnails, like one whose process was killed. */
  const failingAfter = (written: number): Pick<UploadStorage, 'writePreview'> => ({
    writePreview: async (...thumbnail) => {
      if (written === 0) throw new Error('killed');
      written -= 1;
      await store.writePreview(...thumbnail);
    },
  });

  it('shows the same thumbnails before, during and after', async () => {
    const before = await shown();
    expect(new Set(before.values()).size).toBe(PHOTOS);
    let times = 0;
    const writePreview: UploadStorage['writePreview'] = async (...thumbnail) => {
      times += 1;
      if (times % 60 === 0) expect(await shown()).toEqual(before);
      await store.writePreview(...thumbnail);
    };
    await moveThumbnails({ database, store: { writePreview } });
    expect(times).toBe(PHOTOS);
    expect(await inRows()).toEqual([]);
    expect(await shown()).toEqual(before);
    const [one = ''] = before.keys();
    const file = await readFile(path.join(dataDir, 'uploads', `${one}.thumbnail`));
    expect(file.toString('hex')).toBe(before.get(one));
  });

  it('continues after a process was killed', async () => {
    const before = await shown();
    for (const written of [30, 130]) {
      const store = failingAfter(written);
      await expect(moveThumbnails({ database, store })).rejects.toThrow('killed');
      expect(await shown()).toEqual(before);
    }
    expect((await inRows()).length).toBeGreaterThan(0);
    await moveThumbnails({ database, store });
    expect(await inRows()).toEqual([]);
    expect(await shown()).toEqual(before);
  });

  it('stops when it is aborted', async () => {
    const stopping = new AbortController();
    const writePreview: UploadStorage['writePreview'] = (...thumbnail) => {
      stopping.abort();
      return store.writePreview(...thumbnail);
    };
    await moveThumbnails({ database, store: { writePreview } }, stopping.signal);
    expect((await inRows()).length).toBeGreaterThanOrEqual(PHOTOS - 100);
  });

  it('may run in two processes', async () => {
    const before = await shown();
    await Promise.all([1, 2].map(() => moveThumbnails({ database, store })));
    expect(await inRows()).toEqual([]);
    expect(await shown()).toEqual(before);
  });

  it('leaves files to be removed whose photo was removed while they were written', async () => {
    const [gone = ''] = await ids();
    const writePreview: UploadStorage['writePreview'] = async (...thumbnail) => {
      if (thumbnail[0] === gone) {
        await database.query('DELETE FROM uploads WHERE id = $1', [gone]);
        // The files of the photo have been removed before the thumbnail is written.
        await database.query('DELETE FROM discarded_uploads');
      }
      await store.writePreview(...thumbnail);
    };
    await moveThumbnails({ database, store: { writePreview } });
    expect(await database.query('SELECT id FROM discarded_uploads')).toEqual([{ id: gone }]);
  });

  it('moves thumbnails with a watermark', async () => {
    const [id = ''] = await ids();
    await database.query(
      `INSERT INTO watermarked_pictures (upload_id, mark, thumbnail, preview_bytes) VALUES ($1, 'mark', 'abc', 10)`,
      [id],
    );
    await moveThumbnails({ database, store });
    expect(await inRows('watermarked_pictures', 'thumbnail')).toEqual([]);
    const sql = 'SELECT thumbnail_bytes FROM watermarked_pictures';
    expect(await database.query(sql)).toEqual([{ thumbnail_bytes: 3 }]);
    expect(await store.readThumbnail(id, 3, 'watermarked-thumbnail')).toEqual(Buffer.from('abc'));
  });
});
