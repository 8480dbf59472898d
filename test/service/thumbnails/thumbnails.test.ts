import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { access, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Database } from '../../../service/database/database.js';
import type { Look, LookOrder } from '../../../service/thumbnails/look.js';
import { ThumbnailTable } from '../../../service/thumbnails/thumbnail-table.js';
import { Thumbnails } from '../../../service/thumbnails/thumbnails.js';
import { openReadyDatabase } from '../kept-databases.js';

const PNG = Buffer.from('89504e470d0a1a0a000102030405060708090a', 'hex');
const MADE: Look = {
  width: 30,
  height: 20,
  capturedAt: '2026-05-01T10:20:30',
  picture: Buffer.from('RIFF....WEBP').toString('base64'),
};

type Answer = Look | 'broken' | 'no library';

describe('making thumbnails', () => {
  let database: Database;
  let table: ThumbnailTable;
  let now: Date;
  let reported: unknown[];
  let open: Thumbnails[];

  beforeAll(async () => {
    database = await openReadyDatabase();
    table = new ThumbnailTable(database);
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    await database.query('DELETE FROM uploads');
    now = new Date('2026-11-22T12:00:00Z');
    reported = [];
    open = [];
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT 'photo-' || lpad(n::text, 4, '0'), account_id, workspace_id, ${PNG.length}, 'photo', '', '{}',
              now(), CASE WHEN n <> 3 THEN now() END, CASE WHEN n <> 3 THEN repeat('a', 64) END
         FROM generate_series(1, 5) AS n, workspace_members`,
    );
  });
  afterEach(async () => {
    for (const one of open) await one.close();
  });

  interface Setting {
    readonly answer?: (order: LookOrder) => Promise<Answer>;
    readonly bytes?: Buffer;
    readonly isLocal?: boolean;
    readonly isAway?: () => boolean;
  }

  const making = ({ answer, bytes = PNG, isLocal = true, isAway = () => false }: Setting = {}) => {
    const orders: LookOrder[] = [];
    let end = (): void => undefined;
    const ended = new Promise<'broken'>((resolve) => {
      end = () => {
        resolve('broken');
      };
    });
    const one = new Thumbnails({
      table,
      store: {
        readRange: (_id, { start, end: last }) =>
          isAway()
            ? Promise.reject(new Error('the storage is away'))
            : Promise.resolve(Readable.from([bytes.subarray(start, last + 1)])),
        localFile: (id) => (isLocal ? `/uploads/${id}` : undefined),
      },
      looker: {
        look: (order) => {
          orders.push(order);
          return Promise.race([ended, answer?.(order) ?? Promise.resolve(MADE)]);
        },
        end: () => {
          end();
        },
      },
      now: () => now,
      reportError: (error) => reported.push(error),
    });
    open.push(one);
    return { one, orders };
  };
  const stateOf = async (id: string): Promise<string | undefined> =>
    (await table.find(id, now))?.thumbnail.state;
  const factsOf = async (id: string): Promise<unknown> =>
    (await database.query('SELECT width, height, captured_at FROM uploads WHERE id = $1', [id]))[0];

  it('keeps the thumbnail and what the picture says, once', async () => {
    const { one, orders } = making();
    one.want('photo-0001');
    one.want('photo-0001');
    await one.settled();
    one.want('photo-0001');
    await one.settled();
    expect(orders).toEqual([{ file: '/uploads/photo-0001', type: 'image/png', isWhole: true }]);
    expect(await table.find('photo-0001', now)).toMatchObject({
      photo: { id: 'photo-0001', width: 30 },
      thumbnail: { state: 'made', picture: Buffer.from('RIFF....WEBP') },
    });
    expect(await factsOf('photo-0001')).toEqual({
      width: 30,
      height: 20,
      captured_at: '2026-05-01T10:20:30',
    });
    expect(reported).toEqual([]);
  });

  it.each([
    ['nothing is found', {}],
    ['the process is ended by it', 'broken'],
  ] as const)('gives a file up of which %s', async (_what, answer) => {
    const { one, orders } = making({ answer: () => Promise.resolve(answer) });
    one.want('photo-0001');
    await one.settled();
    expect(await stateOf('photo-0001')).toBe('failed');
    one.want('photo-0001');
    await one.settled();
    expect(orders).toHaveLength(1);
  });

  it('keeps what a picture says of which no thumbnail can be made', async () => {
    const { one } = making({ answer: () => Promise.resolve({ width: 7, height: 8 }) });
    one.want('photo-0001');
    await one.settled();
    expect(await stateOf('photo-0001')).toBe('failed');
    expect(await factsOf('photo-0001')).toEqual({ width: 7, height: 8, captured_at: null });
  });

  it.each([
    ['image/png', [{ file: '/uploads/photo-0001', type: 'image/png', isWhole: true }], 'made'],
    ['image/jpeg', [{ file: '/uploads/photo-0001', type: 'image/jpeg', isWhole: true }], 'made'],
    ['application/pdf', [], 'failed'],
    ['application/octet-stream', [], 'failed'],
  ])('does not read again what is known to be %s', async (type, looks, state) => {
    const { one, orders } = making({ isAway: () => true });
    one.want('photo-0001', type);
    // Who asks meanwhile knows less.
    one.want('photo-0001');
    await one.settled();
    expect([orders, await stateOf('photo-0001'), reported]).toEqual([looks, state, []]);
  });

  it('has nothing looked at that is no picture by its bytes', async () => {
    const { one, orders } = making({ bytes: Buffer.from('<!doctype html>......') });
    one.want('photo-0001');
    await one.settled();
    expect([orders, await stateOf('photo-0001')]).toEqual([[], 'failed']);
  });

  it('knows no photo that has not arrived, or is gone', async () => {
    const { one, orders } = making();
    for (const id of ['photo-0003', 'nothing']) one.want(id);
    await one.settled();
    expect([orders, reported]).toEqual([[], []]);
  });

  it('is done by one of two processes, and by the other one when that has died', async () => {
    const stuck = making({ answer: () => new Promise(() => undefined) });
    stuck.one.want('photo-0001');
    while (stuck.orders.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const other = making();
    other.one.want('photo-0001');
    await other.one.settled();
    expect([other.orders.length, await stateOf('photo-0001')]).toEqual([0, 'pending']);
    // The lease of the one that hangs is over.
    now = new Date(now.getTime() + 200_000);
    other.one.want('photo-0001');
    await other.one.settled();
    expect([other.orders.length, await stateOf('photo-0001')]).toEqual([1, 'made']);
  });

  it('is not tried for ever where a file ends the whole service', async () => {
    for (let times = 0; times < 5; times += 1) {
      await table.claim('photo-0001', now, new Date(now.getTime() + 1000));
      now = new Date(now.getTime() + 2000);
    }
    expect(await stateOf('photo-0001')).toBe('failed');
    expect(await table.unseen(now)).not.toContain('photo-0001');
    const { one, orders } = making();
    one.want('photo-0001');
    await one.settled();
    expect(orders).toEqual([]);
  });

  it('is tried again, however often, when the storage was away', async () => {
    let isAway = true;
    const { one } = making({ isAway: () => isAway });
    for (let times = 0; times < 5; times += 1) {
      one.want('photo-0001');
      await one.settled();
      expect(await stateOf('photo-0001')).toBe('pending');
      now = new Date(now.getTime() + 100_000);
    }
    expect(reported).toHaveLength(5);
    isAway = false;
    one.want('photo-0001');
    await one.settled();
    expect(await stateOf('photo-0001')).toBe('made');
  });

  it('ends for this run where there is no library, and says nothing about the photo', async () => {
    const { one, orders } = making({ answer: () => Promise.resolve('no library') });
    expect(one.areMade).toBe(true);
    one.want('photo-0001');
    await one.settled();
    expect([one.areMade, await stateOf('photo-0001')]).toEqual([false, 'pending']);
    one.want('photo-0002');
    await one.catchUp();
    await one.settled();
    expect(orders).toHaveLength(1);
    // The next run, with a library.
    now = new Date(now.getTime() + 100_000);
    const next = making();
    await next.one.catchUp();
    await next.one.settled();
    expect(await stateOf('photo-0001')).toBe('made');
  });

  it('catches up with all that nobody has looked at, and with nothing else', async () => {
    await database.query(`UPDATE uploads SET trashed_at = now() WHERE id = 'photo-0004'`);
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT 'z-' || n, account_id, workspace_id, 10, 'photo', '', '{}', now(), now(), repeat('a', 64)
         FROM generate_series(1, 510) AS n, workspace_members`,
    );
    const { one, orders } = making();
    one.want('photo-0002');
    await one.settled();
    for (let times = 0; times < 4; times += 1) {
      await one.catchUp();
      await one.settled();
    }
    expect(orders.slice(0, 3).map(({ file }) => file)).toEqual([
      '/uploads/photo-0002',
      '/uploads/photo-0001',
      '/uploads/photo-0005',
    ]);
    expect(orders).toHaveLength(513);
    expect(await table.unseen(now)).toEqual([]);
  });

  it('finds by itself what more photos at a time than can wait have left', async () => {
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT 'z-' || n, account_id, workspace_id, 10, 'photo', '', '{}', now(), now(), repeat('a', 64)
         FROM generate_series(1, 200) AS n, workspace_members`,
    );
    const { one, orders } = making();
    // A thousand can wait. Those that are gone when their turn comes cost less than others.
    for (let n = 1; n <= 900; n += 1) one.want(`gone-${n}`);
    for (let n = 1; n <= 200; n += 1) one.want(`z-${n}`);
    await one.settled();
    expect(orders).toHaveLength(100);
    await one.catchUp();
    await one.settled();
    // These and the four of before.
    expect(orders).toHaveLength(204);
  });

  it('knows a photo from its arrival on, whoever writes its row', async () => {
    expect(await table.unseen(now)).not.toContain('photo-0003');
    await database.query(
      `UPDATE uploads SET finished_at = now(), sha256 = repeat('a', 64) WHERE id = 'photo-0003'`,
    );
    expect(await table.unseen(now)).toContain('photo-0003');
  });

  it('stops in the middle of a photo, which is looked at after the next start', async () => {
    const { one, orders } = making({ answer: () => new Promise(() => undefined) });
    one.want('photo-0001');
    one.want('photo-0002');
    while (orders.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await one.close();
    one.want('photo-0005');
    now = new Date(now.getTime() + 100_000);
    const next = making();
    await next.one.catchUp();
    await next.one.settled();
    expect([orders.length, next.orders.length, reported]).toEqual([1, 4, []]);
  });

  it('works on a copy of what lies elsewhere, which goes afterwards; of what is large on its beginning', async () => {
    const seen: Buffer[] = [];
    const { one, orders } = making({
      isLocal: false,
      bytes: Buffer.concat([PNG, Buffer.alloc(300 * 1024)]),
      answer: async ({ file }) => {
        seen.push(await readFile(file));
        return MADE;
      },
    });
    await database.query(`UPDATE uploads SET size = ${200 * 1024 * 1024} WHERE id = 'photo-0002'`);
    for (const id of ['photo-0001', 'photo-0002']) one.want(id);
    await one.settled();
    expect(reported).toEqual([]);
    expect(orders.map(({ isWhole }) => isWhole)).toEqual([true, false]);
    expect(seen.map(({ length }) => length)).toEqual([PNG.length, 256 * 1024]);
    for (const { file } of orders) {
      expect(path.dirname(path.dirname(file))).toBe(tmpdir());
      await expect(access(file)).rejects.toThrow('ENOENT');
    }
  });

  it('leaves nothing of a photo that is removed', async () => {
    const { one } = making();
    one.want('photo-0001');
    await one.settled();
    await database.query(`DELETE FROM uploads WHERE id = 'photo-0001'`);
    const left = `SELECT 1 FROM thumbnails WHERE upload_id = 'photo-0001'`;
    expect(await database.query(left)).toEqual([]);
  });
});
