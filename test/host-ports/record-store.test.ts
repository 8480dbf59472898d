import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTask } from 'node:timers/promises';
import fc from '../support/properties.js';
import { implementations, type PortsUnderTest } from './implementations.js';
import { anyText } from '../support/arbitrary-text.js';

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'a\nb', 'ä"\\');
const value = anyText({ maxLength: 30 });

type Step =
  | { readonly kind: 'put'; readonly key: string; readonly value: string }
  | { readonly kind: 'remove'; readonly key: string }
  | { readonly kind: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), key, value }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

describe.each(implementations)('RecordStore: $name', ({ open }) => {
  let ports: PortsUnderTest;

  beforeEach(async () => {
    ports = await open();
  });
  afterEach(async () => {
    ports.heal();
    await ports.dispose();
  });

  it('is empty at first', async () => {
    expect([...(await ports.records.load())]).toEqual([]);
  });

  it('keeps records until they are removed, in any order and over restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const model = new Map<string, string>();
        for (const name of (await ports.records.load()).keys()) await ports.records.remove(name);
        for (const one of steps) {
          if (one.kind === 'put') {
            await ports.records.put(one.key, one.value);
            model.set(one.key, one.value);
          } else if (one.kind === 'remove') {
            await ports.records.remove(one.key);
            model.delete(one.key);
          } else {
            ports = ports.restart();
          }
        }
        expect(sorted(await ports.records.load())).toEqual(sorted(model));
        ports = ports.restart();
        expect(sorted(await ports.records.load())).toEqual(sorted(model));
      }),
      { numRuns: 20 },
    );
  });

  it('writes one record and removes others in one step, also missing ones', async () => {
    for (const name of ['a', 'b', 'c']) await ports.records.put(name, `old ${name}`);
    await ports.records.put('d', 'new', 'a', 'c', 'never there');
    const expected = [
      ['b', 'old b'],
      ['d', 'new'],
    ];
    expect(sorted(await ports.records.load())).toEqual(expected);
    ports = ports.restart();
    expect(sorted(await ports.records.load())).toEqual(expected);
  });

  it('refuses changes before the records were loaded', async () => {
    await ports.records.put('a', '1');
    ports = ports.restart();
    const { unloadedRecords } = ports;
    await expect(unloadedRecords.put('b', '2')).rejects.toMatchObject({ code: 'CW-702' });
    await expect(unloadedRecords.remove('a')).rejects.toMatchObject({ code: 'CW-702' });
    expect(await unloadedRecords.isOwner()).toBe(false);
    expect(sorted(await unloadedRecords.load())).toEqual([['a', '1']]);
  });

  it('keeps the order of concurrent changes', async () => {
    const changes: Promise<void>[] = [];
    for (let round = 0; round < 20; round += 1) {
      changes.push(ports.records.put('same', String(round)));
      changes.push(ports.records.put(`own-${round}`, 'x'));
      if (round % 2 === 1) changes.push(ports.records.remove(`own-${round}`));
    }
    await Promise.all(changes);
    const found = await ports.restart().records.load();
    expect(found.get('same')).toBe('19');
    expect(found.size).toBe(11);
  });

  it('returns a copy that later changes do not affect', async () => {
    await ports.records.put('a', '1');
    const before = await ports.records.load();
    await ports.records.put('a', '2');
    expect(before.get('a')).toBe('1');
  });

  it('throws CW-703 on a full disk, keeps its records, and loses no later record', async () => {
    await ports.records.put('a', 'before');
    ports.fillDisk();
    await expect(ports.records.put('a', 'too much')).rejects.toMatchObject({ code: 'CW-703' });
    await expect(ports.records.put('b', 'too much')).rejects.toMatchObject({ code: 'CW-703' });
    ports.heal();
    expect(sorted(await ports.records.load())).toEqual([['a', 'before']]);
    await ports.records.put('c', 'after');
    ports = ports.restart();
    expect(sorted(await ports.records.load())).toEqual([
      ['a', 'before'],
      ['c', 'after'],
    ]);
  });

  it('belongs to the instance that loaded last; the older one gets CW-704 and keeps acknowledged records', async () => {
    await ports.records.load();
    await ports.records.put('a', '1');
    expect(await ports.records.isOwner()).toBe(true);
    const second = ports.secondCopy();
    expect(sorted(await second.records.load())).toEqual([['a', '1']]);
    expect(await ports.records.isOwner()).toBe(false);
    expect(await second.records.isOwner()).toBe(true);
    await expect(ports.records.put('b', 'too late')).rejects.toMatchObject({ code: 'CW-704' });
    await expect(ports.records.remove('a')).rejects.toMatchObject({ code: 'CW-704' });
    await second.records.put('c', '3');
    expect(sorted(await second.secondCopy().records.load())).toEqual([
      ['a', '1'],
      ['c', '3'],
    ]);
  });

  it('has every acknowledged record after a takeover at any step', async () => {
    for (let turns = 0; turns < 60; turns += 4) {
      const kept = new Set((await ports.records.load()).keys());
      const first = ports;
      const run = { goesOn: true };
      const working = (async () => {
        for (let change = 0; run.goesOn; change += 1) {
          const key = `${turns} ${change}`;
          try {
            await first.records.put(key, 'x');
            kept.add(key);
            await nextTask();
          } catch (error) {
            expect(error).toMatchObject({ code: 'CW-704' });
            return;
          }
        }
      })();
      for (let turn = 0; turn < turns; turn += 1) await nextTask();
      const second = ports.secondCopy();
      const found = await second.records.load();
      run.goesOn = false;
      await working;
      for (const key of kept) expect([turns, ...found.keys()]).toContain(key);
      ports = second;
    }
  });

  it('throws CW-702 when a write fails for another reason', async () => {
    await ports.records.put('a', 'before');
    if (!ports.refuseRecords) throw new Error('this storage has no other reason');
    ports.refuseRecords();
    await expect(ports.records.put('a', 'after')).rejects.toMatchObject({ code: 'CW-702' });
    ports.heal();
    expect(sorted(await ports.records.load())).toEqual([['a', 'before']]);
  });
});

function sorted(records: ReadonlyMap<string, string>): [string, string][] {
  return [...records].sort(([a], [b]) => (a < b ? -1 : 1));
}
