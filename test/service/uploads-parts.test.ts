import { describe, expect, it } from '@jest/globals';
import { DataStore, Upload } from '@tus/server';
import { Readable } from 'node:stream';
import { CheckedStore } from '../../service/uploads/checked-store.js';
import { DiskSpace, isDiskFull } from '../../service/uploads/disk-space.js';
import { readMetadata } from '../../service/uploads/metadata.js';
import { OnceAtATime } from '../../service/uploads/once-at-a-time.js';

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
    const checked = new CheckedStore(store, () => 'own');
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
    expect(store.calls).toEqual(Array(4).fill('own'));
    await expect(checked.declareUploadLength()).rejects.toThrow('does not change');
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

describe('the free disk', () => {
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
