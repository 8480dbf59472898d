import { NO_CONTEXT } from '../../../src/features/queue/photo-record.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { all, counted, finish, idOf, type List, ListFixture, names } from './queue-fixture.js';

let fixture: ListFixture;

beforeEach(() => {
  fixture = new ListFixture();
});

/** Every way a photo moves, for a plugin that dies after each single step of it. */
const moves: readonly (readonly [string, (list: List) => Promise<void>, readonly string[][]])[] = [
  [
    'queued',
    (list) => list.enqueue(fixture.photo('new.jpg')),
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
  it('leaves only complete entries after a kill at any step, and changes nothing else', async () => {
    const seen = new Set<string>();
    for (let steps = 0; steps < 4; steps += 1) {
      fixture = new ListFixture();
      const list = await fixture.filled('a.jpg', 'b.jpg');
      list.takeNext();
      fixture.storage.dieAfter(steps);
      void move(list);
      await fixture.clock.settle();
      const after = await fixture.restarted();
      await fixture.expectWholeEntries(after);
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
  it('restores every photo in order, with its failure and upload URL', async () => {
    const list = await fixture.filled('a.jpg', 'b.jpg', 'c.jpg');
    await list.setUploadUrl(idOf(list, 'b.jpg'), 'https://service.example/api/v1/uploads/1');
    list.takeNext();
    await list.fail(idOf(list, 'a.jpg'), 'CW-605');
    list.takeNext();
    list.progress(idOf(list, 'b.jpg'), 8, 5);
    const before = all(list);
    // Storage keeps no order.
    const records = [...fixture.storage.records].reverse();
    fixture.storage.records.clear();
    for (const [id, text] of records) fixture.storage.records.set(id, text);

    const after = await fixture.restarted();
    expect(all(after).map(({ record }) => record)).toEqual(before.map(({ record }) => record));
    expect(all(after).map(({ phase }) => phase)).toEqual(['failed', 'waiting', 'waiting']);
    expect(all(after).map(({ sentBytes }) => sentBytes)).toEqual([0, 0, 0]);
    expect(after.summary.get()).toEqual(counted(after));
    expect(after.takeNext()?.record.name).toBe('b.jpg');
  });

  it('queues later photos after the restored ones', async () => {
    await fixture.filled('a.jpg', 'b.jpg');
    const second = await fixture.restarted();
    await second.enqueue(fixture.photo('c.jpg'));
    expect(names(await fixture.restarted())).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  });

  it('finds copies without a record once, and deletes none of them', async () => {
    await fixture.filled('a.jpg');
    fixture.storage.spool.set('orphan', new Uint8Array(5));
    const after = await fixture.restarted();
    expect(names(after)).toEqual(['a.jpg']);
    expect(await after.store.findOrphans()).toEqual([
      { id: 'orphan', size: 5, name: null, type: null, context: NO_CONTEXT },
    ]);
    expect(await after.store.findOrphans()).toEqual([]);
    expect(fixture.storage.spool.has('orphan')).toBe(true);
  });

  it('skips an unreadable record and keeps its copy for a later version', async () => {
    await fixture.filled('a.jpg');
    fixture.storage.records.set('strange', '{"version":2}');
    fixture.storage.spool.set('strange', new Uint8Array(5));
    const after = await fixture.restarted();
    expect(names(after)).toEqual(['a.jpg']);
    expect(fixture.storage.records.has('strange')).toBe(true);
    expect(fixture.storage.spool.has('strange')).toBe(true);
  });

  it('reports unreadable records, and changes no copy', async () => {
    await fixture.filled('a.jpg');
    const list = fixture.newList();
    fixture.storage.fail('records.load', new CwError('CW-702', 'unreadable'));
    await expect(list.load()).rejects.toMatchObject({ code: 'CW-702' });
    expect(fixture.storage.spool.size).toBe(1);
    fixture.storage.heal();
    await list.load();
    expect(names(list)).toEqual(['a.jpg']);
  });

  it('shows nothing twice when it is loaded again', async () => {
    const list = await fixture.filled('a.jpg');
    await list.load();
    expect(names(list)).toEqual(['a.jpg']);
    expect(list.summary.get()).toEqual(counted(list));
  });
});
