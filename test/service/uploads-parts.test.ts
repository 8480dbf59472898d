import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DataStore, Upload } from '@tus/server';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { BearerCheck, type Caller } from '../../service/oauth/bearer.js';
import { CheckedStore } from '../../service/uploads/checked-store.js';
import { DiskSpace, isDiskFull } from '../../service/uploads/disk-space.js';
import { FileStorage } from '../../service/uploads/file-storage.js';
import { metadataProblem, readMetadata } from '../../service/uploads/metadata.js';
import { OnceAtATime } from '../../service/uploads/once-at-a-time.js';
import type { StoredUpload } from '../../service/uploads/stored-upload.js';
import { sendTusAnswer } from '../../service/uploads/tus-exchange.js';
import { UploadBody } from '../../service/uploads/upload-body.js';
import { nextPage, readPageRequest, toListed } from '../../service/uploads/upload-list.js';
import { UploadTable } from '../../service/uploads/upload-table.js';
import { watch } from '../../service/uploads/watched-body.js';

describe('the store as the tus server gets it', () => {
  class Recording extends DataStore {
    readonly calls: string[] = [];
    override create(upload: Upload): Promise<Upload> {
      this.calls.push(upload.id);
      return Promise.resolve(upload);
    }
    override remove(id: string): Promise<void> {
      this.calls.push(id);
      return Promise.resolve();
    }
    override write(_stream: Readable, id: string): Promise<number> {
      this.calls.push(id);
      return Promise.resolve(0);
    }
    override getUpload(id: string): Promise<Upload> {
      this.calls.push(id);
      return Promise.resolve(new Upload({ id, offset: 0, size: 1 }));
    }
  }

  it('works on the upload that was checked and on no other', async () => {
    const store = new Recording();
    const checked = new CheckedStore(
      store,
      () => 'own',
      (id) => {
        store.calls.push(`before ${id}`);
        return Promise.resolve();
      },
    );
    const all = (id: string): Promise<unknown>[] => [
      checked.create(new Upload({ id, offset: 0, size: 1 })),
      checked.getUpload(id),
      checked.write(Readable.from([]), id, 0),
      checked.remove(id),
    ];

    const refused = await Promise.allSettled(all('victim'));
    expect(refused.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    expect(store.calls).toEqual([]);
    await Promise.all(all('own'));
    expect(store.calls.toSorted()).toEqual(['before own', 'own', 'own', 'own', 'own']);
    await expect(checked.declareUploadLength()).rejects.toThrow('does not change');
  });
});

describe('what comes before bytes are written', () => {
  /** A store that notes when it is written to. */
  class Written extends DataStore {
    count = 0;
    override write(): Promise<number> {
      this.count += 1;
      return Promise.resolve(0);
    }
  }
  const write = (store: DataStore, before: () => Promise<void>): Promise<number> =>
    new CheckedStore(store, () => 'own', before).write(Readable.from([]), 'own', 0);

  it('has ended when they are, and ends the request where it cannot be done', async () => {
    const store = new Written();
    let end: () => void = () => undefined;
    const writing = write(store, () => new Promise((resolve) => (end = resolve)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.count).toBe(0);
    end();
    await writing;
    expect(store.count).toBe(1);
    await expect(write(store, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(store.count).toBe(1);
  });
});

describe('a request that takes bytes', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const CALLER: Caller = {
    accountId: 'one',
    workspaceId: 'studio',
    clientId: 'app',
    scopes: new Set(),
    permission: { kind: 'grant', id: 'grant' },
  };

  /** Watches one while its sender may do what `stillMay` says, and the disk has so much free above its floor. */
  function watched(
    stillMay: () => Promise<boolean>,
    free = 1,
  ): { body: UploadBody; end: () => void; asked: () => number } {
    let asked = 0;
    const bearer = Object.create(BearerCheck.prototype, {
      stillMay: {
        value: () => {
          asked += 1;
          return stillMay();
        },
      },
    }) as BearerCheck;
    const body = new UploadBody(new IncomingMessage(new Socket()), 1e9);
    const space = new DiskSpace(() => Promise.resolve(free), 1);
    const endWatch = watch(body, CALLER, { bearer, space, recheckSeconds: 10 });
    const end = (): void => {
      endWatch();
      body.end();
    };
    return { body, end, asked: () => asked };
  }

  it.each([
    ['as long as its sender may', () => Promise.resolve(true), 1, undefined],
    ['where nobody can say whether', () => Promise.reject(new Error('away')), 1, undefined],
    ['until its sender may not', () => Promise.resolve(false), 1, 401],
    ['until the disk is full', () => Promise.resolve(true), 0, 507],
  ])('goes on %s', async (_case, stillMay, free, status) => {
    const { body, end } = watched(stillMay, free);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(body.stoppedFor?.status).toBe(status);
    end();
  });

  it('is asked about every ten seconds, and no more when it is over', async () => {
    const { end, asked } = watched(() => Promise.resolve(true));
    await jest.advanceTimersByTimeAsync(30_000);
    expect(asked()).toBe(3);
    end();
    await jest.advanceTimersByTimeAsync(60_000);
    expect([asked(), jest.getTimerCount()]).toEqual([3, 0]);
  });

  it('stays over when it ends while it is being asked about', async () => {
    let answer: (may: boolean) => void = () => undefined;
    const { end } = watched(() => new Promise((resolve) => (answer = resolve)));
    await jest.advanceTimersByTimeAsync(10_000);
    end();
    answer(true);
    await jest.advanceTimersByTimeAsync(0);
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('a body whose sender is faster than the disk', () => {
  it('waits: little of it is in memory, and all of it comes', async () => {
    const request = new IncomingMessage(new Socket());
    const body = new UploadBody(request, 60_000);
    let given = 0;
    const piece = Buffer.alloc(64 * 1024, 7);
    const reader = body.stream.getReader();
    // More than Node itself keeps of a request is given only while it is wanted.
    while (!request.isPaused() && given < 100) {
      request.push(piece);
      given += 1;
      await turn();
    }
    expect(given).toBeLessThan(20);
    request.push(null);
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
    }
    expect(bytes).toBe(given * piece.length);
  });
});

describe('work that is done once at a time', () => {
  it('is shared by all who ask while it runs, its failure too, and done anew afterwards', async () => {
    const once = new OnceAtATime();
    let runs = 0;
    let end: () => void = () => undefined;
    const work = (): Promise<void> => {
      runs += 1;
      return new Promise((resolve) => (end = resolve));
    };

    const asked = Array.from({ length: 20 }, () => once.run('upload', work));
    end();
    await Promise.all(asked);
    expect(runs).toBe(1);
    const failing = (): Promise<void> => Promise.reject(new Error('unreadable'));
    await expect(once.run('upload', failing)).rejects.toThrow('unreadable');
    const again = once.run('upload', work);
    end();
    await again;
    expect(runs).toBe(2);
  });
});

describe('the name of a photo', () => {
  it.each([
    ['a\nb.jpg', 'a\ufffdb.jpg'],
    ['a\u001b[2Jb.jpg', 'a\ufffd[2Jb.jpg'],
    ['a\u0085b', 'a\ufffdb'],
    ['photo\u202egpj.exe', 'photo\ufffdgpj.exe'],
    ['a\u2028b', 'a\ufffdb'],
    ['Küste – Nacht 🌊.jpg', 'Küste – Nacht 🌊.jpg'],
    ['صورة\u200f.jpg', 'صورة\u200f.jpg'],
  ])('%j is listed as %j; the photo is not refused', (filename, name) => {
    expect(readMetadata({ filename })).toMatchObject({ name });
  });
});

describe('what is told of a photo', () => {
  const ID = 'A-Za-z0-9_-16len';

  it('may be nothing', () => {
    expect(readMetadata({})).toEqual({
      name: 'untitled',
      type: 'application/octet-stream',
      clientUploadId: undefined,
    });
    expect(readMetadata({ filename: '', filetype: null, client_upload_id: null })).toEqual(
      readMetadata({}),
    );
  });

  it('is kept as it is told, cleaned', () => {
    expect(
      readMetadata({ filename: 'one.jpg', filetype: 'image/\u001bjpeg', client_upload_id: ID }),
    ).toEqual({ name: 'one.jpg', type: 'image/\ufffdjpeg', clientUploadId: ID });
  });

  it.each([
    ['a name that is as long as one may be', { filename: 'x'.repeat(255) }],
    ['a type that is', { filetype: 'x'.repeat(255) }],
    ['the longest id', { client_upload_id: 'x'.repeat(64) }],
    ['anything else', { more: 'y'.repeat(1000) }],
  ])('may be %s', (_name, pairs) => {
    expect(readMetadata(pairs)).not.toHaveProperty('problem');
  });

  it.each([
    ['a longer name', { filename: 'x'.repeat(256) }, 'filename and filetype'],
    ['a longer type', { filetype: 'x'.repeat(256) }, 'filename and filetype'],
    ['NUL in any of it', { filename: 'one.jpg', more: 'a\0b' }, 'NUL'],
    ['a shorter id', { client_upload_id: 'x'.repeat(15) }, 'client_upload_id'],
    ['a longer id', { client_upload_id: 'x'.repeat(65) }, 'client_upload_id'],
    ['an empty id', { client_upload_id: '' }, 'client_upload_id'],
    ['an id with more before it', { client_upload_id: ` ${ID}` }, 'client_upload_id'],
    ['an id with more after it', { client_upload_id: `${ID}.` }, 'client_upload_id'],
  ])('must not be %s', (_name, pairs, problem) => {
    expect(readMetadata(pairs)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('takes at most four kilobytes', () => {
    expect(metadataProblem(undefined)).toBeUndefined();
    expect(metadataProblem('x'.repeat(4096))).toBeUndefined();
    expect(metadataProblem('x'.repeat(4097))).toContain('4096');
  });
});

describe('the folder of the bytes', () => {
  it('fails where it cannot look, and does not say that nothing has arrived', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'uploads-'));
    const rows = Object.create(UploadTable.prototype) as UploadTable;
    const storage = new FileStorage(folder, rows);
    const record = { id: 'missing', size: 4 } as StoredUpload;
    expect(await storage.contentIfComplete(record)).toBeUndefined();
    const unreadable = storage.contentIfComplete({ ...record, id: 'x'.repeat(300) });
    await expect(unreadable).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    await rm(folder, { recursive: true });
  });

  it('makes no file whose beginning is missing', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'uploads-'));
    const storage = new FileStorage(folder, Object.create(UploadTable.prototype) as UploadTable);
    const later = storage.write(Readable.from([Buffer.from('end')]), 'photo', 3);
    await expect(later).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await storage.write(Readable.from([Buffer.from('abc')]), 'photo', 0)).toBe(3);
    expect(await storage.write(Readable.from([Buffer.from('def')]), 'photo', 3)).toBe(6);
    expect(await readFile(path.join(folder, 'photo'), 'utf8')).toBe('abcdef');
    await rm(folder, { recursive: true });
  });
});

describe('a page of the list', () => {
  const place = { createdAt: new Date('2026-01-15T12:00:00.123Z'), id: 'Az09_-' };

  it.each([
    [undefined, 1000],
    ['', 1000],
    ['limit=1', 1],
    ['limit=1000', 1000],
    ['limit=999', 999],
  ])('asked for with %j has up to %d', (query, limit) => {
    expect(readPageRequest(query)).toMatchObject({ limit, after: undefined });
  });

  it('goes on where the one before ended', () => {
    const address = nextPage({ limit: 7, kept: new URLSearchParams({ name: 'a b' }) }, place);
    expect(address).toBe('/api/v1/uploads?limit=7&after=1768478400123.Az09_-&name=a+b');
    expect(readPageRequest(address.split('?')[1])).toMatchObject({
      limit: 7,
      after: place,
      filter: { name: 'a b' },
    });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=10000', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=x1', 'limit'],
    ['limit=1x', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=1', 'each once'],
    ['limit=1&offset=2', 'each once'],
    ['after=', 'after'],
    ['after=x1.a', 'after'],
    ['after=1.a.', 'after'],
    ['after=1', 'after'],
    ['after=1.', 'after'],
    ['after=.a', 'after'],
    ['after=1xa', 'after'],
    [`after=${'1'.repeat(15)}.a`, 'after'],
    [`after=1.${'a'.repeat(65)}`, 'after'],
  ])('cannot be asked for with %s', (query, problem) => {
    expect(readPageRequest(query)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('shows an upload without an id of the client’s as one', () => {
    const listed = {
      id: 'one',
      name: 'one.jpg',
      size: 10,
      type: 'image/jpeg',
      sha256: 'a'.repeat(64),
      createdAt: place.createdAt,
      clientUploadId: undefined,
      width: undefined,
      height: undefined,
      capturedAt: undefined,
    };
    expect(toListed(listed)).toEqual({
      id: 'one',
      name: 'one.jpg',
      size: 10,
      type: 'image/jpeg',
      sha256: 'a'.repeat(64),
      created: '2026-01-15T12:00:00.123Z',
      client_upload_id: null,
      width: null,
      height: null,
      captured_at: null,
    });
    expect(toListed({ ...listed, clientUploadId: 'mine' })).toMatchObject({
      client_upload_id: 'mine',
    });
  });
});

describe('an answer of the tus server', () => {
  it.each([
    [400, null],
    [404, null],
    [429, '1'],
    [500, null],
    [503, '1'],
  ])('with the status %d tells when to try again: %s', async (status, seconds) => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    await sendTusAnswer(response, new Response('why', { status }));
    expect(response.statusCode).toBe(status);
    expect(response.getHeader('Retry-After') ?? null).toBe(seconds);
    expect(response.getHeader('Content-Type')).toMatch(/^application\/json/);
  });
});

describe('the free disk', () => {
  it('may be used up to its floor, and not one byte further', async () => {
    const space = new DiskSpace(() => Promise.resolve(30), 10);
    expect([await space.hasRoomFor(20), await space.hasRoomFor(21)]).toEqual([true, false]);
  });

  it('is no bound where uploads lie on no disk', async () => {
    expect(await new DiskSpace(undefined, 10).hasRoomFor(Number.MAX_SAFE_INTEGER)).toBe(true);
  });

  it('that cannot be measured refuses nothing', async () => {
    const space = new DiskSpace(() => Promise.reject(new Error('no such call')), 10);
    expect(await space.hasRoomFor(10)).toBe(true);
  });

  it('counts as used up by errors of the disk, of quotas and of PostgreSQL', () => {
    for (const code of ['ENOSPC', 'EDQUOT', '53100']) {
      expect(isDiskFull(Object.assign(new Error('x'), { code }))).toBe(true);
    }
    expect(isDiskFull(Object.assign(new Error('x'), { code: 'EIO' }))).toBe(false);
  });
});
