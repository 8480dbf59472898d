import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import fc from '../support/properties.js';
import { seededRandom } from '../support/seeded-random.js';
import { ENDPOINT, Rig } from './fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let rig: Rig;

beforeEach(async () => {
  rig = new Rig();
  await rig.start();
});

describe('uploading', () => {
  it('brings every photo to the service, byte for byte, and leaves nothing behind', async () => {
    await rig.queue('one', 'a photo of several chunks', 'three');
    await rig.finishAll();
    expect(rig.phases()).toEqual([
      'one uploaded',
      'a photo of several chunks uploaded',
      'three uploaded',
    ]);
    expect(rig.arrived()).toEqual(['one', 'a photo of several chunks', 'three']);
    expect(rig.left).toBe(0);
    expect(rig.clock.pending).toBe(0);
  });

  it('prepares one photo more where copies are streamed, and starts it when a slot is free', async () => {
    await rig.start({ concurrency: 3, isStreamed: true });
    await rig.queue('a', 'b', 'c', 'd', 'e');
    expect(rig.phases().slice(3)).toEqual(['d uploading', 'e waiting']);
    expect(rig.network.open).toHaveLength(3);
    rig.storage.log.length = 0;
    const [first] = rig.network.open;
    if (first) rig.respond(first);
    await rig.clock.settle();
    expect(rig.network.open).toHaveLength(3);
    expect(rig.storage.log).not.toContain(`spool.open ${rig.idOf('d')}`);
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('cleans up photos uploaded within half a second in one step, and the last at once', async () => {
    await rig.queue('a', 'b', 'c', 'd', 'e');
    const removals = (): string[] =>
      rig.storage.log
        .filter((line) => /^records\.remove (?!adding-)/.test(line))
        .map((line) => line.replace(/ uploaded-\w+/, ''));
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((text) => rig.idOf(text));
    for (const exchange of rig.network.open.slice(0, 2)) rig.respond(exchange);
    await rig.clock.advance(499);
    expect(removals()).toEqual([]);
    await rig.clock.advance(1);
    expect(removals()).toEqual([`records.remove ${a} ${b}`]);
    expect([...rig.storage.spool.keys()]).toEqual([c, d, e]);
    await rig.finishAll();
    expect(removals()).toEqual([`records.remove ${a} ${b}`, `records.remove ${c} ${d} ${e}`]);
    expect(rig.left).toBe(0);
    expect(rig.clock.pending).toBe(0);
  });

  it('never exceeds its concurrency, and uploads photos in order', async () => {
    await rig.start({ concurrency: 3 });
    await rig.queue('a', 'b', 'c', 'd', 'e');
    expect(rig.phases()).toEqual([
      'a uploading',
      'b uploading',
      'c uploading',
      'd waiting',
      'e waiting',
    ]);
    expect(rig.network.open).toHaveLength(3);
    const [first] = rig.network.open;
    if (first) rig.respond(first);
    await rig.clock.settle();
    expect(rig.phases()).toEqual([
      'a uploaded',
      'b uploading',
      'c uploading',
      'd uploading',
      'e waiting',
    ]);
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('starts the next upload before the previous one is cleaned up', async () => {
    await rig.start({ concurrency: 1 });
    await rig.queue('one', 'two');
    const [first] = rig.network.open;
    if (!first) throw new Error('nothing is on the wire');
    // The disk answers nothing any more.
    rig.storage.dieAfter(0);
    rig.respond(first);
    await rig.clock.settle();
    expect(rig.phases()).toEqual(['one uploaded', 'two uploading']);
  });

  it('waits for a session', async () => {
    rig.account = null;
    await rig.queue('a');
    expect(rig.phases()).toEqual(['a waiting']);
    expect(rig.network.exchanges).toHaveLength(0);
    rig.account = 'anna';
    rig.uploader.onSignedIn();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a']);
  });

  it('reports the progress of each photo', async () => {
    await rig.queue('twenty bytes of text');
    rig.network.only.request.onUploadProgress?.(7);
    expect(rig.list.get(rig.idOf('twenty bytes of text'))).toMatchObject({
      sentBytes: 7,
      confirmedBytes: 0,
    });
    rig.respond(rig.network.only);
    await rig.clock.settle();
    expect(rig.list.get(rig.idOf('twenty bytes of text'))).toMatchObject({
      sentBytes: 10,
      confirmedBytes: 10,
    });
  });

  it('resumes after a restart without resending a confirmed byte', async () => {
    await rig.queue('a photo of several chunks');
    rig.respond(rig.network.only);
    await rig.clock.settle();
    rig.respond(rig.network.only);
    await rig.clock.settle();
    const before = rig.service.uploadsOf('anna').get(`${ENDPOINT}/u-1`)?.bytes.length;
    expect(before).toBe(20);
    await rig.start();
    await rig.clock.settle();
    expect(rig.network.only.request.method).toBe('HEAD');
    await rig.finishAll();
    expect(rig.network.exchanges.map(({ request }) => request.method)).toEqual(['HEAD', 'PATCH']);
    expect(rig.arrived()).toEqual(['a photo of several chunks']);
  });
});

describe('a photo that cannot be uploaded', () => {
  it('fails with its reason and lets the others go on; its retry starts it again', async () => {
    await rig.queue('a', 'b');
    rig.network.open[0]?.respond(415, { 'Tus-Resumable': '1.0.0' });
    await rig.finishAll();
    expect(rig.phases()).toEqual(['a failed', 'b uploaded']);
    expect(rig.list.get(rig.idOf('a'))?.record.failure).toBe('CW-605');
    await rig.uploader.retry(rig.idOf('a'));
    await rig.finishAll();
    expect(rig.phases()).toEqual(['b uploaded', 'a uploaded']);
    expect(rig.arrived().sort()).toEqual(['a', 'b']);
  });

  it('stays failed after a restart, and is retried with all others that failed', async () => {
    await rig.queue('a', 'b');
    for (const exchange of rig.network.open) exchange.respond(507);
    await rig.clock.settle();
    await rig.start();
    await rig.clock.settle();
    expect(rig.phases()).toEqual(['a failed', 'b failed']);
    expect(rig.network.exchanges).toHaveLength(0);
    await rig.uploader.retryFailed('CW-606');
    await rig.finishAll();
    expect(rig.arrived().sort()).toEqual(['a', 'b']);
  });

  it('fails with CW-607 when its copy is missing', async () => {
    rig.uploader.pause();
    await rig.queue('a', 'b');
    rig.storage.spool.delete(rig.idOf('a'));
    rig.uploader.resume();
    await rig.finishAll();
    expect(rig.phases()).toEqual(['a failed', 'b uploaded']);
    expect(rig.list.get(rig.idOf('a'))?.record.failure).toBe('CW-607');
  });
});

describe('the end of the session', () => {
  it('requeues photos instead of failing them, and continues after a new sign-in', async () => {
    await rig.queue('a photo of several chunks', 'b');
    const [first, second] = rig.network.open;
    if (first) rig.respond(first);
    second?.respond(401);
    await rig.clock.settle();
    rig.account = null;
    await rig.clock.advance(500);
    rig.network.open
      .find(({ request }) => request.url.endsWith('/token'))
      ?.respond(400, {}, { error: 'invalid_grant' });
    await rig.clock.settle();
    rig.uploader.onSessionEnded();
    await rig.clock.settle();
    expect(rig.phases().map((text) => text.split(' ').at(-1))).toEqual(['waiting', 'waiting']);
    expect(rig.network.open).toHaveLength(0);
    await rig.clock.advance(600_000);
    expect(rig.network.open).toHaveLength(0);

    rig.account = 'anna';
    await rig.start();
    await rig.finishAll();
    expect(rig.arrived().sort()).toEqual(['a photo of several chunks', 'b']);
  });
});

describe('a storage error', () => {
  it('is shown while it lasts, and does not stop uploads', async () => {
    await rig.queue('a', 'b');
    rig.storage.fail('records.put', new CwError('CW-703', 'full'));
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a', 'b']);
    expect(rig.uploader.state.get().storageError).toMatchObject({ code: 'CW-703' });
    rig.storage.heal();
    await rig.queue('c');
    await rig.finishAll();
    expect(rig.uploader.state.get().storageError).toBeNull();
  });

  it('that blocks reading the queue changes nothing in storage; photos added then are uploaded later', async () => {
    await rig.queue('a');
    await rig.start({ restores: false });
    rig.storage.fail('records.load', new CwError('CW-702', 'unreadable'));
    const restoring = rig.uploader.restore();
    const adding = rig.uploader.addPhotos([rig.photo('b')]);
    await rig.clock.advance(600_000);
    expect(rig.uploader.state.get()).toMatchObject({
      isUnread: true,
      storageError: { code: 'CW-702' },
    });
    expect(rig.storage.spool.size).toBe(2);
    expect([...rig.storage.records.keys()]).toHaveLength(2);
    expect(rig.network.exchanges).toEqual([]);
    rig.storage.heal();
    rig.uploader.retryStorage();
    await restoring;
    await adding;
    expect(rig.uploader.state.get()).toMatchObject({ isUnread: false, storageError: null });
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a', 'b']);
  });

  it('restores photos, with their names, that a kill kept out of the queue', async () => {
    for (let steps = 1; steps < 6; steps += 1) {
      rig = new Rig();
      await rig.start();
      rig.storage.dieAfter(steps);
      void rig.uploader.addPhotos([rig.photo('a'), rig.photo('b')]);
      await rig.clock.settle();
      const copies = rig.storage.spool.size;
      await rig.start();
      await rig.uploader.answerFound(true);
      expect(
        rig.list
          .slice(0, 9)
          .map(({ record }) => record.name)
          .toSorted(),
      ).toEqual(['a.jpg', 'b.jpg'].slice(0, copies));
      await rig.finishAll();
      await rig.clock.settle();
      expect([...rig.storage.records.keys()]).toEqual(['last-account']);
    }
  });

  it('keeps the copy of a found photo when Cancel is pressed or the disk is full', async () => {
    rig.storage.spool.set('f0', new Uint8Array(Buffer.from('lost')));
    await rig.start();
    rig.storage.fail('records.put', new CwError('CW-703', 'full'));
    const adding = rig.uploader.answerFound(true);
    rig.uploader.cancelAdding();
    await adding;
    expect(rig.storage.spool.has('f0')).toBe(true);
    await rig.start();
    expect(rig.uploader.state.get().found).toBe(1);
  });

  it('offers a photo without a record to the user, to upload or remove', async () => {
    for (const isSent of [true, false]) {
      rig = new Rig();
      rig.storage.spool.set('f0', new Uint8Array(Buffer.from('lost')));
      await rig.start();
      expect(rig.uploader.state.get().found).toBe(1);
      await rig.uploader.answerFound(isSent);
      await rig.finishAll();
      expect(rig.arrived()).toEqual(isSent ? ['lost'] : []);
      expect(rig.uploader.state.get()).toMatchObject({
        found: 0,
        removal: isSent ? null : { photos: 1 },
      });
      if (isSent) continue;
      await rig.uploader.undoRemoval();
      await rig.finishAll();
      expect(rig.arrived()).toEqual(['lost']);
    }
  });

  it('sends nothing twice after a restart when the end of an upload was not stored', async () => {
    await rig.queue('a');
    rig.storage.fail('records.remove', new CwError('CW-702', 'refused'));
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a']);
    await rig.start();
    await rig.finishAll();
    expect(rig.arrived()).toEqual(['a']);
    expect(rig.phases()).toEqual([]);
    expect(rig.left).toBe(0);
  });
});

describe('a second plugin instance on the same storage', () => {
  it('takes over the queue: the first stops sending, reports it, and changes nothing', async () => {
    await rig.queue('a photo of two chunks', 'b', 'c');
    const { uploader: first, network: firstNetwork } = rig;
    await rig.start();
    await rig.clock.settle();
    // Whatever ends the requests of the first: it asks whether the list is still its own.
    for (const exchange of firstNetwork.open) exchange.respond(500);
    await rig.clock.advance(5_000);
    expect(firstNetwork.open).toEqual([]);
    expect(first.state.get().storageError).toMatchObject({ code: 'CW-704' });
    await first.addPhotos([rig.photo('too late')]);
    expect(first.state.get().rejected).toMatchObject([{ error: { code: 'CW-704' } }]);
    first.resume();
    await rig.clock.settle();
    expect(firstNetwork.open).toEqual([]);
    await rig.finishAll();
    expect([...rig.arrived()].sort()).toEqual(['a photo of two chunks', 'b', 'c']);
    expect([...rig.storage.records.keys()]).toEqual(['last-account']);
  });
});

it('uploads every photo that is not removed exactly once, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
      const random = seededRandom(seed);
      rig = new Rig();
      await rig.start();
      const expected = new Set<string>();
      for (let step = 0; step < 50; step += 1) {
        const what = random();
        const exchange = rig.network.open[Math.floor(random() * rig.network.open.length)];
        const items = rig.list.slice(0, 100).filter(({ phase }) => phase !== 'uploaded');
        const item = items[Math.floor(random() * items.length)];
        if (what < 0.15) {
          const text = `photo ${step} ${'x'.repeat(Math.floor(random() * 25))}`;
          expected.add(text);
          await rig.queue(text);
        } else if (what < 0.6 && exchange) {
          const luck = random();
          if (luck < 0.15) exchange.fail(unreachable);
          else if (luck < 0.25) exchange.respond(503);
          else if (luck < 0.3) exchange.respond(500);
          else rig.respond(exchange);
        } else if (what < 0.65) rig.uploader.pause();
        else if (what < 0.75) rig.uploader.resume();
        else if (what < 0.8 && item) {
          expected.delete(item.record.name.replace('.jpg', ''));
          void rig.uploader.remove(item.record.id);
          await rig.clock.settle();
          rig.removed.add(item.record.id);
        } else if (what < 0.85) {
          await rig.start();
        } else await rig.clock.advance(random() * 5000);
        await rig.clock.settle();
      }
      rig.uploader.resume();
      const isDone = (): boolean => {
        const { waiting, uploading, failed } = rig.list.summary.get();
        return waiting + uploading + failed === 0;
      };
      for (let round = 0; round < 400 && !isDone(); round += 1) {
        for (const exchange of rig.network.open) rig.respond(exchange);
        await rig.clock.advance(2000);
      }
      expect({ seed, left: rig.phases().filter((text) => !text.endsWith('uploaded')) }).toEqual({
        seed,
        left: [],
      });
      const arrived = rig.arrived();
      expect(rig.sentThoughRemoved).toEqual([]);
      expect(new Set(arrived).size).toBe(arrived.length);
      for (const text of expected) expect(arrived).toContain(text);
      await rig.clock.advance(1_000);
      await rig.start();
      expect(rig.left).toBe(0);
    }),
    { numRuns: 40 },
  );
});
