import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { runCommand, type AdminContext } from '../../../service/app/admin-commands.js';
import type { Database } from '../../../service/kernel/database/database.js';
import {
  openFilesToCopy,
  openStorage,
} from '../../../service/library/uploads/storage/open-storage.js';
import { UploadRepository } from '../../../service/library/uploads/repository/upload-repository.js';
import type { UploadStorage } from '../../../service/library/uploads/storage/upload-storage.js';
import { IS_LONG } from '../../support/long-runs.js';
import { openReadyDatabase } from '../support/database-templates.js';
import { startMemoryStorage, type MemoryStorage } from '../support/memory-storage.js';
import { sha256 } from '../support/tus-client.js';

const MIB = 1024 * 1024;

describe('the command copy-to-s3', () => {
  let database: Database;
  let storage: MemoryStorage;
  let dataDir: string;
  let folder: string;
  let lines: string[];
  let waits: number[];

  beforeAll(async () => {
    database = await openReadyDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    storage = await startMemoryStorage();
    dataDir = await mkdtemp(path.join(tmpdir(), 'creative-workspace-copy-'));
    folder = path.join(dataDir, 'uploads');
    lines = [];
    waits = [];
    await database.query('DELETE FROM uploads');
    await openStorage({ dataDir }, new UploadRepository(database));
  });
  afterEach(async () => {
    await storage.close();
    await rm(dataDir, { recursive: true });
  });

  /** A finished upload in the folder, with its row. */
  async function addUpload(bytes: Buffer, name = 'harbour.jpg'): Promise<string> {
    const id = randomUUID();
    await database.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at, finished_at, sha256)
       SELECT $1, account_id, workspace_id, $2, $3, '', '{}', now(), now(), $4 FROM workspace_members LIMIT 1`,
      [id, bytes.length, name, sha256(bytes)],
    );
    await writeFile(path.join(folder, id), bytes);
    return id;
  }
  const addPictures = async (id: string): Promise<void> => {
    const store = await openStorage({ dataDir }, new UploadRepository(database));
    await store.writePreview(id, Buffer.from('the preview'));
    await store.writePreview(id, Buffer.from('thumbnail'), 'thumbnail');
    await store.writePreview(id, Buffer.from('page two'), { page: 2, as: 'watermarked' });
    await store.writePreview(id, Buffer.from('small two'), {
      page: 2,
      as: 'watermarked-thumbnail',
    });
    await database.query('UPDATE uploads SET preview_bytes = 11 WHERE id = $1', [id]);
    await database.query(
      `UPDATE thumbnails SET state = 'made', picture_bytes = 9 WHERE upload_id = $1`,
      [id],
    );
    await database.query(
      `INSERT INTO page_pictures (upload_id, page, is_marked, mark, thumbnail_bytes, preview_bytes)
       VALUES ($1, 2, true, 'x', 9, 8)`,
      [id],
    );
  };
  const copy = (): Promise<string> =>
    runCommand(
      {
        database,
        storage: () => Promise.reject(new Error('not used')),
        settle: () => Promise.resolve(),
        copying: {
          open: () =>
            openFilesToCopy({ s3: storage.options, dataDir }, new UploadRepository(database)),
          report: (line) => lines.push(line),
          wait: (ms) => Promise.resolve(waits.push(ms)),
        },
        baseUrl: 'http://localhost',
      },
      'copy-to-s3',
      [],
    );
  /** The storage as a service opens it. */
  const bucket = (): Promise<UploadStorage> =>
    openStorage({ s3: storage.options, dataDir }, new UploadRepository(database));
  const read = async (id: string, size: number): Promise<Buffer> =>
    buffer(await (await bucket()).readRange(id, { start: 0, end: size - 1 }));
  /** What the folder has, with times and digests. */
  const files = async (): Promise<unknown[]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return Promise.all(
      entries.map(async (entry) => {
        const file = path.join(entry.parentPath, entry.name);
        const { mtimeMs } = await stat(file);
        return [file, mtimeMs, entry.isFile() ? sha256(await readFile(file)) : ''];
      }),
    );
  };
  /** The digests of all files in the folder, by their names. */
  const contents = async (): Promise<[string, string][]> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const all = entries.filter((entry) => entry.isFile());
    return Promise.all(
      all.map(async ({ parentPath, name }) => {
        const file = path.join(parentPath, name);
        return [path.relative(folder, file), sha256(await readFile(file))] as [string, string];
      }),
    );
  };
  const writes = (): string[] =>
    storage.requests.filter((line) => /^(?:PUT|POST|DELETE)/.test(line));

  it('copies originals and pictures, and changes nothing in the folder', async () => {
    const small = randomBytes(1000);
    const large = randomBytes(20 * MIB);
    const ids = [await addUpload(small), await addUpload(large)];
    await addUpload(Buffer.alloc(0), 'empty.txt');
    await addPictures(ids[0] ?? '');
    const before = await files();

    expect(await copy()).toBe('Copied 6 files. All files are in the bucket.');

    expect(await files()).toEqual(before);
    const store = await bucket();
    expect((await read(ids[0] ?? '', 1000)).equals(small)).toBe(true);
    expect((await read(ids[1] ?? '', large.length)).equals(large)).toBe(true);
    expect(await store.received(ids[1] ?? '')).toBe(large.length);
    const preview = await store.readPreview(ids[0] ?? '', 11);
    expect(preview && String(await buffer(preview))).toBe('the preview');
    expect(String(await store.readThumbnail(ids[0] ?? '', 9))).toBe('thumbnail');
    const page = { page: 2, as: 'watermarked-thumbnail' } as const;
    expect(String(await store.readThumbnail(ids[0] ?? '', 9, page))).toBe('small two');
    expect(lines.at(-1)).toBe('3 of 3 uploads; 6 files copied');
  });

  it('sends and reads no file again that the bucket has', async () => {
    const id = await addUpload(randomBytes(1000));
    await addPictures(id);
    await copy();
    storage.requests.length = 0;

    expect(await copy()).toBe('Copied 0 files. All files are in the bucket.');

    expect(writes().filter((line) => !line.includes('start-check'))).toEqual([]);
    expect(storage.requests).not.toContain(`GET ${id}`);
  });

  it('goes on after it was killed between any two requests', async () => {
    const bytes = randomBytes(1000);
    const id = await addUpload(bytes);
    await addPictures(id);
    for (let kill = 1; ; kill += IS_LONG ? 1 : 3) {
      let left = kill;
      storage.objects.clear();
      storage.requests.length = 0;
      storage.before = (line) => {
        left -= line.includes('start-check') ? 0 : 1;
        return left >= 0 || 'killed';
      };
      const first = await copy().catch(() => 'killed');
      storage.before = () => true;

      await copy();

      expect((await read(id, bytes.length)).equals(bytes)).toBe(true);
      expect([...storage.objects.keys()].sort()).toEqual(
        [
          ...['', '.info', '.pages/2.watermarked', '.pages/2.watermarked-thumbnail'],
          ...['.preview', '.thumbnail'],
        ].map((end) => `${id}${end}`),
      );
      if (first !== 'killed') break;
    }
  });

  it('goes on at the first part that is missing', async () => {
    const bytes = randomBytes(30 * MIB);
    const id = await addUpload(bytes);
    storage.before = (line) => !line.includes('partNumber=2') || 'killed';
    await copy().catch(() => 'killed');
    storage.before = () => true;
    storage.requests.length = 0;

    expect(await copy()).toContain('Copied 1 files.');

    expect((await read(id, bytes.length)).equals(bytes)).toBe(true);
    expect(writes().some((line) => line.includes('partNumber=1&'))).toBe(false);
  });

  it('names missing and damaged files, copies all others, and succeeds once they are back', async () => {
    const good = await addUpload(randomBytes(1000), 'good.jpg');
    const bytes = randomBytes(1000);
    const changed = await addUpload(bytes, 'changed\u001b[2J.jpg');
    const short = await addUpload(bytes, 'short.jpg');
    const missing = await addUpload(bytes, 'missing.jpg');
    const pictured = await addUpload(bytes, 'pictured.jpg');
    await addPictures(pictured);
    await writeFile(
      path.join(folder, changed),
      Buffer.from(bytes).fill(bytes[500] === 1 ? 2 : 1, 500, 501),
    );
    await writeFile(path.join(folder, short), bytes.subarray(1));
    await rm(path.join(folder, missing));
    await writeFile(path.join(folder, `${pictured}.preview`), 'short');

    await expect(copy()).rejects.toThrow(
      'Copied 5 files. 4 files are missing or damaged, see above; all others are in the bucket.',
    );

    expect(lines.filter((line) => line.startsWith('Not copied')).sort()).toEqual(
      [
        `Not copied: changed\\u{1b}[2J.jpg (${changed}), damaged: it has another SHA-256`,
        `Not copied: missing.jpg (${missing}), missing`,
        `Not copied: preview of pictured.jpg (${pictured}), missing or of another size`,
        `Not copied: short.jpg (${short}), damaged: it is too short`,
      ].sort(),
    );
    expect(storage.objects.has(good)).toBe(true);
    expect([changed, short, missing].filter((id) => storage.objects.has(id))).toEqual([]);
    for (const id of [changed, short, missing]) await writeFile(path.join(folder, id), bytes);
    await writeFile(path.join(folder, `${pictured}.preview`), 'the preview');
    expect(await copy()).toBe('Copied 4 files. All files are in the bucket.');
  });

  it('replaces a copy whose bytes changed in the bucket on their way', async () => {
    const bytes = randomBytes(1000);
    const id = await addUpload(bytes);
    storage.before = (line) => {
      const stored = storage.objects.get(id);
      if (line === `GET ${id}` && stored !== undefined) {
        stored.bytes.fill(0);
        storage.before = () => true;
      }
      return true;
    };

    expect(await copy()).toContain('Copied 1 files.');

    expect((await read(id, 1000)).equals(bytes)).toBe(true);
  });

  it('copies a picture again that was made again with the same size', async () => {
    const id = await addUpload(randomBytes(1000));
    await addPictures(id);
    await copy();
    await writeFile(path.join(folder, `${id}.preview`), 'another one');

    expect(await copy()).toContain('Copied 1 files.');

    expect(String(storage.objects.get(`${id}.preview`)?.bytes)).toBe('another one');
  });

  it('leaves pictures and uploads alone that the service has made in the bucket', async () => {
    const bytes = randomBytes(1000);
    const id = await addUpload(bytes);
    await addPictures(id);
    const store = await bucket();
    await store.writePreview(id, Buffer.from('of service '));
    const own = await addUpload(bytes);
    await store.write(Readable.from([bytes]), own, 0);
    await rm(path.join(folder, own));

    expect(await copy()).toContain('All files are in the bucket.');

    expect(String(storage.objects.get(`${id}.preview`)?.bytes)).toBe('of service ');
    expect(storage.objects.get(own)?.bytes.equals(bytes)).toBe(true);
  });

  it('removes copies of uploads that were deleted since, and nothing else', async () => {
    const bytes = randomBytes(1000);
    const deleted = await addUpload(bytes);
    const pending = await addUpload(bytes);
    await copy();
    const foreign = await addUpload(bytes);
    await (await bucket()).write(Readable.from([bytes]), foreign, 0);
    await database.query('DELETE FROM uploads');
    await rm(path.join(folder, deleted));
    await rm(path.join(folder, foreign));

    expect(await copy()).toContain('Removed the copies of 1 uploads');

    const left = [deleted, pending, foreign].filter((id) => storage.objects.has(id));
    expect(left).toEqual([pending, foreign]);
  });

  it('leaves no copy of an upload that is deleted while it is copied', async () => {
    const id = await addUpload(randomBytes(1000));
    storage.before = async (line): Promise<true> => {
      if (line.startsWith(`PUT ${id}?`)) {
        await database.query('DELETE FROM uploads');
        await rm(path.join(folder, id));
      }
      return true;
    };

    expect(await copy()).toContain('All files are in the bucket.');

    expect([...storage.objects.keys()]).toEqual([]);
  });

  it('leaves nothing of an upload that is deleted at any request', async () => {
    for (let at = 1, isDone = false; !isDone; at += IS_LONG ? 1 : 3) {
      const id = await addUpload(randomBytes(1000));
      await addPictures(id);
      const local = await openStorage({ dataDir }, new UploadRepository(database));
      const remove = async (): Promise<void> => {
        await database.query('DELETE FROM uploads');
        await local.discard(id);
      };
      let left = at;
      storage.before = async (line): Promise<true> => {
        left -= line.includes('start-check') ? 0 : 1;
        if (left === 0) await remove();
        return true;
      };
      await copy();
      storage.before = () => true;

      isDone = left > 0;
      if (isDone) {
        await remove();
        await copy();
      }
      expect([at, [...storage.objects.keys()], storage.parts.size]).toEqual([at, [], 0]);
    }
  });

  it('has each file in the bucket under its name in the folder', async () => {
    const bytes = randomBytes(9 * MIB);
    const id = await addUpload(bytes);
    await addPictures(id);
    await addUpload(Buffer.alloc(0), 'empty.txt');
    const before = new Map(await contents());
    await copy();

    await rm(folder, { recursive: true });
    for (const [key, object] of storage.objects) {
      await mkdir(path.dirname(path.join(folder, key)), { recursive: true });
      if (!key.endsWith('.info')) await writeFile(path.join(folder, key), object.bytes);
    }

    // An empty upload has no object.
    const empty = [...before].filter(([, content]) => content === sha256(Buffer.alloc(0)));
    expect(empty).toHaveLength(1);
    expect(new Map([...(await contents()), ...empty])).toEqual(before);
  });

  it('mentions unfinished uploads and copies none of them', async () => {
    const id = await addUpload(randomBytes(1000));
    await database.query('UPDATE uploads SET finished_at = NULL, sha256 = NULL, taken_at = NULL');

    expect(await copy()).toContain('1 uploads are not finished.');

    expect(storage.objects.has(id)).toBe(false);
  });

  it('waits while the storage is away, and stops when it stays away or refuses', async () => {
    const id = await addUpload(randomBytes(1000));
    const answers: ('away' | true)[] = ['away', 'away', 'away', 'away'];
    storage.before = (line) => (line.includes(id) ? (answers.shift() ?? true) : true);

    expect(await copy()).toContain('Copied 1 files.');
    expect(waits).toEqual([1000, 5000]);
    expect(lines).toContain('Waiting, because the storage is unavailable (SlowDown)');

    storage.objects.clear();
    storage.before = (line) => (line.includes(id) ? 'away' : true);
    await expect(copy()).rejects.toThrow('Stopped, because the storage is unavailable (SlowDown).');
    waits = [];
    storage.before = (line) => (line.includes(id) ? 'killed' : true);
    await expect(copy()).rejects.toThrow('Stopped, because the storage refused (AccessDenied).');
    expect(waits).toEqual([]);
  });

  it('needs a bucket and a folder', async () => {
    const run = (copying?: AdminContext['copying']): Promise<string> =>
      runCommand({ database, copying } as AdminContext, 'copy-to-s3', []);

    await expect(run()).rejects.toThrow('Set S3_BUCKET');
    await rm(folder, { recursive: true });
    await expect(copy()).rejects.toThrow('There is no folder uploads');
    await mkdir(folder);
  });
});
