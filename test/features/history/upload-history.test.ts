import { describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { UploadHistory, MAX_REMEMBERED } from '../../../src/features/history/upload-history.js';
import type { UploadReceipt } from '../../../src/features/queue/upload-receipt.js';
import { NO_CONTEXT, type PhotoRecord } from '../../../src/features/queue/photo-record.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memoryRecords, MemoryStorage } from '../../support/memory-host.js';
import { UploadFixture } from '../fixture.js';
import { photoRecord } from '../../support/photo-record.js';

const CHECKED: UploadReceipt = {
  hasMatchingCrc: true,
  sha256: 'ab'.repeat(32),
  pageUrl: 'https://service.example/photos/1',
  uploadId: 'u-1',
};
const UNKNOWN: UploadReceipt = {
  hasMatchingCrc: false,
  sha256: null,
  pageUrl: null,
  uploadId: null,
};

function record(id: string, more: Partial<PhotoRecord> = {}): PhotoRecord {
  return photoRecord(id, 1000, more);
}

/** A history over a storage, as the connected account. */
class HistoryFixture {
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
      owner: {
        get: () =>
          this.account === null
            ? null
            : { keys: [this.account], workspace: `Studio ${this.account}` },
      },
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
    const fixture = new HistoryFixture();
    await fixture.arrive('a', CHECKED);
    fixture.now = 2_000;
    await fixture.arrive('b');
    const expected = [
      { id: 'b', at: 2_000, name: 'b.jpg', ...UNKNOWN },
      { id: 'a', at: 1_000, name: 'a.jpg', ...CHECKED },
    ].map((photo) => ({
      ...photo,
      ...NO_CONTEXT,
      size: 1000,
      workspace: 'Studio anna',
      owner: 'anna',
    }));
    expect(fixture.history.photos()).toEqual(expected);
    fixture.restart();
    expect(fixture.history.photos()).toEqual(expected);
    await fixture.arrive('c');
    fixture.restart();
    expect(fixture.names).toEqual(['c.jpg', 'b.jpg', 'a.jpg']);
  });

  it('stores whether the CRC matched as earlier versions do', async () => {
    const fixture = new HistoryFixture();
    await fixture.arrive('a', CHECKED);
    expect(fixture.storage.records.get('delivered-1')).toContain('"checked":true');
  });

  it('keeps project, document and its state', async () => {
    const fixture = new HistoryFixture();
    const context = {
      project: { id: 'p-1', name: 'Spring wedding' },
      document: 'xmp.did:1',
      stateId: 's1',
    };
    fixture.history.add(record('a', context), CHECKED);
    await fixture.history.save();
    fixture.restart();
    expect(fixture.history.photos()).toMatchObject([context]);
  });

  it('adds no storage write for photos that leave the queue, however long the history is', async () => {
    const fixture = new HistoryFixture();
    for (let index = 0; index < 1500; index += 1) await fixture.arrive(`old-${index}`);
    fixture.storage.log.length = 0;
    for (const id of ['a', 'b', 'c']) fixture.history.add(record(id), CHECKED);
    await fixture.history.save();
    expect(fixture.storage.log).toEqual([
      expect.stringMatching(/^records\.put delivered-\d+( delivered-\d+){3}$/),
    ]);
    expect(fixture.storage.records.get('delivered-1501')?.length).toBeLessThan(3 * 350);
  });

  it('keeps the last 1,000, in memory and on disk', async () => {
    const fixture = new HistoryFixture();
    for (let page = 0; page < 60; page += 1) {
      const ids = Array.from({ length: 50 }, (_, index) => `${page}-${index}`);
      for (const id of ids) fixture.history.add(record(id), UNKNOWN);
      await fixture.history.save();
    }
    expect(fixture.history.photos()).toHaveLength(MAX_REMEMBERED);
    expect(fixture.names[0]).toBe('59-49.jpg');
    expect(fixture.names.at(-1)).toBe('40-0.jpg');
    expect(fixture.storage.records.size).toBe(20);
    fixture.restart();
    expect(fixture.history.photos()).toHaveLength(MAX_REMEMBERED);
  });

  it('keeps no more than 1,000 while storage refuses them', () => {
    const { history } = new HistoryFixture();
    for (let index = 0; index <= MAX_REMEMBERED; index += 1)
      history.add(record(`${index}`), UNKNOWN);
    expect([history.get('0'), history.get('1')?.name]).toEqual([null, '1.jpg']);
  });

  it('shows and clears only the uploads of the current account', async () => {
    const fixture = new HistoryFixture();
    await fixture.arrive('of anna');
    fixture.account = 'ben';
    expect(fixture.names).toEqual([]);
    await fixture.arrive('of ben');
    expect(fixture.names).toEqual(['of ben.jpg']);
    fixture.account = null;
    expect(fixture.names).toEqual([]);
    fixture.account = 'ben';
    await fixture.history.clear();
    expect(fixture.names).toEqual([]);
    fixture.restart();
    expect(fixture.names).toEqual([]);
    fixture.account = 'anna';
    expect(fixture.names).toEqual(['of anna.jpg']);
    expect([...fixture.storage.records.values()].join()).not.toContain('of ben');
  });

  it('clears a page that two accounts share, and entries that are not stored yet', async () => {
    const fixture = new HistoryFixture();
    fixture.history.add(record('of anna'), UNKNOWN);
    fixture.account = 'ben';
    fixture.history.add(record('of ben'), UNKNOWN);
    await fixture.history.save();
    fixture.history.add(record('later'), UNKNOWN);
    await fixture.history.clear();
    await fixture.history.save();
    fixture.restart();
    expect(fixture.names).toEqual([]);
    fixture.account = 'anna';
    expect(fixture.names).toEqual(['of anna.jpg']);
  });

  it('keeps the entries of another account when it dies while it clears a shared page', async () => {
    for (let steps = 1; steps < 4; steps += 1) {
      const fixture = new HistoryFixture();
      fixture.history.add(record('of anna'), UNKNOWN);
      fixture.account = 'ben';
      fixture.history.add(record('of ben'), UNKNOWN);
      await fixture.history.save();
      await fixture.arrive('of ben alone');
      fixture.storage.dieAfter(steps);
      void fixture.history.clear();
      await new FakeClock().settle();
      fixture.restart();
      fixture.account = 'anna';
      expect(fixture.names).toEqual(['of anna.jpg']);
    }
  });

  it('links only to the service, whatever storage contains', () => {
    const fixture = new HistoryFixture();
    const entry = { id: 'a', name: 'a.jpg', size: 1, at: 1, owner: 'anna' };
    const delivered = [
      { ...entry, pageUrl: 'https://elsewhere.example/', sha256: 'no digest', checked: 'yes' },
      { ...entry, id: 7 },
      'nothing',
    ];
    fixture.storage.records.set('delivered-1', JSON.stringify({ version: 1, delivered }));
    fixture.storage.records.set('delivered-x', JSON.stringify({ version: 1, delivered }));
    fixture.storage.records.set('delivered-2', '{"version":1,"delivered":');
    fixture.restart();
    expect(fixture.history.photos()).toEqual([
      { ...entry, workspace: null, ...UNKNOWN, ...NO_CONTEXT },
    ]);
    fixture.history.add(record('b'), { ...CHECKED, pageUrl: 'https://elsewhere.example/' });
    expect(fixture.history.photos()[0]?.pageUrl).toBeNull();
  });

  it('writes entries again after a storage failure, without loss or duplicates', async () => {
    const fixture = new HistoryFixture();
    fixture.storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    await expect(fixture.arrive('a')).rejects.toMatchObject({ code: 'CW-703' });
    expect(fixture.names).toEqual(['a.jpg']);
    const both = [fixture.arrive('b'), fixture.history.save()];
    await Promise.all(both);
    fixture.restart();
    expect(fixture.names).toEqual(['b.jpg', 'a.jpg']);
  });
});

describe('an uploaded photo', () => {
  /** Uploads all photos and deletes their records. */
  async function finish(fixture: UploadFixture): Promise<void> {
    await fixture.finishAll();
    await fixture.clock.advance(1_000);
  }

  it('is in the history once or still queued, wherever the plugin dies', async () => {
    for (let steps = 0; steps < 8; steps += 1) {
      const fixture = new UploadFixture();
      fixture.remembers = true;
      await fixture.start();
      const photos = ['a', 'b', 'c'].map((name) => fixture.photo(name));
      await fixture.uploads.addPhotos(photos);
      fixture.storage.dieAfter(steps);
      await finish(fixture);
      await fixture.start();
      const remembered = fixture.history.photos().map(({ name }) => name);
      const listed = fixture.unsent.map(({ record: { name } }) => name);
      expect([...new Set([...remembered, ...listed])].sort()).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
      await finish(fixture);
      expect(
        fixture.history
          .photos()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
      await fixture.start();
      expect(fixture.history.photos()).toHaveLength(3);
      expect([...fixture.arrived()].sort()).toEqual(['a', 'b', 'c']);
    }
  });

  it('is in the history once when its record returned after a kill between the two writes', async () => {
    const fixture = new UploadFixture();
    fixture.remembers = true;
    await fixture.start();
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    const own = [...fixture.storage.records];
    const copies = [...fixture.storage.spool];
    await finish(fixture);
    expect(fixture.history.photos()).toHaveLength(1);
    for (const [key, value] of own) fixture.storage.records.set(key, value);
    for (const [key, value] of copies) fixture.storage.spool.set(key, value);
    await fixture.start();
    await finish(fixture);
    expect(fixture.history.photos()).toHaveLength(1);
    expect(fixture.unsent).toEqual([]);
  });

  it('reports a storage error of the history like one of the queue', async () => {
    const fixture = new UploadFixture();
    fixture.remembers = true;
    await fixture.start();
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    fixture.storage.fail('records.put', new CwError('CW-703', 'full'));
    await finish(fixture);
    expect(fixture.uploads.state.get().storageError).toMatchObject({ code: 'CW-703' });
    expect(fixture.history.photos()).toHaveLength(1);
    fixture.storage.heal();
    await fixture.uploads.addPhotos([fixture.photo('b')]);
    await finish(fixture);
    expect(fixture.uploads.state.get().storageError).toBeNull();
    await fixture.start();
    expect(fixture.history.photos()).toHaveLength(2);
  });

  it('is hidden from the next account', async () => {
    const fixture = new UploadFixture();
    fixture.remembers = true;
    await fixture.start();
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    await finish(fixture);
    fixture.account = 'ben';
    expect(fixture.history.photos()).toEqual([]);
    await fixture.uploads.clearHistory();
    fixture.account = 'anna';
    expect(fixture.history.photos()).toHaveLength(1);
    await fixture.uploads.clearHistory();
    expect(fixture.history.photos()).toEqual([]);
  });
});
