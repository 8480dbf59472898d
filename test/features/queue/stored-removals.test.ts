import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { randomId } from '../../../src/util/random-id.js';
import {
  memoryPhoto,
  memoryRecords,
  memorySpool,
  MemoryStorage,
} from '../../support/memory-host.js';
import { seededBytes } from '../../support/seeded-random.js';
import { List } from './queue-fixture.js';
import { FakeClock } from '../../support/fake-clock.js';

describe('a queue from which photos were removed', () => {
  let storage: MemoryStorage;
  let list: List;
  let runs: number;

  beforeEach(async () => {
    storage = new MemoryStorage();
    runs = 0;
    await start();
  });

  /** A first start, or a start after a kill. */
  async function start(records = memoryRecords(storage)): Promise<void> {
    storage.heal();
    runs += 1;
    const bytes = seededBytes(runs);
    list = new List({
      records,
      spool: memorySpool(storage),
      now: () => 0,
      newId: () => randomId(bytes),
      mostKeptBytes: 20,
    });
    await list.load();
    await list.store.clearEarlier();
    await list.store.clearIncoming();
  }

  async function add(...names: string[]): Promise<void> {
    for (const name of names)
      await list.enqueue(memoryPhoto(storage, name, new Uint8Array(10).fill(7)));
  }

  function names(): string[] {
    return list.slice(0, Infinity).map(({ record }) => record.name);
  }

  function ids(...wanted: string[]): string[] {
    return list
      .slice(0, Infinity)
      .filter(({ record }) => wanted.includes(record.name))
      .map(({ record }) => record.id);
  }

  it('keeps their records and copies until the next start', async () => {
    await add('a', 'b', 'c');
    await list.remove(ids('a', 'c'));
    expect(names()).toEqual(['b']);
    expect(storage.spool.size).toBe(3);
    await start();
    expect(names()).toEqual(['b']);
    expect([storage.spool.size, storage.records.size]).toEqual([1, 1]);
  });

  it('restores photos in place, one removal after the other, and stores them', async () => {
    await add('a', 'b', 'c', 'd', 'e');
    await list.remove(ids('b', 'd'));
    await list.remove(ids('a', 'e'));
    await list.undoRemoval();
    expect(names()).toEqual(['a', 'c', 'e']);
    await list.undoRemoval();
    expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(list.store.newestRemoval).toBeNull();
    await list.undoRemoval();
    await start();
    expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('restores the next photo, failures and upload offsets', async () => {
    await add('a', 'b', 'c');
    const [a = '', b = '', c = ''] = ids('a', 'b', 'c');
    await list.makeNext(c);
    list.takeNext();
    list.progress(c, 9, 6);
    list.takeNext();
    await list.fail(a, 'CW-603');
    await list.remove([a, b, c]);
    await list.undoRemoval();
    expect(list.get(a)).toMatchObject({ phase: 'failed', record: { failure: 'CW-603' } });
    expect(list.get(c)).toMatchObject({ phase: 'waiting', sentBytes: 6, confirmedBytes: 6 });
    expect(list.summary.get()).toMatchObject({ waiting: 2, failed: 1, totalBytes: 30 });
    expect([list.takeNext()?.record.id, list.takeNext()?.record.id]).toEqual([c, b]);
  });

  it.each(Array.from({ length: 6 }, (_, steps) => steps))(
    'continues the purge at the next start after a kill at step %d',
    async (steps) => {
      await add('a', 'b', 'c');
      await list.remove(ids('a', 'b'));
      storage.heal();
      const next = new List({
        records: memoryRecords(storage),
        spool: memorySpool(storage),
        now: () => 0,
        newId: () => 'unused',
      });
      await next.load();
      storage.dieAfter(steps);
      void next.store.clearEarlier();
      await new FakeClock().settle();
      await start();
      expect(names()).toEqual(['c']);
      expect([storage.spool.size, storage.records.size]).toEqual([1, 1]);
    },
  );

  it('limits older removals, and keeps the newest complete', async () => {
    await add('a', 'b', 'c', 'd', 'e', 'f');
    await list.remove(ids('a'));
    await list.remove(ids('b'));
    await list.remove(ids('c', 'd', 'e'));
    expect(storage.spool.size).toBe(6);
    await list.remove(ids('f'));
    // Fifty bytes of older ones: the oldest go until no more than twenty are left.
    expect(storage.spool.size).toBe(1);
    await list.undoRemoval();
    await list.undoRemoval();
    expect(names()).toEqual(['f']);
    await start();
    expect([storage.spool.size, storage.records.size]).toEqual([1, 1]);
  });

  it('reports each upload URL that the service may delete once', async () => {
    await add('a', 'b', 'c', 'd');
    for (const id of ids('a', 'b', 'd'))
      await list.setUploadUrl(id, `https://service.example/${id}`);
    const [a = ''] = ids('a');
    await list.remove(ids('a'));
    await list.remove(ids('b', 'c'));
    expect(list.store.drainUploadUrls()).toEqual([]);
    await list.remove(ids('d'));
    expect(list.store.drainUploadUrls()).toEqual([`https://service.example/${a}`]);
    expect(list.store.drainUploadUrls()).toEqual([]);
  });

  it('purges thousands of photos, a thousand at a time, each once', async () => {
    await add(...Array.from({ length: 2001 }, (_, index) => String(index)));
    const all = [...storage.spool.keys()];
    await list.remove(list.all);
    await start();
    expect([storage.spool.size, storage.records.size]).toEqual([0, 0]);
    for (const operation of ['records.remove', 'spool.remove']) {
      const calls = storage.log
        .filter((line) => line.startsWith(`${operation} `))
        .map((line) =>
          line
            .replace(/ removal-\w+/, '')
            .split(' ')
            .slice(1),
        );
      expect(calls.map(({ length }) => length)).toEqual([1000, 1000, 1]);
      expect(calls.flat()).toEqual(all);
    }
  });

  it('purges removed photos when the disk is full, then adds the new photo', async () => {
    await add('a', 'b');
    await list.remove(ids('a'));
    storage.fail('spool.copy', new CwError('CW-703', 'full'), 1);
    await add('c');
    expect(names()).toEqual(['b', 'c']);
    expect(list.store.newestRemoval).toBeNull();
    expect(storage.spool.size).toBe(2);
    storage.fail('spool.copy', new CwError('CW-703', 'full'), 1);
    await expect(add('d')).rejects.toMatchObject({ code: 'CW-703' });
  });

  it('purges removed photos when a record does not fit, without a second copy', async () => {
    await add('a', 'b');
    await list.remove(ids('a'));
    storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    // A document that the app has exported is moved: it is there once.
    const document = memoryPhoto(storage, 'c', new Uint8Array([1]));
    const copies: string[] = [];
    await list.enqueue({
      ...document,
      copyToSpool: (id) => {
        copies.push(id);
        return document.copyToSpool(id);
      },
    });
    expect(names()).toEqual(['b', 'c']);
    expect(copies).toHaveLength(1);
    await start();
    expect(names()).toEqual(['b', 'c']);
  });

  it('frees space on a full disk where even their records cannot be deleted', async () => {
    await add('a', 'b');
    await list.remove(ids('a'));
    storage.fail('spool.copy', new CwError('CW-703', 'full'), 1);
    storage.fail('records.remove', new CwError('CW-703', 'full'));
    await add('c');
    expect(storage.spool.size).toBe(2);
    await start();
    expect(names()).toEqual(['b', 'c']);
    expect(storage.records.size).toBe(2);
  });

  it('keeps copies on a full disk that no note lists, and restores those photos at the next start', async () => {
    await add('a', 'b');
    storage.fail('records.put', new CwError('CW-703', 'full'), 1);
    await expect(list.remove(ids('a'))).rejects.toMatchObject({ code: 'CW-703' });
    storage.fail('spool.copy', new CwError('CW-703', 'full'));
    storage.fail('records.remove', new CwError('CW-703', 'full'));
    await expect(add('c')).rejects.toMatchObject({ code: 'CW-703' });
    await start();
    expect(names()).toEqual(['a', 'b']);
    expect(storage.spool.size).toBe(2);
  });

  it('restores photos for good when Undo comes before their removal is stored', async () => {
    const records = memoryRecords(storage);
    let letGo = (): void => undefined;
    const free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    // This storage need not do things in the order in which they were requested.
    await start({
      ...records,
      put: async (key, ...more) => {
        if (key.startsWith('removal-')) await free;
        await records.put(key, ...more);
      },
    });
    await add('a');
    const removing = list.remove(ids('a'));
    const undoing = list.undoRemoval();
    await new FakeClock().settle();
    letGo();
    await Promise.all([removing, undoing]);
    expect(names()).toEqual(['a']);
    await start();
    expect(names()).toEqual(['a']);
  });

  it.each([
    ['of another version', '{"version":2,"photos":["ID"]}'],
    ['without photos', '{"version":1}'],
    ['that is none', 'removed'],
  ])('ignores a note %s', async (_which, note) => {
    await add('a');
    storage.records.set('removal-0', note.replace('ID', ids('a')[0] ?? ''));
    await start();
    expect(names()).toEqual(['a']);
    expect(storage.spool.size).toBe(1);
  });

  it('can retry Undo after a storage failure', async () => {
    await add('a');
    await list.remove(ids('a'));
    storage.fail('records.remove', new CwError('CW-702', 'refused'), 1);
    await expect(list.undoRemoval()).rejects.toMatchObject({ code: 'CW-702' });
    expect(names()).toEqual([]);
    await list.undoRemoval();
    expect(names()).toEqual(['a']);
  });

  it('leaves a photo queued that was uploaded before it could be removed', async () => {
    await add('a', 'b');
    const [a = ''] = ids('a');
    list.takeNext();
    list.finish(a);
    await list.remove(list.all);
    expect(names()).toEqual(['a']);
    await list.undoRemoval();
    expect(names().sort()).toEqual(['a', 'b']);
    list.forgetUploaded();
    await list.store.clearUploaded();
    expect(list.summary.get()).toMatchObject({ uploaded: 0, waiting: 1, totalBytes: 10 });
  });
});
