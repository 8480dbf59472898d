import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import type { PhotoSource } from '../../../src/host/photo-source.js';
import { memoryRecords } from '../../support/memory-host.js';
import { enqueue } from '../queue/queue-fixture.js';
import { UploadFixture, textOf, type Account } from '../fixture.js';

/** Photos when an event comes at the worst moment. */
let fixture: UploadFixture;

beforeEach(async () => {
  fixture = new UploadFixture();
  await fixture.start();
});

async function disconnect(): Promise<void> {
  await fixture.signOut();
}

async function connect(account: Account): Promise<void> {
  fixture.account = account;
  fixture.uploads.onSignedIn();
  await fixture.clock.settle();
}

/** A photo whose copy takes until `letGo`. */
function slowPhoto(text: string): { photo: PhotoSource; letGo: () => void } {
  const photo = fixture.photo(text);
  let letGo = (): void => undefined;
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return {
    letGo: () => letGo(),
    photo: {
      ...photo,
      copyToSpool: async (id) => {
        await free;
        return photo.copyToSpool(id);
      },
    },
  };
}

const question = (): unknown => fixture.uploads.state.get().question;

describe('a second Disconnect while the ownership question of the first is open', () => {
  it('prompts the third account about the photos of both earlier accounts', async () => {
    await fixture.queue('of anna');
    await disconnect();
    await connect('ben');
    await fixture.queue('of ben');
    expect(question()).toEqual({ photos: 1 });
    await disconnect();
    await connect('anna');
    expect(question()).toEqual({ photos: 2 });
    expect(fixture.network.open).toEqual([]);
    await fixture.uploads.answerQuestion(false);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual([]);
  });

  it('prompts the third account about all photos after a restart', async () => {
    await fixture.queue('of anna');
    await disconnect();
    await connect('ben');
    await fixture.queue('of ben');
    await disconnect();
    await fixture.start();
    await connect('anna');
    expect(question()).toEqual({ photos: 2 });
    await fixture.uploads.answerQuestion(true);
    await fixture.finishAll();
    expect([...fixture.service.arrived('anna')].sort()).toEqual(['of anna', 'of ben']);
  });
});

describe('a Disconnect while photos are still being copied', () => {
  it('prompts the next account about photos that were not queued yet', async () => {
    const { photo, letGo } = slowPhoto('of anna');
    const adding = fixture.uploads.addPhotos([photo]);
    await fixture.clock.settle();
    await fixture.signOut();
    letGo();
    await adding;
    await connect('ben');
    expect(question()).toEqual({ photos: 1 });
    expect(fixture.network.open).toEqual([]);
    await fixture.uploads.answerQuestion(false);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual([]);
  });
});

describe('a Disconnect while storage still writes the previous answer', () => {
  /** Ben disconnects while a photo of his is made safe and storage is slow; Anna connects. */
  async function benLeaves(letGo: () => void): Promise<void> {
    const slow = slowPhoto('of ben');
    const adding = fixture.uploads.addPhotos([slow.photo]);
    await fixture.clock.settle();
    const disconnecting = disconnect();
    await fixture.clock.settle();
    letGo();
    await disconnecting;
    slow.letGo();
    await adding;
    await connect('anna');
  }

  it('prompts the next account about photos still being copied without an earlier prompt', async () => {
    await fixture.queue('removed');
    await disconnect();
    await fixture.uploads.removeAll();
    const letGo = fixture.storage.holdBack(
      (operation, key) => operation === 'records.put' && key === 'last-account',
    );
    await connect('ben');
    await benLeaves(letGo);
    expect(question()).toEqual({ photos: 1 });
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual([]);
  });

  it('prompts the next account about photos still being copied after the answer no', async () => {
    await fixture.queue('of anna');
    await disconnect();
    await connect('ben');
    const letGo = fixture.storage.holdBack(
      (operation, key) => operation === 'records.put' && key.startsWith('removal'),
    );
    void fixture.uploads.answerQuestion(false);
    await benLeaves(letGo);
    expect(question()).toEqual({ photos: 1 });
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual([]);
  });
});

describe('photos added while the queue of an earlier run is being read', () => {
  it('uploads added photos after those of the earlier run, each once', async () => {
    fixture.uploads.pause();
    await fixture.queue('a', 'b');
    const { storage } = fixture;
    const before = fixture.uploads;
    expect(before.state.get().paused).toBe(true);
    // The user is quicker than the disk.
    const letGo = storage.holdBack((operation) => operation === 'records.load');
    const starting = fixture.start();
    while (fixture.uploads === before) await Promise.resolve();
    const adding = fixture.uploads.addPhotos([fixture.photo('c')]);
    await fixture.clock.settle();
    letGo();
    await starting;
    await adding;
    const positions = fixture.list.slice(0, 10).map((item) => item.record.position);
    expect(new Set(positions).size).toBe(3);
    expect(fixture.list.slice(0, 10).map(textOf)).toEqual(['a', 'b', 'c']);
    fixture.uploads.resume();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a', 'b', 'c']);
    expect(fixture.left).toBe(0);
  });
});

describe('a photo chosen to be next', () => {
  it('uploads it before a photo that was chosen in an earlier run', async () => {
    fixture.uploads.pause();
    await fixture.queue('a', 'b', 'c', 'd');
    await fixture.uploads.makeNext(fixture.idOf('c'));
    await fixture.uploads.makeNext(fixture.idOf('d'));
    for (const expected of [
      ['d', 'c', 'a', 'b'],
      ['b', 'd', 'c', 'a'],
    ]) {
      fixture.account = null;
      await fixture.start();
      expect(fixture.list.slice(0, 10).map(textOf)).toEqual(expected);
      if (expected[0] === 'd') await fixture.uploads.makeNext(fixture.idOf('b'));
    }
    await connect('anna');
    fixture.uploads.resume();
    await fixture.finishAll();
    // Of those sent at the same time, either may be the first.
    expect(fixture.arrived().sort()).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('another plugin instance that takes over the queue', () => {
  it('keeps a photo whose record was being written, with its copy', async () => {
    // The record is written, and the other instance may have read it; only then does the write fail.
    const { storage } = fixture;
    const records = memoryRecords(storage);
    fixture.account = null;
    storage.fail('records.put', new CwError('CW-704', 'another instance keeps the records now'));
    await fixture.queue('kept');
    expect(fixture.uploads.state.get().rejected).toMatchObject([{ error: { code: 'CW-704' } }]);
    expect([...storage.spool.values()].map((bytes) => Buffer.from(bytes).toString())).toEqual([
      'kept',
    ]);
    expect(storage.log.filter((line) => line.startsWith('spool.remove'))).toEqual([]);
    expect([...(await records.load()).keys()]).toEqual(['last-account']);
  });

  it('keeps its new copies while the first instance searches for unlisted ones', async () => {
    const { photoStore, storage } = fixture;
    const letGo = storage.holdBack((operation) => operation === 'spool.list');
    const finding = photoStore.findOrphans();
    await fixture.clock.settle();
    await memoryRecords(storage).load();
    storage.spool.set('copy-of-the-other', new Uint8Array(Buffer.from('kept')));
    letGo();
    expect(await finding).toEqual([]);
    expect([...storage.spool.keys()]).toEqual(['copy-of-the-other']);
  });

  it('is detected before a photo is copied again after freeing space', async () => {
    const { storage, list, photoStore } = fixture;
    fixture.uploads.pause();
    await fixture.queue('removed');
    await fixture.uploads.removeAll();
    storage.fail('records.put', new CwError('CW-703', 'no space left'), 1);
    storage.fail('records.remove', new CwError('CW-704', 'another instance keeps the records now'));
    storage.log.length = 0;
    await expect(enqueue(list, photoStore, fixture.photo('new'))).rejects.toMatchObject({
      code: 'CW-704',
    });
    expect(storage.log.filter((line) => line.startsWith('spool.copy'))).toHaveLength(1);
  });

  it('is detected by operations that start after a shared ownership check', async () => {
    await fixture.queue('a', 'b', 'c', 'd');
    const { network, uploads } = fixture;
    const [first, second] = network.open;
    if (!first || !second) throw new Error('two photos should be on their way');
    // One is uploaded: an ownership check is valid for a moment.
    fixture.respond(first);
    await fixture.clock.advance(500);
    // The moment is over, and another instance begins.
    await memoryRecords(fixture.storage).load();
    const before = network.exchanges.length;
    fixture.respond(second);
    await fixture.clock.settle();
    expect(network.exchanges.slice(before)).toEqual([]);
    await fixture.clock.advance(500);
    expect(uploads.state.get().storageError).toMatchObject({ code: 'CW-704' });
  });
});

describe('an uploaded photo whose copy cannot be deleted', () => {
  it('keeps its record until a later start deletes the copy, and is not sent again', async () => {
    const { storage } = fixture;
    await fixture.queue('a');
    storage.fail('spool.remove', new CwError('CW-702', 'another program holds it'));
    await fixture.finishAll();
    expect(storage.spool.size).toBe(1);
    await fixture.start();
    await fixture.clock.settle();
    expect(fixture.phases()).toEqual([]);
    expect(fixture.uploads.state.get().orphans).toBe(0);
    expect(storage.spool.size).toBe(0);
    expect([...storage.records.keys()]).toEqual(['last-account']);
    expect(fixture.arrived()).toEqual(['a']);
  });
});
