import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import fc from '../../support/properties.js';
import { seededRandom } from '../../support/seeded-random.js';
import { ENDPOINT, UploadFixture } from '../fixture.js';

const unreachable = new CwError('CW-301', 'unreachable');

let fixture: UploadFixture;

beforeEach(async () => {
  fixture = new UploadFixture();
  await fixture.start();
});

describe('uploading', () => {
  it('brings every photo to the service, byte for byte, and leaves nothing behind', async () => {
    await fixture.queue('one', 'a photo of several chunks', 'three');
    await fixture.finishAll();
    expect(fixture.phases()).toEqual([
      'one uploaded',
      'a photo of several chunks uploaded',
      'three uploaded',
    ]);
    expect(fixture.arrived()).toEqual(['one', 'a photo of several chunks', 'three']);
    expect(fixture.left).toBe(0);
    expect(fixture.clock.pending).toBe(0);
  });

  it('prepares one photo more where copies are streamed, and starts it when a slot is free', async () => {
    await fixture.start({ concurrency: 3, isStreamed: true });
    await fixture.queue('a', 'b', 'c', 'd', 'e');
    expect(fixture.phases().slice(3)).toEqual(['d uploading', 'e waiting']);
    expect(fixture.network.open).toHaveLength(3);
    fixture.storage.log.length = 0;
    const [first] = fixture.network.open;
    if (first) fixture.respond(first);
    await fixture.clock.settle();
    expect(fixture.network.open).toHaveLength(3);
    expect(fixture.storage.log).not.toContain(`spool.open ${fixture.idOf('d')}`);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('prepares small photos in groups where copies are streamed', async () => {
    const texts = Array.from({ length: 16 }, (_, index) => index.toString(16));
    const uploading = (): number =>
      fixture.phases().filter((phase) => phase.endsWith(' uploading')).length;
    const finishFirst = async (): Promise<void> => {
      const [first] = fixture.network.open;
      if (first) fixture.respond(first);
      await fixture.clock.settle();
    };
    await fixture.start({ concurrency: 3, isStreamed: true });
    await fixture.queue(...texts);
    expect(uploading()).toBe(4);
    await finishFirst();
    // Three are sent, and six wait for their turn.
    expect(uploading()).toBe(9);
    for (let count = 8; count >= 4; count -= 1) {
      await finishFirst();
      expect(uploading()).toBe(count);
    }
    await finishFirst();
    expect(uploading()).toBe(9);
    expect(fixture.network.open).toHaveLength(3);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(texts);
  });

  it('prepares one large photo where copies are streamed', async () => {
    const texts = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => text.repeat(25));
    await fixture.start({ concurrency: 3, isStreamed: true });
    await fixture.queue(...texts);
    while (fixture.arrived().length === 0) {
      const [first] = fixture.network.open;
      if (first) fixture.respond(first);
      await fixture.clock.settle();
    }
    expect(fixture.phases().filter((phase) => phase.endsWith(' uploading'))).toHaveLength(4);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(texts);
  });

  it('cleans up photos uploaded within half a second in one step, and the last at once', async () => {
    await fixture.queue('a', 'b', 'c', 'd', 'e');
    const removals = (): string[] =>
      fixture.storage.log
        .filter((line) => /^records\.remove (?!adding-)/.test(line))
        .map((line) => line.replace(/ uploaded-\w+/, ''));
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((text) => fixture.idOf(text));
    for (const exchange of fixture.network.open.slice(0, 2)) fixture.respond(exchange);
    await fixture.clock.advance(499);
    expect(removals()).toEqual([]);
    await fixture.clock.advance(1);
    expect(removals()).toEqual([`records.remove ${a} ${b}`]);
    expect([...fixture.storage.spool.keys()]).toEqual([c, d, e]);
    await fixture.finishAll();
    expect(removals()).toEqual([`records.remove ${a} ${b}`, `records.remove ${c} ${d} ${e}`]);
    expect(fixture.left).toBe(0);
    expect(fixture.clock.pending).toBe(0);
  });

  it('never exceeds its concurrency, and uploads photos in order', async () => {
    await fixture.start({ concurrency: 3 });
    await fixture.queue('a', 'b', 'c', 'd', 'e');
    expect(fixture.phases()).toEqual([
      'a uploading',
      'b uploading',
      'c uploading',
      'd waiting',
      'e waiting',
    ]);
    expect(fixture.network.open).toHaveLength(3);
    const [first] = fixture.network.open;
    if (first) fixture.respond(first);
    await fixture.clock.settle();
    expect(fixture.phases()).toEqual([
      'a uploaded',
      'b uploading',
      'c uploading',
      'd uploading',
      'e waiting',
    ]);
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it.each([
    { photos: 'small', texts: ['a', 'b', 'c', 'd', 'e', 'f'], most: 5 },
    {
      photos: 'large',
      texts: ['a', 'b', 'c', 'd', 'e'].map((text) => text.repeat(25)),
      most: 3,
    },
    // Two large ones leave room for one more photo of any size.
    { photos: 'mixed', texts: ['a'.repeat(25), 'b'.repeat(25), 'c', 'd', 'e'], most: 3 },
  ])('uploads $most $photos photos at once', async ({ texts, most }) => {
    await fixture.start({ concurrency: 3, smallConcurrency: 5 });
    await fixture.queue(...texts);
    const underWay = fixture.phases().filter((phase) => phase.endsWith(' uploading'));
    expect(underWay).toHaveLength(most);
    await fixture.finishAll();
    expect(fixture.arrived()).toHaveLength(texts.length);
  });

  it('starts the next upload before the previous one is cleaned up', async () => {
    await fixture.start({ concurrency: 1 });
    await fixture.queue('one', 'two');
    const [first] = fixture.network.open;
    if (!first) throw new Error('nothing is on the wire');
    // The disk answers nothing any more.
    fixture.storage.dieAfter(0);
    fixture.respond(first);
    await fixture.clock.settle();
    expect(fixture.phases()).toEqual(['one uploaded', 'two uploading']);
  });

  it('waits for a session', async () => {
    fixture.account = null;
    await fixture.queue('a');
    expect(fixture.phases()).toEqual(['a waiting']);
    expect(fixture.network.exchanges).toHaveLength(0);
    fixture.account = 'anna';
    fixture.uploads.onSignedIn();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
  });

  it('reports the progress of each photo', async () => {
    await fixture.queue('twenty bytes of text');
    fixture.network.only.request.onUploadProgress?.(7);
    expect(fixture.list.get(fixture.idOf('twenty bytes of text'))).toMatchObject({
      sentBytes: 7,
      confirmedBytes: 0,
    });
    fixture.respond(fixture.network.only);
    await fixture.clock.settle();
    expect(fixture.list.get(fixture.idOf('twenty bytes of text'))).toMatchObject({
      sentBytes: 10,
      confirmedBytes: 10,
    });
  });

  it('resumes after a restart without resending a confirmed byte', async () => {
    await fixture.queue('a photo of several chunks');
    fixture.respond(fixture.network.only);
    await fixture.clock.settle();
    fixture.respond(fixture.network.only);
    await fixture.clock.settle();
    const before = fixture.service.uploadsOf('anna').get(`${ENDPOINT}/u-1`)?.bytes.length;
    expect(before).toBe(20);
    await fixture.start();
    await fixture.clock.settle();
    expect(fixture.network.only.request.method).toBe('HEAD');
    await fixture.finishAll();
    expect(fixture.network.exchanges.map(({ request }) => request.method)).toEqual([
      'HEAD',
      'PATCH',
    ]);
    expect(fixture.arrived()).toEqual(['a photo of several chunks']);
  });
});

describe('a photo that cannot be uploaded', () => {
  it('fails with its reason while others continue, and restarts on retry', async () => {
    await fixture.queue('a', 'b');
    fixture.network.open[0]?.respond(415, { 'Tus-Resumable': '1.0.0' });
    await fixture.finishAll();
    expect(fixture.phases()).toEqual(['a failed', 'b uploaded']);
    expect(fixture.list.get(fixture.idOf('a'))?.record.failure).toBe('CW-605');
    await fixture.uploads.retry(fixture.idOf('a'));
    await fixture.finishAll();
    expect(fixture.phases()).toEqual(['b uploaded', 'a uploaded']);
    expect(fixture.arrived().sort()).toEqual(['a', 'b']);
  });

  it('stays failed after a restart, and is retried with all others that failed', async () => {
    await fixture.queue('a', 'b');
    for (const exchange of fixture.network.open)
      exchange.respond(415, { 'Tus-Resumable': '1.0.0' });
    await fixture.clock.settle();
    await fixture.start();
    await fixture.clock.settle();
    expect(fixture.phases()).toEqual(['a failed', 'b failed']);
    expect(fixture.network.exchanges).toHaveLength(0);
    await fixture.uploads.retryFailed('CW-605');
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(['a', 'b']);
  });

  it('fails with CW-607 when its copy is missing', async () => {
    fixture.uploads.pause();
    await fixture.queue('a', 'b');
    fixture.storage.spool.delete(fixture.idOf('a'));
    fixture.uploads.resume();
    await fixture.finishAll();
    expect(fixture.phases()).toEqual(['a failed', 'b uploaded']);
    expect(fixture.list.get(fixture.idOf('a'))?.record.failure).toBe('CW-607');
  });
});

describe('the end of the session', () => {
  it('requeues photos instead of failing them, and continues after a new sign-in', async () => {
    await fixture.queue('a photo of several chunks', 'b');
    const [first, second] = fixture.network.open;
    if (first) fixture.respond(first);
    second?.respond(401);
    await fixture.clock.settle();
    fixture.account = null;
    await fixture.clock.advance(500);
    fixture.network.open
      .find(({ request }) => request.url.endsWith('/token'))
      ?.respond(400, {}, { error: 'invalid_grant' });
    await fixture.clock.settle();
    fixture.uploads.onSessionEnded();
    await fixture.clock.settle();
    expect(fixture.phases().map((text) => text.split(' ').at(-1))).toEqual(['waiting', 'waiting']);
    expect(fixture.network.open).toHaveLength(0);
    await fixture.clock.advance(600_000);
    expect(fixture.network.open).toHaveLength(0);

    fixture.account = 'anna';
    await fixture.start();
    await fixture.finishAll();
    expect(fixture.arrived().sort()).toEqual(['a photo of several chunks', 'b']);
  });
});

describe('a storage error', () => {
  it('is shown while it lasts, and does not stop uploads', async () => {
    await fixture.queue('a', 'b');
    fixture.storage.fail('records.put', new CwError('CW-703', 'full'));
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a', 'b']);
    expect(fixture.uploads.state.get().storageError).toMatchObject({ code: 'CW-703' });
    fixture.storage.heal();
    await fixture.queue('c');
    await fixture.finishAll();
    expect(fixture.uploads.state.get().storageError).toBeNull();
  });

  it('that blocks reading the queue changes nothing in storage; photos added then are uploaded later', async () => {
    await fixture.queue('a');
    await fixture.start({ restores: false });
    fixture.storage.fail('records.load', new CwError('CW-702', 'unreadable'));
    const restoring = fixture.uploads.restore();
    const adding = fixture.uploads.addPhotos([fixture.photo('b')]);
    await fixture.clock.advance(600_000);
    expect(fixture.uploads.state.get()).toMatchObject({
      isUnread: true,
      storageError: { code: 'CW-702' },
    });
    expect(fixture.storage.spool.size).toBe(2);
    expect([...fixture.storage.records.keys()]).toHaveLength(2);
    expect(fixture.network.exchanges).toEqual([]);
    fixture.storage.heal();
    fixture.uploads.retryStorage();
    await restoring;
    await adding;
    expect(fixture.uploads.state.get()).toMatchObject({ isUnread: false, storageError: null });
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a', 'b']);
  });

  it('restores photos, with their names, that a kill kept out of the queue', async () => {
    for (let steps = 1; steps < 6; steps += 1) {
      fixture = new UploadFixture();
      await fixture.start();
      fixture.storage.dieAfter(steps);
      void fixture.uploads.addPhotos([fixture.photo('a'), fixture.photo('b')]);
      await fixture.clock.settle();
      const copies = fixture.storage.spool.size;
      await fixture.start();
      expect(fixture.uploads.state.get().orphans).toBe(0);
      expect(fixture.uploads.state.get().notAdded).toEqual(['a.jpg', 'b.jpg'].slice(copies));
      await fixture.uploads.dismissNotAdded();
      expect(
        fixture.list
          .slice(0, 9)
          .map(({ record }) => record.name)
          .toSorted(),
      ).toEqual(['a.jpg', 'b.jpg'].slice(0, copies));
      await fixture.finishAll();
      await fixture.clock.settle();
      expect([...fixture.storage.records.keys()]).toEqual(['last-account']);
    }
  });

  it('keeps the copy of a found photo when Cancel is pressed or the disk is full', async () => {
    fixture.storage.spool.set('f0', new Uint8Array(Buffer.from('lost')));
    await fixture.start();
    fixture.storage.fail('records.put', new CwError('CW-703', 'full'));
    const adding = fixture.uploads.answerOrphans(true);
    fixture.uploads.importer.cancel();
    await adding;
    expect(fixture.storage.spool.has('f0')).toBe(true);
    await fixture.start();
    expect(fixture.uploads.state.get().orphans).toBe(1);
  });

  it('offers a photo without a record to the user, to upload or remove', async () => {
    for (const isSent of [true, false]) {
      fixture = new UploadFixture();
      fixture.storage.spool.set('f0', new Uint8Array(Buffer.from('lost')));
      await fixture.start();
      expect(fixture.uploads.state.get().orphans).toBe(1);
      await fixture.uploads.answerOrphans(isSent);
      await fixture.finishAll();
      expect(fixture.arrived()).toEqual(isSent ? ['lost'] : []);
      expect(fixture.uploads.state.get()).toMatchObject({
        orphans: 0,
        removal: isSent ? null : { photos: 1 },
      });
      if (isSent) continue;
      await fixture.uploads.undoRemoval();
      await fixture.finishAll();
      expect(fixture.arrived()).toEqual(['lost']);
    }
  });

  it('sends nothing twice after a restart when the end of an upload was not stored', async () => {
    await fixture.queue('a');
    fixture.storage.fail('records.remove', new CwError('CW-702', 'refused'));
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
    await fixture.start();
    await fixture.finishAll();
    expect(fixture.arrived()).toEqual(['a']);
    expect(fixture.phases()).toEqual([]);
    expect(fixture.left).toBe(0);
  });
});

describe('a second plugin instance on the same storage', () => {
  it('takes over the queue: the first stops sending, reports it, and changes nothing', async () => {
    await fixture.queue('a photo of two chunks', 'b', 'c');
    const { uploads: first, network: firstNetwork } = fixture;
    await fixture.start();
    await fixture.clock.settle();
    // After any failure the first instance checks whether it still owns the queue.
    for (const exchange of firstNetwork.open) exchange.respond(500);
    await fixture.clock.advance(5_000);
    expect(firstNetwork.open).toEqual([]);
    expect(first.state.get().storageError).toMatchObject({ code: 'CW-704' });
    await first.addPhotos([fixture.photo('too late')]);
    expect(first.state.get().rejected).toMatchObject([{ error: { code: 'CW-704' } }]);
    first.resume();
    await fixture.clock.settle();
    expect(firstNetwork.open).toEqual([]);
    await fixture.finishAll();
    expect([...fixture.arrived()].sort()).toEqual(['a photo of two chunks', 'b', 'c']);
    expect([...fixture.storage.records.keys()]).toEqual(['last-account']);
  });

  it.each([
    { what: 'plain tus', more: {} },
    { what: 'with versions', more: { photoVersions: true } },
  ])('lets the first begin no upload at a service: $what', async ({ more }) => {
    fixture.more = more;
    await fixture.start();
    fixture.uploads.pause();
    await fixture.queue('a');
    const { uploads: first, network: firstNetwork } = fixture;
    await fixture.start();
    first.resume();
    await fixture.clock.advance(5_000);
    expect(firstNetwork.exchanges).toHaveLength(0);
    expect(first.state.get().storageError).toMatchObject({ code: 'CW-704' });
  });
});

it('uploads every photo that is not removed exactly once, for any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
      const random = seededRandom(seed);
      fixture = new UploadFixture();
      await fixture.start();
      const expected = new Set<string>();
      for (let step = 0; step < 50; step += 1) {
        const what = random();
        const exchange = fixture.network.open[Math.floor(random() * fixture.network.open.length)];
        const items = fixture.list.slice(0, 100).filter(({ phase }) => phase !== 'uploaded');
        const item = items[Math.floor(random() * items.length)];
        if (what < 0.15) {
          const text = `photo ${step} ${'x'.repeat(Math.floor(random() * 25))}`;
          expected.add(text);
          await fixture.queue(text);
        } else if (what < 0.6 && exchange) {
          const luck = random();
          if (luck < 0.15) exchange.fail(unreachable);
          else if (luck < 0.25) exchange.respond(503);
          else if (luck < 0.3) exchange.respond(500);
          else fixture.respond(exchange);
        } else if (what < 0.65) fixture.uploads.pause();
        else if (what < 0.75) fixture.uploads.resume();
        else if (what < 0.8 && item) {
          expected.delete(item.record.name.replace('.jpg', ''));
          void fixture.uploads.remove(item.record.id);
          await fixture.clock.settle();
          fixture.removed.add(item.record.id);
        } else if (what < 0.85) {
          await fixture.start();
        } else await fixture.clock.advance(random() * 5000);
        await fixture.clock.settle();
      }
      fixture.uploads.resume();
      const isDone = (): boolean => {
        const { waiting, uploading, failed } = fixture.list.summary.get();
        return waiting + uploading + failed === 0;
      };
      for (let round = 0; round < 400 && !isDone(); round += 1) {
        for (const exchange of fixture.network.open) fixture.respond(exchange);
        await fixture.clock.advance(2000);
      }
      expect({ seed, left: fixture.phases().filter((text) => !text.endsWith('uploaded')) }).toEqual(
        {
          seed,
          left: [],
        },
      );
      const arrived = fixture.arrived();
      expect(fixture.sentThoughRemoved).toEqual([]);
      expect(new Set(arrived).size).toBe(arrived.length);
      for (const text of expected) expect(arrived).toContain(text);
      await fixture.clock.advance(1_000);
      await fixture.start();
      expect(fixture.left).toBe(0);
    }),
    { numRuns: 40 },
  );
});
