import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CwError } from '../../src/base/errors.js';
import { randomId } from '../../src/base/random-id.js';
import type { UploadItem, UploadSummary } from '../../src/uploads/upload-item.js';
import { UploadList } from '../../src/uploads/upload-list.js';
import { readRecord } from '../../src/uploads/photo-record.js';
import { FakeClock } from '../support/fake-clock.js';
import { memoryPhoto, memoryRecords, memorySpool, MemoryStorage } from '../support/memory-host.js';
import { seededBytes } from '../support/seeded-random.js';

let storage: MemoryStorage;
let clock: FakeClock;
let runs: number;

beforeEach(() => {
  storage = new MemoryStorage();
  clock = new FakeClock();
  runs = 0;
});

/** A list over the storage as it is: the first is a first start, each further one a restart. */
function newList(): UploadList {
  storage.heal();
  runs += 1;
  const bytes = seededBytes(runs);
  return new UploadList({
    records: memoryRecords(storage),
    spool: memorySpool(storage),
    now: () => clock.now(),
    newId: () => randomId(bytes),
  });
}

async function restarted(): Promise<UploadList> {
  const list = newList();
  await list.load();
  await list.clearRemoved();
  await list.clearLeftovers();
  return list;
}

function photo(name: string, size = 10): ReturnType<typeof memoryPhoto> {
  return memoryPhoto(storage, name, new Uint8Array(size).fill(7));
}

function all(list: UploadList): readonly UploadItem[] {
  return list.slice(0, Number.MAX_SAFE_INTEGER);
}

function names(list: UploadList): string[] {
  return all(list).map((item) => item.record.name);
}

async function filled(...photoNames: string[]): Promise<UploadList> {
  const list = newList();
  for (const name of photoNames) await list.enqueue(photo(name));
  return list;
}

function idOf(list: UploadList, name: string): string {
  const item = all(list).find(({ record }) => record.name === name);
  if (!item) throw new Error(`${name} is not in the list`);
  return item.record.id;
}

/** What the summary must be, counted anew. */
function counted(list: UploadList): UploadSummary {
  const summary = { waiting: 0, uploading: 0, uploaded: 0, failed: 0, totalBytes: 0, sentBytes: 0 };
  for (const item of all(list)) {
    summary[item.phase] += 1;
    summary.totalBytes += item.record.size;
    summary.sentBytes += item.sentBytes;
  }
  return summary;
}

/** Keys of photos' records; notes of removals have other keys. */
function photoKeys(): string[] {
  return [...storage.records.keys()].filter((key) => !key.startsWith('removal-')).sort();
}

/** Storage holds whole entries only: each record has its copy, each copy its record. */
function expectWholeEntries(): void {
  expect(photoKeys()).toEqual([...storage.spool.keys()].sort());
}

describe('queuing a photo', () => {
  it('stores first its bytes, then its record, and then shows it', async () => {
    const list = newList();
    const stored: number[] = [];
    list.summary.subscribe(() => stored.push(storage.records.size));
    await list.enqueue(photo('one.jpg'));
    const id = idOf(list, 'one.jpg');
    expect(storage.log).toEqual([`spool.copy ${id}`, `records.put ${id}`]);
    expect(stored).toEqual([1]);
    expect(all(list)).toEqual([
      {
        record: {
          id,
          name: 'one.jpg',
          type: 'image/jpeg',
          size: 10,
          position: 0,
          priority: 0,
          queuedAt: clock.now(),
          uploadUrl: null,
          failure: null,
        },
        phase: 'waiting',
        sentBytes: 0,
        confirmedBytes: 0,
      },
    ]);
  });

  it.each([
    ['its bytes cannot be copied', 'spool.copy', 'CW-602'],
    ['its record cannot be written', 'records.put', 'CW-703'],
  ] as const)('leaves nothing of it when %s', async (_name, operation, code) => {
    const list = newList();
    storage.fail(operation, new CwError(code, 'refused'), 1);
    await expect(list.enqueue(photo('one.jpg'))).rejects.toMatchObject({ code });
    expect(all(list)).toEqual([]);
    expect(storage.spool.size + storage.records.size).toBe(0);
    await list.enqueue(photo('two.jpg'));
    expect(names(await restarted())).toEqual(['two.jpg']);
  });

  it('leaves nothing of it in sight when even clearing up fails, and clears up at the next start', async () => {
    const list = newList();
    storage.fail('records.put', new CwError('CW-703', 'full'));
    storage.fail('spool.remove', new Error('locked'));
    await expect(list.enqueue(photo('one.jpg'))).rejects.toMatchObject({ code: 'CW-703' });
    expect(storage.spool.size).toBe(1);
    expect(all(await restarted())).toEqual([]);
    expect(storage.spool.size).toBe(0);
  });

  it('refuses an empty photo with CW-601', async () => {
    const list = newList();
    await expect(list.enqueue(photo('empty.jpg', 0))).rejects.toMatchObject({ code: 'CW-601' });
    expect(all(list)).toEqual([]);
    expect(storage.spool.size + storage.records.size).toBe(0);
  });
});

async function finish(list: UploadList, id: string): Promise<void> {
  list.finish(id);
  await list.clearFinished();
}

/** Every way a photo moves, for a plugin that dies after each single step of it. */
const moves: readonly (readonly [
  string,
  (list: UploadList) => Promise<void>,
  readonly string[][],
])[] = [
  [
    'queued',
    (list) => list.enqueue(photo('new.jpg')),
    [
      ['a', 'b'],
      ['a', 'b', 'new'],
    ],
  ],
  ['finished', (list) => finish(list, idOf(list, 'a.jpg')), [['a', 'b'], ['b']]],
  ['removed', (list) => list.remove([idOf(list, 'b.jpg')]), [['a', 'b'], ['a']]],
  ['failed', (list) => list.fail(idOf(list, 'a.jpg'), 'CW-603'), [['a', 'b']]],
  [
    'told its address',
    (list) => list.setUploadUrl(idOf(list, 'a.jpg'), 'https://s.example/1'),
    [['a', 'b']],
  ],
];

describe.each(moves)('a plugin that dies while a photo is %s', (_name, move, allowed) => {
  it('after any step finds whole entries only, and nothing else changed', async () => {
    const seen = new Set<string>();
    for (let steps = 0; steps < 4; steps += 1) {
      storage = new MemoryStorage();
      const list = await filled('a.jpg', 'b.jpg');
      list.takeNext();
      storage.dieAfter(steps);
      void move(list);
      await clock.settle();
      const after = await restarted();
      expectWholeEntries();
      const found = names(after).map((name) => name.replace('.jpg', ''));
      expect(allowed).toContainEqual(found);
      seen.add(found.join());
      expect(after.summary.get()).toEqual(counted(after));
      expect(after.summary.get().uploading).toBe(0);
    }
    expect(seen.size).toBe(allowed.length);
  });
});

describe('a restart', () => {
  it('brings back every photo in its order, with its failure and its address', async () => {
    const list = await filled('a.jpg', 'b.jpg', 'c.jpg');
    await list.setUploadUrl(idOf(list, 'b.jpg'), 'https://service.example/api/v1/uploads/1');
    list.takeNext();
    await list.fail(idOf(list, 'a.jpg'), 'CW-605');
    list.takeNext();
    list.progress(idOf(list, 'b.jpg'), 8, 5);
    const before = all(list);
    // Storage keeps no order of its own.
    const records = [...storage.records].reverse();
    storage.records.clear();
    for (const [id, text] of records) storage.records.set(id, text);

    const after = await restarted();
    expect(all(after).map(({ record }) => record)).toEqual(before.map(({ record }) => record));
    expect(all(after).map(({ phase }) => phase)).toEqual(['failed', 'waiting', 'waiting']);
    expect(all(after).map(({ sentBytes }) => sentBytes)).toEqual([0, 0, 0]);
    expect(after.summary.get()).toEqual(counted(after));
    expect(after.takeNext()?.record.name).toBe('b.jpg');
  });

  it('puts later photos behind those it brought back', async () => {
    await filled('a.jpg', 'b.jpg');
    const second = await restarted();
    await second.enqueue(photo('c.jpg'));
    expect(names(await restarted())).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  });

  it('clears away copies that belong to no record, and only those', async () => {
    await filled('a.jpg');
    storage.spool.set('orphan', new Uint8Array(5));
    const after = await restarted();
    expect(names(after)).toEqual(['a.jpg']);
    expectWholeEntries();
  });

  it('goes on when an orphan cannot be cleared away', async () => {
    await filled('a.jpg');
    storage.spool.set('orphan', new Uint8Array(5));
    const list = newList();
    storage.fail('spool.remove', new Error('locked'));
    await list.load();
    await list.clearLeftovers();
    expect(names(list)).toEqual(['a.jpg']);
  });

  it('passes over a record it cannot read, and keeps its copy: a later version may know better', async () => {
    await filled('a.jpg');
    storage.records.set('strange', '{"version":2}');
    storage.spool.set('strange', new Uint8Array(5));
    const after = await restarted();
    expect(names(after)).toEqual(['a.jpg']);
    expect(storage.records.has('strange')).toBe(true);
    expect(storage.spool.has('strange')).toBe(true);
  });

  it('says so when the records cannot be read, and touches no copy', async () => {
    await filled('a.jpg');
    const list = newList();
    storage.fail('records.load', new CwError('CW-702', 'unreadable'));
    await expect(list.load()).rejects.toMatchObject({ code: 'CW-702' });
    expect(storage.spool.size).toBe(1);
    storage.heal();
    await list.load();
    expect(names(list)).toEqual(['a.jpg']);
  });

  it('shows nothing twice when it is loaded again', async () => {
    const list = await filled('a.jpg');
    await list.load();
    expect(names(list)).toEqual(['a.jpg']);
    expect(list.summary.get()).toEqual(counted(list));
  });
});

describe('the order of uploads', () => {
  it('is the order of queuing; what was interrupted comes first, what failed last', async () => {
    const list = await filled('a.jpg', 'b.jpg', 'c.jpg');
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

  it('leaves out what was removed', async () => {
    const list = await filled('a.jpg', 'b.jpg');
    await list.remove([idOf(list, 'a.jpg')]);
    expect(list.takeNext()?.record.name).toBe('b.jpg');
    expect(list.takeNext()).toBeNull();
  });

  it('is kept for all that were interrupted together', async () => {
    const list = await filled('a.jpg', 'b.jpg', 'c.jpg');
    const taken = [list.takeNext(), list.takeNext(), list.takeNext()];
    for (const item of taken) list.putBack(item?.record.id ?? '');
    expect([1, 2, 3].map(() => list.takeNext()?.record.name)).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  });
});

describe('a change of a photo', () => {
  it('is in storage: address, failure, retry', async () => {
    const list = await filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    const stored = (): unknown => readRecord(id, storage.records.get(id) ?? '');
    list.takeNext();
    await list.setUploadUrl(id, 'https://service.example/1');
    expect(stored()).toMatchObject({ uploadUrl: 'https://service.example/1', failure: null });
    await list.fail(id, 'CW-606');
    expect(stored()).toMatchObject({ failure: 'CW-606' });
    await list.retry(id);
    expect(stored()).toMatchObject({ failure: null, uploadUrl: 'https://service.example/1' });
  });

  it('is in storage: that the upload is begun anew; as if it never was when the person tries again', async () => {
    const list = await filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    list.takeNext();
    await list.setUploadUrl(id, 'https://service.example/1');
    await list.startOver(id);
    const [found] = all(await restarted());
    expect(found?.record).toMatchObject({ uploadUrl: null, startedOver: true });
    const second = await restarted();
    second.takeNext();
    await second.fail(id, 'CW-306');
    await second.retry(id);
    const [retried] = all(await restarted());
    expect(retried?.record.failure).toBeNull();
    expect(retried?.record).not.toHaveProperty('startedOver');
  });

  it('that cannot be written tells so, and is written when it is told again: address', async () => {
    const list = await filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    await expect(list.setUploadUrl(id, 'https://service.example/1')).rejects.toMatchObject({
      code: 'CW-703',
    });
    expect(list.get(id)?.record.uploadUrl).toBeNull();
    await list.setUploadUrl(id, 'https://service.example/1');
    expect(all(await restarted())[0]?.record.uploadUrl).toBe('https://service.example/1');
  });

  it('is not written when the address is the same', async () => {
    const list = await filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    await list.setUploadUrl(id, 'https://service.example/1');
    const { length } = storage.log;
    await list.setUploadUrl(id, 'https://service.example/1');
    expect(storage.log).toHaveLength(length);
  });

  it('never brings back what is finished or removed', async () => {
    const list = await filled('a.jpg', 'b.jpg');
    const [a, b] = [idOf(list, 'a.jpg'), idOf(list, 'b.jpg')];
    list.takeNext();
    list.takeNext();
    await finish(list, a);
    await list.remove([b]);
    for (const id of [a, b]) {
      list.progress(id, 1, 1);
      list.putBack(id);
      await list.retry(id);
      await list.setUploadUrl(id, 'https://service.example/late');
      await list.fail(id, 'CW-603');
    }
    expect(list.takeNext()).toBeNull();
    expect(all(await restarted())).toEqual([]);
    expect(storage.records.size + storage.spool.size).toBe(0);
  });

  it('clears photos that arrived away in one step, and again when that failed', async () => {
    const list = await filled('a.jpg', 'b.jpg', 'c.jpg');
    const [a, b, c] = [idOf(list, 'a.jpg'), idOf(list, 'b.jpg'), idOf(list, 'c.jpg')];
    for (const id of [a, b]) {
      list.takeNext();
      list.finish(id);
    }
    storage.fail('records.remove', new CwError('CW-702', 'refused'), 1);
    await expect(list.clearFinished()).rejects.toMatchObject({ code: 'CW-702' });
    // A record whose copy is gone would be a photo lost.
    expect(storage.spool.size).toBe(3);
    list.takeNext();
    list.finish(c);
    storage.log.length = 0;
    await list.clearFinished();
    expect(storage.log).toEqual([`records.remove ${a} ${b} ${c}`, `spool.remove ${a} ${b} ${c}`]);
    expect(storage.records.size + storage.spool.size).toBe(0);
    await list.clearFinished();
    expect(storage.log).toHaveLength(2);
  });

  it('shows what the service has confirmed, also when that is less than before', async () => {
    const list = await filled('a.jpg');
    const id = idOf(list, 'a.jpg');
    list.takeNext();
    list.progress(id, 9, 6);
    list.progress(id, 7, 6);
    expect(list.get(id)).toMatchObject({ sentBytes: 7, confirmedBytes: 6 });
    list.progress(id, 4, 0);
    expect(list.get(id)).toMatchObject({ sentBytes: 4, confirmedBytes: 0 });
    list.progress(id, 7, 3);
    list.putBack(id);
    // How much of it arrived is not known before the service is asked again.
    expect(list.get(id)).toMatchObject({ phase: 'waiting', sentBytes: 7, confirmedBytes: 3 });
    expect(list.summary.get()).toMatchObject({ waiting: 1, sentBytes: 7 });
  });

  it('takes what has arrived out of sight and out of the sums, and nothing else', async () => {
    const list = await filled('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg');
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) {
      expect(list.takeNext()?.record.name).toBe(name);
    }
    list.finish(idOf(list, 'a.jpg'));
    list.progress(idOf(list, 'b.jpg'), 2, 1);
    await list.fail(idOf(list, 'c.jpg'), 'CW-604');
    const { totalBytes } = list.summary.get();
    const arrived = list.get(idOf(list, 'a.jpg'))?.record.size ?? 0;
    list.forgetArrived();
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
    await list.clearFinished();
    await list.load();
    expect(list.summary.get().waiting).toBe(1);
  });

  it('tells which photos before a position have not arrived yet', async () => {
    const list = await filled('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg');
    const [, b = '', c = ''] = names(list).map((name) => idOf(list, name));
    const end = list.endPosition - 1;
    list.finish(list.takeNext()?.record.id ?? '');
    list.takeNext();
    await list.fail(b, 'CW-604');
    expect(list.unsentBefore(end)).toEqual([b, c]);
    expect(list.unsentBefore(0)).toEqual([]);
  });

  it('leaves at most fifty uploaded photos in sight, the newest, and counts them all', async () => {
    const list = newList();
    for (let count = 0; count < 53; count += 1) {
      await list.enqueue(photo(`${count}.jpg`));
      await finish(list, list.takeNext()?.record.id ?? '');
    }
    expect(names(list)).toEqual(Array.from({ length: 50 }, (_, index) => `${index + 3}.jpg`));
    expect(list.summary.get()).toMatchObject({ uploaded: 53, totalBytes: 530, sentBytes: 530 });
    expect(storage.records.size + storage.spool.size).toBe(0);
  });
});

describe('slices', () => {
  it('are the photos from a place on, as many as asked for', async () => {
    const list = await filled('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg');
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
    | 'clearArrived'
    | 'restart'
  ),
  number,
];

const command: fc.Arbitrary<Command> = fc.tuple(
  fc.constantFrom(
    ...(['enqueue', 'enqueue', 'take', 'take', 'progress', 'url', 'putBack', 'fail'] as const),
    ...(['retry', 'retryFailed', 'finish', 'remove', 'removeAll', 'undo'] as const),
    ...(['clearArrived', 'restart'] as const),
  ),
  fc.nat(1000),
);

it('counts right and stores whole entries, whatever happens in whatever order and whichever writes fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(command, fc.boolean()), { maxLength: 40 }),
      async (commands) => {
        storage = new MemoryStorage();
        runs = 0;
        let list = newList();
        for (const [[what, number], fails] of commands) {
          const items = all(list);
          const item = items[number % Math.max(1, items.length)];
          const id = item?.record.id ?? 'none';
          // Only what is uploading can end well.
          if (what === 'finish' && item?.phase !== 'uploading') continue;
          if (fails && number % 3 === 0)
            storage.fail('records.put', new CwError('CW-703', 'full'), 1);
          const change = {
            enqueue: () => list.enqueue(photo(`${number}.jpg`, (number % 50) + 1)),
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
            clearArrived: () => list.clearArrived(),
            restart: async () => {
              list = await restarted();
            },
          }[what];
          await change().catch((error: unknown) => {
            if (!(error instanceof CwError)) throw error;
          });
          storage.heal();
          expect(list.summary.get()).toEqual(counted(list));
          expectWholeEntries();
        }
        // Everything not uploaded and not removed is still to be uploaded: nothing waits unseen.
        const pending = all(list).filter(({ phase }) => phase !== 'uploaded');
        const kept = photoKeys();
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
