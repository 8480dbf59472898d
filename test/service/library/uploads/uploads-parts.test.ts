import { describe, expect, it } from '@jest/globals';
import { DataStore, Upload } from '@tus/server';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { CheckedStore } from '../../../../service/library/uploads/tus/checked-store.js';
import { DiskSpace, isDiskFull } from '../../../../service/library/uploads/storage/disk-space.js';
import { FileStorage } from '../../../../service/library/uploads/storage/file-storage.js';
import { SingleFlight } from '../../../../service/kernel/single-flight.js';
import type { StoredUpload } from '../../../../service/library/uploads/upload.js';
import { sendTusAnswer } from '../../../../service/library/uploads/tus/tus-bridge.js';
import { UploadRepository } from '../../../../service/library/uploads/repository/upload-repository.js';

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
    const checked = new CheckedStore(store, 'own', (offset) => {
      store.calls.push(`before ${String(offset)}`);
      return Promise.resolve();
    });
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
    expect(store.calls.toSorted()).toEqual(['before 0', 'own', 'own', 'own', 'own']);
    await expect(checked.declareUploadLength()).rejects.toThrow('cannot change');
  });
});

describe('the step before bytes are written', () => {
  /** A store that notes when it is written to. */
  class Written extends DataStore {
    count = 0;
    override write(): Promise<number> {
      this.count += 1;
      return Promise.resolve(0);
    }
  }
  const write = (store: DataStore, before: () => Promise<void>): Promise<number> =>
    new CheckedStore(store, 'own', before).write(Readable.from([]), 'own', 0);

  it('ends before they are written, and ends the request if it fails', async () => {
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

describe('work that runs once at a time', () => {
  it('shares its result or failure with concurrent callers, and runs again later', async () => {
    const once = new SingleFlight();
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

describe('the folder of the bytes', () => {
  it('fails when it is unreadable, and does not report an offset of 0', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'uploads-'));
    const rows = Object.create(UploadRepository.prototype) as UploadRepository;
    const storage = new FileStorage(folder, rows);
    const record = { id: 'missing', size: 4 } as StoredUpload;
    expect(await storage.contentIfComplete(record)).toBeUndefined();
    const unreadable = storage.contentIfComplete({ ...record, id: 'x'.repeat(300) });
    await expect(unreadable).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
    await rm(folder, { recursive: true });
  });

  it('creates no file whose beginning is missing', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'uploads-'));
    const storage = new FileStorage(
      folder,
      Object.create(UploadRepository.prototype) as UploadRepository,
    );
    const later = storage.write(Readable.from([Buffer.from('end')]), 'photo', 3);
    await expect(later).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await storage.write(Readable.from([Buffer.from('abc')]), 'photo', 0)).toBe(3);
    expect(await storage.write(Readable.from([Buffer.from('def')]), 'photo', 3)).toBe(6);
    expect(await readFile(path.join(folder, 'photo'), 'utf8')).toBe('abcdef');
    await rm(folder, { recursive: true });
  });
});

describe('an answer of the tus server', () => {
  it.each([
    [400, null],
    [404, null],
    [429, '1'],
    [500, null],
    [503, '1'],
  ])('with the status %d has Retry-After: %s', async (status, seconds) => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    await sendTusAnswer(response, new Response('why', { status }));
    expect(response.statusCode).toBe(status);
    expect(response.getHeader('Retry-After') ?? null).toBe(seconds);
    expect(response.getHeader('Content-Type')).toMatch(/^application\/json/);
  });
});

describe('the free disk', () => {
  it('may be used up to its reserve', async () => {
    const space = new DiskSpace(() => Promise.resolve(30), 10);
    expect([await space.hasRoomFor(20), await space.hasRoomFor(21)]).toEqual([true, false]);
  });

  it('sets no limit when uploads are not on a disk', async () => {
    expect(await new DiskSpace(undefined, 10).hasRoomFor(Number.MAX_SAFE_INTEGER)).toBe(true);
  });

  it('sets no limit when it cannot be measured', async () => {
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
