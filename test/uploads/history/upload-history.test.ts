import { describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { UploadHistory, MOST_REMEMBERED } from '../../../src/uploads/history/upload-history.js';
import type { UploadReceipt } from '../../../src/uploads/tus/tus-upload.js';
import type { PhotoRecord } from '../../../src/uploads/queue/photo-record.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memoryRecords, MemoryStorage } from '../../support/memory-host.js';
import { Rig } from '../fixture.js';

const CHECKED: UploadReceipt = {
  checked: true,
  sha256: 'ab'.repeat(32),
  pageUrl: 'https://service.example/photos/1',
};
const UNKNOWN: UploadReceipt = { checked: false, sha256: null, pageUrl: null };

function record(id: string, more: Partial<PhotoRecord> = {}): PhotoRecord {
  return {
    id,
    name: `${id}.jpg`,
    type: 'image/jpeg',
    size: 1000,
    owner: null,
    position: 0,
    priority: 0,
    queuedAt: 0,
    uploadUrl: null,
    failure: null,
    ...more,
  };
}

/** A history over a storage, as whoever is connected. */
class HistoryRig {
  readonly storage = new MemoryStorage();
  account: string | null = 'anna';
  now = 1_000;
  history = this.open();

  private open(): UploadHistory {
    const records = memoryRecords(this.storage);
    void records.load();
    return new UploadHistory({
      records,
      now: () => this.now,
      owner: () =>
        this.account === null
          ? null
          : { keys: [this.account], workspace: `Studio ${this.account}` },
      isOwnAddress: (address) => address.startsWith('https://service.example/'),
    });
  }

  restart(): void {
    this.storage.heal();
    this.history = this.open();
    this.history.restore(this.storage.records);
  }

  async arrive(id: string, receipt = UNKNOWN): Promise<void> {
    this.history.add(record(id), receipt);
    await this.history.save();
  }

  get names(): string[] {
    return this.history.photos().map(({ name }) => name);
  }
}

describe('the upload history', () => {
  it('lists each photo with its details, newest first, also after a restart', async () => {
    const rig = new HistoryRig();
    await rig.arrive('a', CHECKED);
    rig.now = 2_000;
    await rig.arrive('b');
    const expected = [
      { id: 'b', at: 2_000, name: 'b.jpg', ...UNKNOWN },
      { id: 'a', at: 1_000, name: 'a.jpg', ...CHECKED },
    ].map((photo) => ({ ...photo, size: 1000, workspace: 'Studio anna', owner: 'anna' }));
    expect(rig.history.photos()).toEqual(expected);
    rig.restart();
    expect(rig.history.photos()).toEqual(expected);
    await rig.arrive('c');
    rig.restart();
    expect(rig.names).toEqual(['c.jpg', 'b.jpg', 'a.jpg']);
  });

  it('adds no storage write for photos that leave the queue, however long the history is', async () => {
    const rig = new HistoryRig();
    for (let index = 0; index < 1500; index += 1) await rig.arrive(`old-${index}`);
    rig.storage.log.length = 0;
    for (const id of ['a', 'b', 'c']) rig.history.add(record(id), CHECKED);
    await rig.history.save();
    expect(rig.storage.log).toEqual([
      expect.stringMatching(/^records\.put delivered-\d+( delivered-\d+){3}$/),
    ]);
    expect(rig.storage.records.get('delivered-1501')?.length).toBeLessThan(3 * 350);
  });

  it('keeps the last 1,000, in memory and on disk', async () => {
    const rig = new HistoryRig();
    for (let page = 0; page < 60; page += 1) {
      const ids = Array.from({ length: 50 }, (_, index) => `${page}-${index}`);
      for (const id of ids) rig.history.add(record(id), UNKNOWN);
      await rig.history.save();
    }
    expect(rig.history.photos()).toHaveLength(MOST_REMEMBERED);
    expect(rig.names[0]).toBe('59-49.jpg');
    expect(rig.names.at(-1)).toBe('40-0.jpg');
    expect(rig.storage.records.size).toBe(20);
    rig.restart();
    expect(rig.history.photos()).toHaveLength(MOST_REMEMBERED);
  });

  it('shows and clears only the uploads of the current account', async () => {
    const rig = new HistoryRig();
    await rig.arrive('of anna');
    rig.account = 'ben';
    expect(rig.names).toEqual([]);
    await rig.arrive('of ben');
    expect(rig.names).toEqual(['of ben.jpg']);
    rig.account = null;
    expect(rig.names).toEqual([]);
    rig.account = 'ben';
    await rig.history.clear();
    expect(rig.names).toEqual([]);
    rig.restart();
    expect(rig.names).toEqual([]);
    rig.account = 'anna';
    expect(rig.names).toEqual(['of anna.jpg']);
    expect([...rig.storage.records.values()].join()).not.toContain('of ben');
  });

  it('clears a page that two accounts share, and entries that are not stored yet', async () => {
    const rig = new HistoryRig();
    rig.history.add(record('of anna'), UNKNOWN);
    rig.account = 'ben';
    rig.history.add(record('of ben'), UNKNOWN);
    await rig.history.save();
    rig.history.add(record('later'), UNKNOWN);
    await rig.history.clear();
    await rig.history.save();
    rig.restart();
    expect(rig.names).toEqual([]);
    rig.account = 'anna';
    expect(rig.names).toEqual(['of anna.jpg']);
  });

  it('keeps the entries of another account when it dies while it clears a shared page', async () => {
    for (let steps = 1; steps < 4; steps += 1) {
      const rig = new HistoryRig();
      rig.history.add(record('of anna'), UNKNOWN);
      rig.account = 'ben';
      rig.history.add(record('of ben'), UNKNOWN);
      await rig.history.save();
      await rig.arrive('of ben alone');
      rig.storage.dieAfter(steps);
      void rig.history.clear();
      await new FakeClock().settle();
      rig.restart();
      rig.account = 'anna';
      expect(rig.names).toEqual(['of anna.jpg']);
    }
  });

  it('links only to the service, whatever storage contains', () => {
    const rig = new HistoryRig();
    const entry = { id: 'a', name: 'a.jpg', size: 1, at: 1, owner: 'anna' };
    const delivered = [
      { ...entry, pageUrl: 'https://elsewhere.example/', sha256: 'no digest', checked: 'yes' },
      { ...entry, id: 7 },
      'nothing',
    ];
    rig.storage.records.set('delivered-1', JSON.stringify({ version: 1, delivered }));
    rig.storage.records.set('delivered-x', JSON.stringify({ version: 1, delivered }));
    rig.storage.records.set('delivered-2', '{"version":1,"delivered":');
    rig.restart();
    expect(rig.history.photos()).toEqual([{ ...entry, workspace: null, ...UNKNOWN }]);
    rig.history.add(record('b'), { ...CHECKED, pageUrl: 'https://elsewhere.example/' });
    expect(rig.history.photos()[0]?.pageUrl).toBeNull();
  });

  it('writes entries again after a storage failure, without loss or duplicates', async () => {
    const rig = new HistoryRig();
    rig.storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    await expect(rig.arrive('a')).rejects.toMatchObject({ code: 'CW-703' });
    expect(rig.names).toEqual(['a.jpg']);
    const both = [rig.arrive('b'), rig.history.save()];
    await Promise.all(both);
    rig.restart();
    expect(rig.names).toEqual(['b.jpg', 'a.jpg']);
  });
});

describe('an uploaded photo', () => {
  /** Lets all photos arrive and be cleared away. */
  async function finish(rig: Rig): Promise<void> {
    await rig.finishAll();
    await rig.clock.advance(1_000);
  }

  it('is in the history once or still queued, wherever the plugin dies', async () => {
    for (let steps = 0; steps < 8; steps += 1) {
      const rig = new Rig();
      rig.remembers = true;
      await rig.start();
      const photos = ['a', 'b', 'c'].map((name) => rig.photo(name));
      await rig.uploader.addPhotos(photos);
      rig.storage.dieAfter(steps);
      await finish(rig);
      await rig.start();
      const remembered = rig.history.photos().map(({ name }) => name);
      const listed = rig.unsent.map(({ record: { name } }) => name);
      expect([...new Set([...remembered, ...listed])].sort()).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
      await finish(rig);
      expect(
        rig.history
          .photos()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
      await rig.start();
      expect(rig.history.photos()).toHaveLength(3);
      expect([...rig.arrived()].sort()).toEqual(['a', 'b', 'c']);
    }
  });

  it('is in the history once when its record returned after a kill between the two writes', async () => {
    const rig = new Rig();
    rig.remembers = true;
    await rig.start();
    await rig.uploader.addPhotos([rig.photo('a')]);
    const own = [...rig.storage.records];
    const copies = [...rig.storage.spool];
    await finish(rig);
    expect(rig.history.photos()).toHaveLength(1);
    for (const [key, value] of own) rig.storage.records.set(key, value);
    for (const [key, value] of copies) rig.storage.spool.set(key, value);
    await rig.start();
    await finish(rig);
    expect(rig.history.photos()).toHaveLength(1);
    expect(rig.unsent).toEqual([]);
  });

  it('reports a storage error of the history like one of the queue', async () => {
    const rig = new Rig();
    rig.remembers = true;
    await rig.start();
    await rig.uploader.addPhotos([rig.photo('a')]);
    rig.storage.fail('records.put', new CwError('CW-703', 'full'));
    await finish(rig);
    expect(rig.uploader.state.get().storageError).toMatchObject({ code: 'CW-703' });
    expect(rig.history.photos()).toHaveLength(1);
    rig.storage.heal();
    await rig.uploader.addPhotos([rig.photo('b')]);
    await finish(rig);
    expect(rig.uploader.state.get().storageError).toBeNull();
    await rig.start();
    expect(rig.history.photos()).toHaveLength(2);
  });

  it('is hidden from the next account', async () => {
    const rig = new Rig();
    rig.remembers = true;
    await rig.start();
    await rig.uploader.addPhotos([rig.photo('a')]);
    await finish(rig);
    rig.account = 'ben';
    expect(rig.history.photos()).toEqual([]);
    await rig.uploader.clearHistory();
    rig.account = 'anna';
    expect(rig.history.photos()).toHaveLength(1);
    await rig.uploader.clearHistory();
    expect(rig.history.photos()).toEqual([]);
  });
});
