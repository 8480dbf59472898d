import { PhotoThumbnails } from '../../../../service/library/photos/data/photo-thumbnails.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { access, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import path from 'node:path';
import packageJson from '../../../../package.json' with { type: 'json' };
import type { Database } from '../../../../service/kernel/database/database.js';
import {
  IMAGE_WORKER_VERSION,
  type ImageInfo,
  type InspectionDeps,
  type ImageJob,
} from '../../../../service/library/previews/image-info.js';
import type { FileLocation } from '../../../../service/library/previews/file-location.js';
import type { InspectedImage } from '../../../../service/library/previews/image-worker.js';
import { StoredLocations } from '../../../../service/library/previews/stored-locations.js';
import {
  ThumbnailTable,
  type PendingPhoto,
} from '../../../../service/library/previews/thumbnail-table.js';
import { ThumbnailWorker } from '../../../../service/library/previews/thumbnail-worker.js';
import { previewKey } from '../../../../service/library/uploads/storage/upload-storage.js';
import { Turns } from '../../../../service/library/previews/turns.js';
import { countRoundTrips } from '../../kernel/database/counting.js';
import { openReadyDatabase } from '../../support/database-templates.js';

const MIGRATION = path.join(
  import.meta.dirname,
  '../../../../service/migrations/0028_films_without_frames.sql',
);
const PNG = Buffer.from('89504e470d0a1a0a000102030405060708090a', 'hex');
const ORDER = {
  ...{ file: '/uploads/photo-0001', size: PNG.length, isWhole: true },
  mediaType: 'image/png',
};
const PICTURE = { ...ORDER, findsLocation: true, hasLocation: false, makesPictures: true };
const MADE = {
  width: 30,
  height: 20,
  capturedAt: '2026-05-01T10:20:30',
  pictures: {
    thumbnail: Buffer.from('RIFF....WEBP'),
    preview: Buffer.from('RIFF....WEBP, but larger'),
    width: 20,
    height: 10,
  },
};

/** The thumbnail of {@link MADE} in the storage. */
const SIZE = { size: MADE.pictures.thumbnail.length };

/** The results of the process, per file. */
type Answer = (ImageInfo & InspectedImage) | 'broken' | 'no library';

const FOUND: FileLocation = {
  kind: 'searched',
  hasLocation: true,
  patches: [
    { at: 1, length: 2, by: 0 },
    { at: 9, length: 2, by: Buffer.from('ab') },
  ],
};

describe('making thumbnails', () => {
  let database: Database;
  let table: ThumbnailTable;
  let now: Date;
  let reported: unknown[];
  /** The stored previews and thumbnails. */
  let previews: Map<string, Buffer>;
  let open: ThumbnailWorker[];

  beforeAll(async () => {
    database = await openReadyDatabase();
    table = new ThumbnailTable(database);
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    await database.query('DELETE FROM uploads');
    now = new Date('2026-11-22T12:00:00Z');
    reported = [];
    previews = new Map();
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

  const of = (id: string, workspaceId = 'one'): PendingPhoto => ({ id, workspaceId });

  interface Setting {
    /** What the search finds; null when it finds nothing out. */
    readonly location?: FileLocation | null;
    readonly answer?: (order: ImageJob, aids: InspectionDeps) => Promise<Answer>;
    readonly bytes?: Buffer;
    readonly isLocal?: boolean;
    readonly isAway?: () => boolean;
    readonly database?: Database;
    /** Whether there is ffmpeg. */
    readonly drawsFilms?: boolean;
    /** Runs before a preview is written. */
    readonly onWrite?: () => Promise<unknown>;
  }

  const making = ({
    answer,
    location = FOUND,
    bytes = PNG,
    isLocal = true,
    isAway = () => false,
    database: used = database,
    drawsFilms = true,
    onWrite,
  }: Setting = {}) => {
    const orders: ImageJob[] = [];
    const turns = new Turns({
      ...{ atOnce: 2, waitingOfKey: 500, waitingInAll: 10_000, penaltyMs: 0 },
    });
    let end = (): void => undefined;
    const ended = new Promise<'broken'>((resolve) => {
      end = () => {
        resolve('broken');
      };
    });
    const one = new ThumbnailWorker({
      table: new ThumbnailTable(used),
      store: {
        readRange: (_id, { start, end: last }) =>
          isAway()
            ? Promise.reject(new Error('the storage is away'))
            : Promise.resolve(Readable.from([bytes.subarray(start, last + 1)])),
        localFile: (id) => (isLocal ? `/uploads/${id}` : undefined),
        readPreview: (id, size, variant) => {
          const stored = previews.get(previewKey(id, variant));
          return Promise.resolve(stored?.length === size ? Readable.from([stored]) : undefined);
        },
        writePreview: async (id, written, variant) => {
          await onWrite?.();
          previews.set(previewKey(id, variant), Buffer.from(written));
        },
      },
      imageWorker: {
        inTurn: (workspaceId, work) =>
          turns.run(workspaceId, 'background', () =>
            work(async (order, aids) => {
              orders.push(order);
              if (location !== null && order.findsLocation) await aids.saveLocation(location);
              const found = await Promise.race([
                ended,
                answer?.(order, aids) ?? Promise.resolve<Answer>(MADE),
              ]);
              if (typeof found === 'string') return found;
              if (!order.makesPictures) return {};
              const { pictures, ...facts } = found;
              await aids.saveFacts(facts);
              return { pictures };
            }),
          ),
        end: () => {
          end();
        },
      },
      now: () => now,
      reportError: (error) => reported.push(error),
      drawsFilms,
    });
    open.push(one);
    return { one, orders };
  };
  const addPhotos = (name: string, count: number, workspace?: string): Promise<unknown> =>
    database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT $1 || '-' || n, account_id, coalesce($3, workspace_id), 10, 'photo', '', '{}', now(), now(), repeat('a', 64)
         FROM generate_series(1, $2::integer) AS n, workspace_members`,
      [name, count, workspace ?? null],
    );
  const locations = (): StoredLocations => new StoredLocations(database, () => now);
  const idsOfUnseen = async (): Promise<string[]> => (await table.pending(now)).map(({ id }) => id);
  const stateOf = async (id: string): Promise<string | undefined> =>
    (await new PhotoThumbnails(database).find(id, now))?.thumbnail.state;
  const factsOf = async (id: string): Promise<unknown> =>
    (await database.query('SELECT width, height, captured_at FROM uploads WHERE id = $1', [id]))[0];

  /** Notes a poster as a request does. @returns whether it is the first one */
  const sendPoster = async (id: string, bytes: number): Promise<boolean> => {
    await table.claimPoster(id, now);
    return table.recordPoster(id, bytes, now);
  };

  it('gives the process the poster of a film, and reads the film again for one that comes in between', async () => {
    const film = { bytes: Buffer.from('....moov'), id: 'photo-0001' };
    const poster = Buffer.from('a poster');
    let isFirst = true;
    const { one, orders } = making({
      bytes: film.bytes,
      answer: async () => {
        if (isFirst) {
          isFirst = false;
          previews.set(`${film.id}.poster`, poster);
          expect(await sendPoster(film.id, poster.length)).toBe(true);
          expect(await sendPoster(film.id, 1)).toBe(false);
        }
        return MADE;
      },
    });
    one.enqueue(of(film.id));
    await one.settled();
    expect(orders.map((order) => order.poster)).toEqual([undefined, poster.toString('base64')]);
    expect(await stateOf(film.id)).toBe('made');
    expect(await new PhotoThumbnails(database).find(film.id, now)).toMatchObject({
      photo: { preview: { version: 1000 + IMAGE_WORKER_VERSION } },
    });
    expect(reported).toEqual([]);
  });

  it('reads a film again without a picture, too, for a poster that comes in between', async () => {
    const { one, orders } = making({
      bytes: Buffer.from('....moov'),
      answer: async () => {
        previews.set('photo-0001.poster', Buffer.from('a poster'));
        await sendPoster('photo-0001', 8);
        return {};
      },
    });
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(orders).toHaveLength(2);
    expect(await stateOf('photo-0001')).toBe('failed');
  });

  it('removes the poster of a film that is gone, and nothing of one that is there', async () => {
    const noted = async (): Promise<unknown> =>
      database.query('SELECT id FROM discarded_uploads WHERE id LIKE $1', ['%-film']);
    expect(await sendPoster('gone-film', 8)).toBe(false);
    expect(await sendPoster('photo-0001', 8)).toBe(true);
    expect(await sendPoster('photo-0001', 8)).toBe(false);
    expect(await noted()).toEqual([{ id: 'gone-film' }]);
  });

  it('stores the thumbnail and the details of a picture once', async () => {
    const { one, orders } = making();
    one.enqueue(of('photo-0001'));
    one.enqueue(of('photo-0001'));
    await one.settled();
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(orders).toEqual([PICTURE]);
    expect(await new PhotoThumbnails(database).find('photo-0001', now)).toMatchObject({
      photo: {
        ...{ id: 'photo-0001', width: 30 },
        preview: { width: 20, height: 10, size: 24, version: IMAGE_WORKER_VERSION },
      },
      thumbnail: { state: 'made', picture: SIZE },
    });
    expect([...previews]).toEqual([
      ['photo-0001.preview', MADE.pictures.preview],
      ['photo-0001.thumbnail', MADE.pictures.thumbnail],
    ]);
    expect(await factsOf('photo-0001')).toEqual({
      width: 30,
      height: 20,
      captured_at: '2026-05-01T10:20:30',
    });
    expect(reported).toEqual([]);
  });

  it.each([
    ['nothing is found', {}, 1],
    ['the process is ended by it twice', 'broken', 2],
  ] as const)('gives up a file of which %s', async (_what, answer, times) => {
    const { one, orders } = making({ answer: () => Promise.resolve(answer) });
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(await stateOf('photo-0001')).toBe('failed');
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(orders).toHaveLength(times);
  });

  it('calls a location unknown whose search breaks two processes, and still makes the pictures', async () => {
    const { one, orders } = making({
      location: null,
      answer: ({ findsLocation }) => Promise.resolve(findsLocation ? 'broken' : MADE),
    });
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(orders.map(({ findsLocation }) => findsLocation)).toEqual([true, true, false]);
    expect([await stateOf('photo-0001'), (await locations().of('photo-0001')).kind]).toEqual([
      'made',
      'unsearchable',
    ]);
  });

  it('keeps a location that was found before the picture broke its process', async () => {
    const { one, orders } = making({ answer: () => Promise.resolve('broken') });
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(orders.map(({ hasLocation }) => hasLocation)).toEqual([false, true]);
    expect(await locations().of('photo-0001')).toEqual(FOUND);
    const kindOf = await locations().kinds(['photo-0001', 'photo-0002', 'nothing']);
    expect(['photo-0001', 'photo-0002', 'nothing'].map(kindOf)).toEqual([
      'searched',
      'pending',
      'pending',
    ]);
  });

  it('searches a location again that an ended service found and did not store', async () => {
    const stuck = making({ location: null, answer: () => new Promise(() => undefined) });
    stuck.one.enqueue(of('photo-0001'));
    while (stuck.orders.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await stuck.one.close();
    expect((await locations().of('photo-0001')).kind).toBe('pending');
    now = new Date(now.getTime() + 100_000);
    const next = making();
    next.one.enqueue(of('photo-0001'));
    await next.one.settled();
    expect(await locations().of('photo-0001')).toEqual(FOUND);
  });

  it('searches what an earlier version has searched, and what was there before there was a search', async () => {
    const { one } = making();
    one.enqueue(of('photo-0001'));
    await one.settled();
    await database.query(
      `UPDATE thumbnails SET location_version = 0 WHERE upload_id = 'photo-0001'`,
    );
    await database.query(
      `UPDATE thumbnails SET state = 'made', picture = '', attempts = 1, lease_until = NULL
        WHERE upload_id = 'photo-0002'`,
    );
    expect((await locations().of('photo-0001')).kind).toBe('pending');
    for (let times = 0; times < 3; times += 1) {
      await one.catchUp();
      await one.settled();
    }
    const kindOf = await locations().kinds(['photo-0001', 'photo-0002']);
    expect(['photo-0001', 'photo-0002'].map(kindOf)).toEqual(['searched', 'searched']);
    expect([await stateOf('photo-0001'), await stateOf('photo-0002')]).toEqual(['made', 'made']);
    expect(await table.pending(now)).toEqual([]);
  });

  it('calls a location unknown whose search ends the service each time', async () => {
    for (let times = 0; times < 3; times += 1) {
      await table.claim('photo-0001', now, new Date(now.getTime() + 1000));
      now = new Date(now.getTime() + 2000);
    }
    expect((await locations().of('photo-0001')).kind).toBe('unsearchable');
    const kindOf = await locations().kinds(['photo-0001']);
    expect(kindOf('photo-0001')).toBe('unsearchable');
  });

  it('stores the details of a picture without a thumbnail', async () => {
    const { one } = making({ answer: () => Promise.resolve({ width: 7, height: 8 }) });
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(await stateOf('photo-0001')).toBe('failed');
    expect(await factsOf('photo-0001')).toEqual({ width: 7, height: 8, captured_at: null });
  });

  it.each([
    ['a PNG', PNG, ['image/png', true], 'made'],
    ['a JPEG', Buffer.from('ffd8ffe0', 'hex'), ['image/jpeg', true], 'made'],
    ['a PDF', Buffer.from('%PDF-1.7'), ['application/pdf', true], 'made'],
    ['a film', Buffer.from('\0\0\0\x10ftypmp42', 'latin1'), ['video/mp4', true], 'made'],
    ['an OpenEXR', Buffer.from('v/1\x01'), ['image/x-exr', false], 'failed'],
    ['a ZIP', Buffer.from('PK\x03\x04'), ['application/octet-stream', false], 'failed'],
    ['of unknown kind', Buffer.from('unknown'), [], 'failed'],
  ])('does not read a file again that is known to be %s', async (_what, head, look, state) => {
    const { one, orders } = making({ isAway: () => true });
    one.enqueue(of('photo-0001'), head);
    // A concurrent request sees fewer details.
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect([orders.flatMap((order) => [order.mediaType, order.makesPictures]), reported]).toEqual([
      look,
      [],
    ]);
    expect(await stateOf('photo-0001')).toBe(state);
  });

  it('only searches the location of files that are no picture', async () => {
    const { one, orders } = making({ bytes: Buffer.from('v/1\x01.................') });
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect([orders, await stateOf('photo-0001')]).toEqual([
      [{ ...PICTURE, mediaType: 'image/x-exr', makesPictures: false }],
      'failed',
    ]);
    expect(await locations().of('photo-0001')).toEqual(FOUND);
  });

  it('notes files of unknown kind without a process, those of a moment in one statement', async () => {
    const counting = countRoundTrips(database, false);
    const { one, orders } = making({ database: counting });
    const head = Buffer.from('of unknown kind');
    // One has no upload any more.
    const ids = ['photo-0001', 'photo-0002', 'photo-0004', 'nothing'];
    const statements = await counting.duringAll(async () => {
      ids.forEach((id) => {
        one.enqueue(of(id), head);
      });
      await one.settled();
    });
    expect([orders, statements.length, reported]).toEqual([[], 1, []]);
    expect(await Promise.all(ids.map(stateOf))).toEqual(['failed', 'failed', 'failed', undefined]);
    expect(await locations().of('photo-0004')).toEqual({
      kind: 'unsearchable',
      reason: 'unknown-kind',
    });
    expect(await idsOfUnseen()).toEqual(['photo-0005']);
  });

  it('finds files of unknown kind again that could not be noted', async () => {
    const { one, orders } = making({
      bytes: Buffer.from('of unknown kind'),
      database: { ...database, query: () => Promise.reject(new Error('the database is away')) },
    });
    one.enqueue(of('photo-0001'), Buffer.from('of unknown kind'));
    await one.settled();
    expect(reported).toHaveLength(1);
    const next = making({ bytes: Buffer.from('of unknown kind') });
    await next.one.catchUp();
    await next.one.settled();
    expect([orders, next.orders, await table.pending(now)]).toEqual([[], [], []]);
    expect((await locations().of('photo-0001')).kind).toBe('unsearchable');
  });

  it('ignores unfinished and deleted photos', async () => {
    const { one, orders } = making();
    for (const id of ['photo-0003', 'nothing']) one.enqueue(of(id));
    await one.settled();
    expect([orders, reported]).toEqual([[], []]);
  });

  it('runs in one of two processes, and moves to the other when that dies', async () => {
    const stuck = making({ answer: () => new Promise(() => undefined) });
    stuck.one.enqueue(of('photo-0001'));
    while (stuck.orders.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const other = making();
    other.one.enqueue(of('photo-0001'));
    await other.one.settled();
    expect([other.orders.length, await stateOf('photo-0001')]).toEqual([0, 'pending']);
    // The lease of the one that hangs is over.
    now = new Date(now.getTime() + 400_000);
    other.one.enqueue(of('photo-0001'));
    await other.one.settled();
    expect([other.orders.length, await stateOf('photo-0001')]).toEqual([1, 'made']);
  });

  it('stops retrying a file that crashes the service', async () => {
    for (let times = 0; times < 5; times += 1) {
      await table.claim('photo-0001', now, new Date(now.getTime() + 1000));
      now = new Date(now.getTime() + 2000);
    }
    expect(await stateOf('photo-0001')).toBe('failed');
    expect(await idsOfUnseen()).not.toContain('photo-0001');
    const { one, orders } = making();
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(orders).toEqual([]);
  });

  it('is retried when a clock that was ahead is put right', async () => {
    const ahead = new Date(now.getTime() + 365 * 86_400_000);
    for (let times = 0; times < 3; times += 1) {
      await table.claim('photo-0002', now, now);
      now = new Date(now.getTime() + 1);
    }
    await database.query('UPDATE thumbnails SET lease_until = $1', [ahead]);
    expect((await table.pending(now)).map(({ id }) => id)).toContain('photo-0001');
    const { one, orders } = making();
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect([orders.length, await stateOf('photo-0001')]).toEqual([1, 'made']);
    // This one has ended the service three times.
    expect(await stateOf('photo-0002')).toBe('failed');
    expect((await locations().of('photo-0002')).kind).toBe('unsearchable');
  });

  it('is retried while the storage is away', async () => {
    let isAway = true;
    const { one } = making({ isAway: () => isAway });
    for (let times = 0; times < 5; times += 1) {
      one.enqueue(of('photo-0001'));
      await one.settled();
      expect(await stateOf('photo-0001')).toBe('pending');
      now = new Date(now.getTime() + 100_000);
    }
    expect(reported).toHaveLength(5);
    isAway = false;
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(await stateOf('photo-0001')).toBe('made');
  });

  it('makes no pictures in this run without a library, and only searches locations', async () => {
    const { one, orders } = making({ answer: () => Promise.resolve('no library') });
    expect(one.areMade).toBe(true);
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect([one.areMade, await stateOf('photo-0001')]).toEqual([false, 'pending']);
    expect((await locations().of('photo-0001')).kind).toBe('searched');
    one.enqueue(of('photo-0002'));
    await one.catchUp();
    await one.settled();
    const searched = { ...PICTURE, file: '/uploads/photo-0002', makesPictures: false };
    // Which photo comes first is open.
    expect(orders).toContainEqual(searched);
    expect(await stateOf('photo-0002')).toBe('pending');
    const before = orders.length;
    now = new Date(now.getTime() + 100_000);
    await one.catchUp();
    await one.settled();
    expect(orders).toHaveLength(before);
    // The next run, with a library.
    now = new Date(now.getTime() + 100_000);
    const next = making();
    await next.one.catchUp();
    await next.one.settled();
    expect([await stateOf('photo-0001'), next.orders[0]]).toEqual([
      'made',
      { ...PICTURE, findsLocation: false, hasLocation: true },
    ]);
  });

  it('catches up with unprocessed photos only', async () => {
    await database.query(`UPDATE uploads SET trashed_at = now() WHERE id = 'photo-0004'`);
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT 'z-' || n, account_id, workspace_id, 10, 'photo', '', '{}', now(), now(), repeat('a', 64)
         FROM generate_series(1, 510) AS n, workspace_members`,
    );
    const { one, orders } = making();
    one.enqueue(of('photo-0002'));
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
    expect(await table.pending(now)).toEqual([]);
  });

  it('catches up with photos that did not fit in the queue', async () => {
    await addPhotos('z', 600);
    const { one, orders } = making();
    for (let n = 1; n <= 600; n += 1) one.enqueue(of(`z-${n}`));
    await one.settled();
    // One ran, and as many waited as may wait.
    expect(orders).toHaveLength(501);
    await one.catchUp();
    await one.settled();
    // These and the four of before.
    expect(orders).toHaveLength(604);
  });

  it('alternates between workspaces', async () => {
    await addPhotos('many', 30);
    await addPhotos('few', 2);
    const seen = (): string[] => orders.map(({ file }) => path.basename(file));
    const { one, orders } = making({
      // A photo of the other workspace comes during each of the first two.
      answer: async ({ file }) => {
        const other = path.basename(file).replace('many', 'few');
        while (/^few-[12]$/.test(other) && !seen().includes(other)) await delay(1);
        return MADE;
      },
    });
    for (let n = 1; n <= 30; n += 1) one.enqueue(of(`many-${n}`, 'north'));
    for (let n = 1; n <= 2; n += 1) one.enqueue(of(`few-${n}`, 'south'));
    await one.settled();
    expect(seen().slice(0, 4).sort()).toEqual(['few-1', 'few-2', 'many-1', 'many-2']);
    expect(orders).toHaveLength(32);
  });

  it('catches up with as many photos of each workspace', async () => {
    await database.query(
      `INSERT INTO workspaces (id, name) VALUES ('zz-south', 'South') ON CONFLICT DO NOTHING`,
    );
    await addPhotos('many', 700);
    await addPhotos('few', 20, 'zz-south');
    const unseen = await table.pending(now);
    expect(unseen.filter(({ workspaceId }) => workspaceId === 'zz-south')).toHaveLength(20);
    expect(unseen).toHaveLength(270);
    // After the last workspace the next part begins at the first one again.
    expect(await table.pending(now, 'zz-south')).toEqual([]);
  });

  it('stores the facts before the picture is decoded, and keeps them when that breaks', async () => {
    const { one } = making({
      answer: async (_order, aids) => {
        await aids.saveFacts({ width: 4, height: 3, capturedAt: '2026-05-01T10:20:30' });
        return 'broken';
      },
    });
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect([await stateOf('photo-0001'), await factsOf('photo-0001')]).toEqual([
      'failed',
      { width: 4, height: 3, captured_at: '2026-05-01T10:20:30' },
    ]);
  });

  it('retries photos once after an upgrade that failed before it', async () => {
    const failing = making({ answer: () => Promise.resolve('broken') });
    failing.one.enqueue(of('photo-0001'));
    await failing.one.settled();
    const version = (upgraded: number): Promise<unknown> =>
      database.query('UPDATE thumbnails SET image_worker_version = $1', [upgraded]);
    const { one, orders } = making();
    const twice = async (): Promise<unknown> => {
      for (let times = 0; times < 3; times += 1) {
        await one.catchUp();
        await one.settled();
      }
      return [await stateOf('photo-0001'), await stateOf('photo-0002')];
    };
    await database.query(`UPDATE thumbnails SET attempts = 3 WHERE upload_id = 'photo-0002'`);
    await version(IMAGE_WORKER_VERSION);
    expect(await twice()).toEqual(['failed', 'failed']);
    await version(IMAGE_WORKER_VERSION - 1);
    expect(await twice()).toEqual(['made', 'made']);
    // The two unprocessed ones, and these two.
    expect(orders).toHaveLength(4);
  });

  it.each<readonly [string, Answer]>([
    ['with a picture', MADE],
    ['without a picture', { width: 30, height: 20 }],
    ['that broke the process', 'broken'],
  ])('reads a film %s again, once, when there is ffmpeg', async (_, answer) => {
    await database.query(`DELETE FROM uploads WHERE id <> 'photo-0001'`);
    const film = { bytes: Buffer.from('....moov'), answer: () => Promise.resolve(answer) };
    const before = making({ ...film, drawsFilms: false });
    const after = making({
      ...film,
      answer: () =>
        Promise.resolve({ ...MADE, pictures: { ...MADE.pictures, frames: Buffer.from('frames') } }),
    });
    const reads = async ({ one, orders }: ReturnType<typeof making>): Promise<number> => {
      for (let times = 0; times < 4; times += 1) {
        await one.catchUp();
        await one.settled();
      }
      return orders.length;
    };
    const once = await reads(before);
    expect(await reads(before)).toBe(once);
    expect([await reads(after), await reads(after)]).toEqual([1, 1]);
    expect(await stateOf('photo-0001')).toBe('made');
    expect(previews.get('photo-0001.frames')).toEqual(Buffer.from('frames'));
  });

  it('shows the picture that a film had until it is read again', async () => {
    const { one } = making({ bytes: Buffer.from('....moov'), drawsFilms: false });
    one.enqueue(of('photo-0001'));
    await one.settled();
    await table.retryOlder(true);
    expect(await new PhotoThumbnails(database).find('photo-0001', now)).toMatchObject({
      photo: { preview: { width: 20 } },
      thumbnail: { state: 'pending', picture: SIZE },
    });
  });

  it('reads films again that an earlier version left without frames', async () => {
    const film = making({ bytes: Buffer.from('....moov') });
    for (const id of ['photo-0001', 'photo-0002']) film.one.enqueue(of(id));
    const photos = making();
    photos.one.enqueue(of('photo-0004'));
    await Promise.all([film.one.settled(), photos.one.settled()]);
    await database.query(`UPDATE uploads SET frames_bytes = 6 WHERE id = 'photo-0002'`);
    const [statement = ''] = (await readFile(MIGRATION, 'utf8')).split(';');
    await database.query(statement);
    await table.retryOlder(true);
    const states = ['photo-0001', 'photo-0002', 'photo-0004'].map(stateOf);
    expect(await Promise.all(states)).toEqual(['pending', 'made', 'made']);
  });

  it('reads a photo once, with ffmpeg or without', async () => {
    const before = making({ drawsFilms: false });
    before.one.enqueue(of('photo-0001'));
    await before.one.settled();
    await table.retryOlder(true);
    expect(await stateOf('photo-0001')).toBe('made');
  });

  it('has a version that matches the image library', () => {
    expect([IMAGE_WORKER_VERSION, packageJson.optionalDependencies.sharp]).toEqual([4, '0.35.5']);
  });

  it('processes a photo from its upload on, for any writer of its row', async () => {
    expect(await idsOfUnseen()).not.toContain('photo-0003');
    await database.query(
      `UPDATE uploads SET finished_at = now(), sha256 = repeat('a', 64) WHERE id = 'photo-0003'`,
    );
    expect(await idsOfUnseen()).toContain('photo-0003');
  });

  it('stops during a photo, and processes it after the next start', async () => {
    const { one, orders } = making({ answer: () => new Promise(() => undefined) });
    one.enqueue(of('photo-0001'));
    one.enqueue(of('photo-0002'));
    while (orders.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await one.close();
    one.enqueue(of('photo-0005'));
    now = new Date(now.getTime() + 100_000);
    const next = making();
    await next.one.catchUp();
    await next.one.settled();
    expect([orders.length, next.orders.length, reported]).toEqual([1, 4, []]);
  });

  it('works on a temporary copy of a remote file, or on the beginning of a large one', async () => {
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
    for (const id of ['photo-0001', 'photo-0002']) one.enqueue(of(id));
    await one.settled();
    expect(reported).toEqual([]);
    expect(orders.map(({ isWhole }) => isWhole)).toEqual([true, false]);
    expect(seen.map(({ length }) => length)).toEqual([PNG.length, 256 * 1024]);
    for (const { file } of orders) {
      expect(path.dirname(path.dirname(file))).toBe(tmpdir());
      await expect(access(file)).rejects.toThrow('ENOENT');
    }
  });

  it('makes a lost preview again, and shows the thumbnail until then', async () => {
    const { one, orders } = making();
    one.enqueue(of('photo-0001'));
    await one.settled();
    const stuck = making({ answer: () => new Promise(() => undefined) });
    await stuck.one.remake(of('photo-0001'));
    const found = await new PhotoThumbnails(database).find('photo-0001', now);
    expect([found?.photo.preview, found?.thumbnail]).toEqual([
      undefined,
      { state: 'pending', picture: SIZE },
    ]);
    await stuck.one.close();
    previews.clear();
    now = new Date(now.getTime() + 400_000);
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect([orders.length, previews.size]).toEqual([2, 2]);
    const again = await new PhotoThumbnails(database).find('photo-0001', now);
    expect([again?.thumbnail.state, again?.photo.preview?.size]).toEqual(['made', 24]);
  });

  it('names a thumbnail in its row after it is stored', async () => {
    const named: unknown[] = [];
    const { one } = making({
      onWrite: async () => {
        const sql = `SELECT picture_bytes FROM thumbnails WHERE upload_id = 'photo-0001'`;
        named.push(...(await database.query(sql)));
      },
    });
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect(named).toEqual([{ picture_bytes: null }, { picture_bytes: null }]);
    expect(await stateOf('photo-0001')).toBe('made');
  });

  it('does not lose a thumbnail whose preview cannot be made again', async () => {
    const { one } = making();
    one.enqueue(of('photo-0001'));
    await one.settled();
    const away = making({ onWrite: () => Promise.reject(new Error('the storage is away')) });
    await away.one.remake(of('photo-0001'));
    await away.one.settled();
    expect((await new PhotoThumbnails(database).find('photo-0001', now))?.thumbnail).toEqual({
      state: 'pending',
      picture: SIZE,
    });
  });

  it('keeps the thumbnail of a photo whose preview can no longer be made', async () => {
    const { one } = making();
    one.enqueue(of('photo-0001'));
    await one.settled();
    const broken = making({ answer: () => Promise.resolve('broken') });
    await broken.one.remake(of('photo-0001'));
    await broken.one.settled();
    const found = await new PhotoThumbnails(database).find('photo-0001', now);
    expect([found?.photo.preview, found?.thumbnail]).toEqual([
      undefined,
      { state: 'failed', picture: SIZE },
    ]);
  });

  it('counts a preview in the used bytes of its workspace, as long as it is there', async () => {
    const used = async (): Promise<number> => {
      const [row] = await database.query<{ bytes: number }>(
        `SELECT bytes FROM workspace_usage WHERE workspace_id = (SELECT workspace_id FROM uploads LIMIT 1)`,
      );
      return row?.bytes ?? 0;
    };
    const before = await used();
    const { one } = making();
    for (const id of ['photo-0001', 'photo-0002']) one.enqueue(of(id));
    await one.settled();
    const counted = [await used()];
    await table.forgetPreview('photo-0001');
    counted.push(await used());
    await database.query(`DELETE FROM uploads WHERE id = 'photo-0002'`);
    counted.push(await used());
    const change = counted.map((bytes) => bytes - before);
    expect(change).toEqual([48, 24, -(PNG.length + 16_384)]);
  });

  it('leaves a preview to be removed if its photo was removed while it was made', async () => {
    const { one } = making({
      onWrite: async () => {
        await database.query(`DELETE FROM uploads WHERE id = 'photo-0001'`);
        // The files of the photo have been removed before the preview is written.
        await database.query('DELETE FROM discarded_uploads');
      },
    });
    const noted = () => database.query(`SELECT id FROM discarded_uploads`);
    one.enqueue(of('photo-0001'));
    await one.settled();
    expect([previews.size, await noted()]).toEqual([2, [{ id: 'photo-0001' }]]);
    expect(reported).toEqual([]);
  });

  it('leaves nothing of a photo that is removed', async () => {
    const { one } = making();
    one.enqueue(of('photo-0001'));
    await one.settled();
    await database.query(`DELETE FROM uploads WHERE id = 'photo-0001'`);
    const left = `SELECT 1 FROM thumbnails WHERE upload_id = 'photo-0001'`;
    expect(await database.query(left)).toEqual([]);
  });
});
