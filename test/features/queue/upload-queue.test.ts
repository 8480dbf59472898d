import { beforeEach, describe, expect, it } from '@jest/globals';
import { NEVER_CANCELLED } from '../../../src/util/cancel.js';
import { CwError } from '../../../src/util/errors.js';
import { NO_CONTEXT, readRecord } from '../../../src/features/queue/photo-record.js';
import fc from '../../support/properties.js';
import { all, counted, finish, idOf, ListFixture, names } from './queue-fixture.js';

let fixture: ListFixture;

beforeEach(() => {
  fixture = new ListFixture();
});

describe('queuing a photo', () => {
  it('stores first its bytes, then its record, and then shows it', async () => {
    const list = await fixture.filled();
    fixture.storage.log.length = 0;
    const stored: number[] = [];
    list.summary.subscribe(() => stored.push(fixture.storage.records.size));
    await list.enqueue(fixture.photo('one.jpg'));
    const id = idOf(list, 'one.jpg');
    expect(fixture.storage.log).toEqual([`spool.copy ${id}`, `records.put ${id}`]);
    expect(stored).toEqual([1]);
    expect(all(list)).toEqual([
      {
        record: {
          id,
          owner: null,
          name: 'one.jpg',
          type: 'image/jpeg',
          size: 10,
          position: 0,
          priority: 0,
          queuedAt: fixture.clock.now(),
          uploadUrl: null,
          failure: null,
          ...NO_CONTEXT,
          replaces: null,
        },
        state: 'ready',
        phase: 'waiting',
        startOrder: null,
        sentBytes: 0,
        confirmedBytes: 0,
      },
    ]);
  });

  it.each([
    ['its bytes cannot be copied', 'spool.copy', 'CW-602'],
    ['its record cannot be written', 'records.put', 'CW-703'],
  ] as const)('leaves nothing of the photo when %s', async (_name, operation, code) => {
    const list = await fixture.filled();
    fixture.storage.fail(operation, new CwError(code, 'refused'), 1);
    await expect(list.enqueue(fixture.photo('one.jpg'))).rejects.toMatchObject({ code });
    expect(all(list)).toEqual([]);
    expect(fixture.storage.spool.size + fixture.storage.records.size).toBe(0);
    await list.enqueue(fixture.photo('two.jpg'));
    expect(names(await fixture.restarted())).toEqual(['two.jpg']);
  });

  it('finds a copy again that could not be deleted when its record was refused', async () => {
    const list = await fixture.filled();
    fixture.storage.fail('records.put', new CwError('CW-703', 'full'));
    fixture.storage.fail('spool.remove', new Error('locked'));
    await expect(list.enqueue(fixture.photo('one.jpg'))).rejects.toMatchObject({ code: 'CW-703' });
    expect(fixture.storage.spool.size).toBe(1);
    const after = await fixture.restarted();
    expect(all(after)).toEqual([]);
    expect(await after.store.findOrphans()).toHaveLength(1);
  });

  it('keeps the copy while storage refuses the record, and can add it later', async () => {
    const list = await fixture.filled();
    const copied = await list.store.copy(
      list.store.pick(fixture.photo('one.jpg')),
      NEVER_CANCELLED,
    );
    fixture.storage.fail('records.put', new CwError('CW-702', 'refused'), 1);
    await expect(list.add(copied)).rejects.toMatchObject({ code: 'CW-702' });
    expect(all(list)).toEqual([]);
    await list.add(copied);
    expect(names(await fixture.restarted())).toEqual(['one.jpg']);
  });

  it('refuses an empty photo with CW-601', async () => {
    const list = await fixture.filled();
    await expect(list.enqueue(fixture.photo('empty.jpg', 0))).rejects.toMatchObject({
      code: 'CW-601',
    });
    expect(all(list)).toEqual([]);
    expect(fixture.storage.spool.size + fixture.storage.records.size).toBe(0);
  });
});

describe('the order of uploads', () => {
  it('is the order of queuing, with interrupted photos first and failed ones last', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg', 'c.jpg');
    expect(list.takeNext()?.record.name).toBe('a.jpg');
    expect(list.takeNext()?.record.name).toBe('b.jpg');
    await list.fail(idOf(list, 'a.jpg'), 'CW-603');
    list.putBack(idOf(list, 'b.jpg'));
    await list.retry(idOf(list, 'a.jpg'));
    expect([1, 2, 3, 4].map(() => list.takeNext()?.record.name)).toEqual([
      'b.jpg',
      'c.jpg',
      'a.jpg',
      undefined,
    ]);
  });

  it('omits removed photos', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg');
    await list.remove([idOf(list, 'a.jpg')]);
    expect(list.takeNext()?.record.name).toBe('b.jpg');
    expect(list.takeNext()).toBeNull();
  });

  it('uploads a later version of a document after the earlier one, unless that has failed', async () => {
    const list = await fixture.filled();
    for (const name of ['first.psd', 'second.psd'])
      await list.enqueue({ ...fixture.photo(name), document: 'xmp.did:1' });
    await list.enqueue({ ...fixture.photo('other.psd'), document: 'xmp.did:2' });
    const [first, second] = [idOf(list, 'first.psd'), idOf(list, 'second.psd')];
    await list.makeNext(second);
    const next = (): string | undefined => list.takeNext()?.record.name;
    expect([next(), next(), next()]).toEqual(['first.psd', 'other.psd', undefined]);
    await list.fail(first, 'CW-603');
    expect(next()).toBe('second.psd');
    list.putBack(second);
    await list.retry(first);
    expect([next(), next()]).toEqual(['first.psd', undefined]);
    list.finish(first);
    expect([next(), next()]).toEqual(['second.psd', undefined]);
  });

  it('needs no second check for an upload that an earlier version interrupts', async () => {
    fixture = new ListFixture(true);
    const list = await fixture.filled();
    for (const name of ['first.psd', 'second.psd'])
      await list.enqueue({ ...fixture.photo(name), document: 'xmp.did:1' });
    const [first, second] = [idOf(list, 'first.psd'), idOf(list, 'second.psd')];
    await list.fail(first, 'CW-611');
    list.pass([second]);
    list.takeNext();
    list.putBack(second);
    await list.retry(first);
    list.recheckAll();
    expect([first, second].map((id) => list.get(id)?.state)).toEqual(['ready', 'after-version']);
  });

  it('is kept for photos interrupted together', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg', 'c.jpg');
    const taken = [list.takeNext(), list.takeNext(), list.takeNext()];
    for (const item of taken) list.putBack(item?.record.id ?? '');
    expect([1, 2, 3].map(() => list.takeNext()?.record.name)).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  });
});

describe('a change of a photo', () => {
  it('stores the upload URL, a failure and a retry', async () => {
    const list = await fixture.filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    const stored = (): unknown => readRecord(id, fixture.storage.records.get(id) ?? '');
    list.takeNext();
    await list.setUploadUrl(id, 'https://service.example/1');
    expect(stored()).toMatchObject({ uploadUrl: 'https://service.example/1', failure: null });
    await list.fail(id, 'CW-603');
    expect(stored()).toMatchObject({ failure: 'CW-603' });
    await list.retry(id);
    expect(stored()).toMatchObject({ failure: null, uploadUrl: 'https://service.example/1' });
  });

  it('stores that the upload restarted, and clears it when the user retries', async () => {
    const list = await fixture.filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    list.takeNext();
    await list.setUploadUrl(id, 'https://service.example/1');
    await list.startOver(id);
    const [found] = all(await fixture.restarted());
    expect(found?.record).toMatchObject({ uploadUrl: null, restarted: true });
    const second = await fixture.restarted();
    second.takeNext();
    await second.fail(id, 'CW-306');
    await second.retry(id);
    const [retried] = all(await fixture.restarted());
    expect(retried?.record.failure).toBeNull();
    expect(retried?.record).not.toHaveProperty('restarted');
  });

  it('reports a failed write of the upload URL, and writes it when it is set again', async () => {
    const list = await fixture.filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    fixture.storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    await expect(list.setUploadUrl(id, 'https://service.example/1')).rejects.toMatchObject({
      code: 'CW-703',
    });
    expect(list.get(id)?.record.uploadUrl).toBeNull();
    await list.setUploadUrl(id, 'https://service.example/1');
    expect(all(await fixture.restarted())[0]?.record.uploadUrl).toBe('https://service.example/1');
  });

  it('is not written when the upload URL is the same', async () => {
    const list = await fixture.filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    await list.setUploadUrl(id, 'https://service.example/1');
    const { length } = fixture.storage.log;
    await list.setUploadUrl(id, 'https://service.example/1');
    expect(fixture.storage.log).toHaveLength(length);
  });

  it('never restores a finished or removed photo', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg');
    const [a, b] = [idOf(list, 'a.jpg'), idOf(list, 'b.jpg')];
    list.takeNext();
    list.takeNext();
    await finish(list, a);
    await list.remove([b]);
    for (const id of [a, b]) {
      list.progress(id, 1, 1);
      await list.retry(id);
      await list.setUploadUrl(id, 'https://service.example/late');
    }
    const refusal = 'a photo that is uploaded does not accept';
    expect(() => {
      list.putBack(a);
    }).toThrow(`${refusal} interrupt`);
    await expect(list.fail(a, 'CW-603')).rejects.toThrow(`${refusal} fail`);
    list.putBack(b);
    await list.fail(b, 'CW-603');
    expect(list.takeNext()).toBeNull();
    expect(all(await fixture.restarted())).toEqual([]);
    expect(fixture.storage.records.size + fixture.storage.spool.size).toBe(0);
  });

  it('names uploaded photos in a note, then deletes their copies, then their records', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg', 'c.jpg');
    const [a, b, c] = [idOf(list, 'a.jpg'), idOf(list, 'b.jpg'), idOf(list, 'c.jpg')];
    for (const id of [a, b]) {
      list.takeNext();
      list.finish(id);
    }
    fixture.storage.fail('records.put', new CwError('CW-702', 'refused'), 1);
    await expect(list.store.clearUploaded()).rejects.toMatchObject({ code: 'CW-702' });
    expect(fixture.storage.spool.size).toBe(3);
    list.takeNext();
    list.finish(c);
    fixture.storage.log.length = 0;
    await list.store.clearUploaded();
    expect(fixture.storage.log.map((line) => line.replace(/uploaded-\w+/, 'note'))).toEqual([
      'records.put note',
      `spool.remove ${a} ${b} ${c}`,
      `records.remove ${a} ${b} ${c} note`,
    ]);
    expect(fixture.storage.records.size + fixture.storage.spool.size).toBe(0);
    await list.store.clearUploaded();
    expect(fixture.storage.log).toHaveLength(3);
  });

  it('shows what the service has confirmed, also when that is less than before', async () => {
    const list = await fixture.filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    list.takeNext();
    list.progress(id, 9, 6);
    list.progress(id, 7, 6);
    expect(list.get(id)).toMatchObject({ sentBytes: 7, confirmedBytes: 6 });
    list.progress(id, 4, 0);
    expect(list.get(id)).toMatchObject({ sentBytes: 4, confirmedBytes: 0 });
    list.progress(id, 7, 3);
    list.putBack(id);
    // The uploaded part is unknown until the next offset request.
    expect(list.get(id)).toMatchObject({ phase: 'waiting', sentBytes: 7, confirmedBytes: 3 });
    expect(list.summary.get()).toMatchObject({ waiting: 1, sentBytes: 7 });
  });

  it('hides uploaded photos and excludes them from the totals', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg');
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) {
      expect(list.takeNext()?.record.name).toBe(name);
    }
    list.finish(idOf(list, 'a.jpg'));
    list.progress(idOf(list, 'b.jpg'), 2, 1);
    await list.fail(idOf(list, 'c.jpg'), 'CW-604');
    const { totalBytes } = list.summary.get();
    const arrived = list.get(idOf(list, 'a.jpg'))?.record.size ?? 0;
    list.forgetUploaded();
    expect(list.slice(0, 10).map(({ record }) => record.name)).toEqual(['b.jpg', 'c.jpg', 'd.jpg']);
    expect(list.summary.get()).toEqual({
      waiting: 1,
      uploading: 1,
      uploaded: 0,
      failed: 1,
      totalBytes: totalBytes - arrived,
      sentBytes: 2,
    });
    // Its copy is still cleared away.
    await list.store.clearUploaded();
    await list.load();
    expect(list.summary.get().waiting).toBe(1);
  });

  it('counts the unsent photos of each owner, and reassigns them', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg', 'c.jpg');
    const [, b = '', c = ''] = names(list).map((name) => idOf(list, name));
    expect(list.owners).toEqual(new Map([[null, 3]]));
    await finish(list, list.takeNext()?.record.id ?? '');
    await list.setOwner(list.all, 'anna');
    list.takeNext();
    await list.fail(b, 'CW-604');
    expect(list.owners).toEqual(new Map([['anna', 2]]));
    await list.setOwner([c], 'ben');
    await list.remove([b]);
    expect(list.owners).toEqual(new Map([['ben', 1]]));
    await list.undoRemoval();
    expect(list.pendingOf((owner) => owner === 'anna')).toEqual([b]);
    const next = await fixture.restarted();
    expect(next.owners).toEqual(
      new Map([
        ['anna', 1],
        ['ben', 1],
      ]),
    );
  });

  it('shows the newest fifty uploaded photos, and counts them all', async () => {
    const list = await fixture.filled();
    for (let count = 0; count < 53; count += 1) {
      await list.enqueue(fixture.photo(`${count}.jpg`));
      await finish(list, list.takeNext()?.record.id ?? '');
    }
    expect(names(list)).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 3}.jpg`));
    expect(list.summary.get()).toMatchObject({ uploaded: 53, totalBytes: 530, sentBytes: 530 });
    expect(fixture.storage.records.size + fixture.storage.spool.size).toBe(0);
  });
});

describe('slices', () => {
  it('contain the requested number of photos from an index', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg');
    const slice = (start: number, count: number): string[] =>
      list.slice(start, count).map(({ record }) => record.name);
    expect(slice(0, 2)).toEqual(['a.jpg', 'b.jpg']);
    expect(slice(2, 5)).toEqual(['c.jpg', 'd.jpg']);
    expect(slice(4, 1)).toEqual([]);
    expect(slice(0, 0)).toEqual([]);
  });
});

type Command = readonly [
  (
    | 'enqueue'
    | 'take'
    | 'progress'
    | 'url'
    | 'putBack'
    | 'fail'
    | 'retry'
    | 'retryFailed'
    | 'finish'
    | 'remove'
    | 'removeAll'
    | 'undo'
    | 'clearUploaded'
    | 'restart'
  ),
  number,
];

const command: fc.Arbitrary<Command> = fc.tuple(
  fc.constantFrom(
    ...(['enqueue', 'enqueue', 'take', 'take', 'progress', 'url', 'putBack', 'fail'] as const),
    ...(['retry', 'retryFailed', 'finish', 'remove', 'removeAll', 'undo'] as const),
    ...(['clearUploaded', 'restart'] as const),
  ),
  fc.nat(1000),
);

it('counts correctly and stores complete entries for any order of events and failed writes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(command, fc.boolean()), { maxLength: 40 }),
      async (commands) => {
        fixture = new ListFixture();
        let list = await fixture.filled();
        for (const [[what, number], fails] of commands) {
          const items = all(list);
          const item = items[number % Math.max(1, items.length)];
          const id = item?.record.id ?? 'none';
          const isOfUpload = what === 'finish' || what === 'putBack' || what === 'fail';
          if (isOfUpload && item && item.state !== 'uploading') continue;
          if (fails && number % 3 === 0)
            fixture.storage.fail('records.put', new CwError('CW-703', 'full'), 1);
          const change = {
            enqueue: () => list.enqueue(fixture.photo(`${number}.jpg`, (number % 50) + 1)),
            take: async () => {
              list.takeNext();
              await Promise.resolve();
            },
            progress: async () => {
              list.progress(id, number % 50, number % 20);
              await Promise.resolve();
            },
            url: () => list.setUploadUrl(id, `https://service.example/${number}`),
            putBack: async () => {
              list.putBack(id);
              await Promise.resolve();
            },
            fail: () => list.fail(id, 'CW-603'),
            retry: () => list.retry(id),
            retryFailed: () => list.retryFailed('CW-603'),
            finish: () => finish(list, id),
            remove: () => list.remove([id]),
            removeAll: () => list.remove(list.all),
            undo: () => list.undoRemoval(),
            clearUploaded: async () => {
              list.forgetUploaded();
              await list.store.clearUploaded();
            },
            restart: async () => {
              list = await fixture.restarted();
            },
          }[what];
          await change().catch((error: unknown) => {
            if (!(error instanceof CwError)) throw error;
          });
          fixture.storage.heal();
          expect(list.summary.get()).toEqual(counted(list));
          await fixture.expectWholeEntries(list);
        }
        // Everything not uploaded and not removed is still to be uploaded: nothing waits unseen.
        const pending = all(list).filter(({ phase }) => phase !== 'uploaded');
        const kept = fixture.photoKeys();
        for (const { record } of pending) expect(kept).toContain(record.id);
        const waiting = pending
          .filter(({ phase }) => phase === 'waiting')
          .map(({ record }) => record.id);
        const taken: string[] = [];
        for (let next = list.takeNext(); next; next = list.takeNext()) taken.push(next.record.id);
        expect(taken.sort()).toEqual(waiting.sort());
      },
    ),
    { numRuns: 150 },
  );
});
