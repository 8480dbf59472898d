import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { setImmediate as nextTask } from 'node:timers/promises';
import { outcomeOf } from '../support/outcome.js';
import { openUxp, type UxpPorts } from './implementations.js';

/** The journal of UXP's RecordStore (src/host/uxp/records.ts), looked at on the disk. */
let ports: UxpPorts;

beforeEach(() => {
  ports = openUxp('8.4.0');
});
afterEach(async () => {
  await ports.dispose();
});

function recordsFolder(): string {
  return nodePath.join(ports.dataFolder, 'records');
}

/** The files of the folder, without what differs in two journals made at the same moment. */
function journals(): string[] {
  const names = nodeFs.readdirSync(recordsFolder());
  return names.map((name) => name.replace(/-[0-9a-f]{8}\.jsonl$/, '.jsonl')).sort();
}

function journalPath(): string {
  const [name, ...others] = nodeFs.readdirSync(recordsFolder());
  if (name === undefined || others.length > 0)
    throw new Error(`journals: ${journals().join(', ')}`);
  return nodePath.join(recordsFolder(), name);
}

async function loaded(): Promise<Record<string, string>> {
  ports = ports.restart();
  return Object.fromEntries(await ports.records.load());
}

/** Puts exactly these files into the records folder. */
function setFiles(files: Readonly<Record<string, string | Uint8Array>>): void {
  nodeFs.rmSync(recordsFolder(), { recursive: true, force: true });
  nodeFs.mkdirSync(recordsFolder());
  for (const [name, content] of Object.entries(files))
    nodeFs.writeFileSync(nodePath.join(recordsFolder(), name), content);
}

describe('a truncated journal', () => {
  it('loads the state after a complete change, for a cut at any byte, and accepts changes', async () => {
    const states: Record<string, string>[] = [{}];
    const ends: number[] = [];
    const apply = async (key: string, value: string | null): Promise<void> => {
      if (value === null) await ports.records.remove(key);
      else await ports.records.put(key, value);
      const state = { ...states.at(-1) };
      if (value === null) Reflect.deleteProperty(state, key);
      else state[key] = value;
      states.push(state);
      ends.push(nodeFs.statSync(journalPath()).size);
    };
    await ports.records.load();
    ends.push(nodeFs.statSync(journalPath()).size);
    await apply('a', 'line\nbreak "quoted" \u{1f4f7}');
    await apply('b', 'second');
    await apply('a', null);
    await apply('b', 'third');
    const whole = nodeFs.readFileSync(journalPath());
    const name = nodePath.basename(journalPath());

    for (let length = ends[0] ?? 0; length <= whole.length; length += 1) {
      setFiles({ [name]: whole.subarray(0, length) });
      const changes = ends.findLastIndex((end) => end <= length);
      expect({ length, records: await loaded() }).toEqual({ length, records: states[changes] });
      await ports.records.put('c', 'after');
      expect({ length, records: await loaded() }).toEqual({
        length,
        records: { ...states[changes], c: 'after' },
      });
    }
  });

  it('has the new record or all replaced ones after a cut within a replacement', async () => {
    await ports.records.put('photo-1', 'arrived');
    await ports.records.put('photo-2', 'arrived');
    const before = nodeFs.statSync(journalPath()).size;
    await ports.records.put('history', 'both', 'photo-1', 'photo-2');
    const whole = nodeFs.readFileSync(journalPath());
    const name = nodePath.basename(journalPath());

    for (let length = before; length <= whole.length; length += 1) {
      setFiles({ [name]: whole.subarray(0, length) });
      const records = await loaded();
      if (records['history'] === undefined)
        expect({ length, records }).toEqual({
          length,
          records: { 'photo-1': 'arrived', 'photo-2': 'arrived' },
        });
    }
    expect(await loaded()).toEqual({ history: 'both' });
  });

  it('loads as empty after a cut in its first line, and accepts changes', async () => {
    for (const content of ['', '{', '{"complete":true}']) {
      setFiles({ 'journal-1.jsonl': content });
      expect(await loaded()).toEqual({});
      await ports.records.put('a', '1');
      expect(await loaded()).toEqual({ a: '1' });
    }
  });

  it('loses no later change when the disk fills up within a line', async () => {
    const value = 'too much for the room that is left';
    await ports.records.put('a', 'before');
    const before = nodeFs.statSync(journalPath()).size;
    await ports.records.put('a', value);
    const line = nodeFs.statSync(journalPath()).size - before;
    expect(line).toBeGreaterThan(value.length);
    for (let room = 0; room < line; room += 1) {
      await ports.records.put('a', 'before');
      ports.modules.control.disk.fullAfter(room);
      await expect(ports.records.put('a', value)).rejects.toMatchObject({ code: 'CW-703' });
      ports.modules.control.disk.makeRoom();
      await ports.records.put('b', `after ${room}`);
      await ports.records.put('c', 'and on');
      expect(await loaded()).toEqual({ a: 'before', b: `after ${room}`, c: 'and on' });
    }
  });

  it('loads when the disk is too full for compaction', async () => {
    await ports.records.put('a', 'kept');
    nodeFs.appendFileSync(journalPath(), '{"put":"b","val');
    ports = ports.restart();
    ports.modules.control.disk.fullAfter(0);
    expect(Object.fromEntries(await ports.records.load())).toEqual({ a: 'kept' });
    ports.modules.control.disk.makeRoom();
    await ports.records.put('c', 'later');
    expect(await loaded()).toEqual({ a: 'kept', c: 'later' });
  });
});

describe('a long journal', () => {
  async function growLong(): Promise<void> {
    await ports.records.put('kept', 'since the beginning');
    const lines: string[] = [];
    for (let line = 0; line < 1200; line += 1)
      lines.push(JSON.stringify({ put: 'changing', value: String(line) }));
    nodeFs.appendFileSync(journalPath(), `${lines.join('\n')}\n`);
  }
  const content = { kept: 'since the beginning', changing: '1199' };

  it('is compacted when it is loaded', async () => {
    await growLong();
    expect(journals()).toEqual(['journal-10.jsonl']);
    expect(await loaded()).toEqual(content);
    expect(journals()).toEqual(['journal-20.jsonl']);
    expect(nodeFs.readFileSync(journalPath(), 'utf8').split('\n')).toHaveLength(4);
    expect(await loaded()).toEqual(content);
  });

  it('is compacted repeatedly within one run and stays in proportion to its records', async () => {
    await ports.records.put('kept', 'since the beginning');
    let longest = 0;
    for (let change = 0; change < 2500; change += 1) {
      await ports.records.put('changing', String(change));
      if (change % 50 === 0)
        longest = Math.max(longest, nodeFs.readFileSync(journalPath(), 'utf8').split('\n').length);
    }
    expect(longest).toBeGreaterThan(900);
    expect(longest).toBeLessThan(1100);
    expect(journals()).toEqual(['journal-12.jsonl']);
    expect(await loaded()).toEqual({ kept: 'since the beginning', changing: '2499' });
  });

  it('stays in use when the disk is too full for compaction', async () => {
    await ports.records.put('big', 'x'.repeat(5000));
    for (let change = 0; change < 1010; change += 1) {
      // Room for a few lines, but not for a second journal beside this one.
      if (change === 990) ports.modules.control.disk.fullAfter(2000);
      if (change === 998) ports.modules.control.disk.makeRoom();
      await ports.records.put('a', String(change));
    }
    expect(journals()).toEqual(['journal-10.jsonl']);
    const found = await loaded();
    expect(found['a']).toBe('1009');
    expect(found['big']).toHaveLength(5000);
  });

  it('supports any number of generations', async () => {
    for (let generation = 2; generation < 6; generation += 1) {
      await growLong();
      expect(await loaded()).toEqual(content);
      expect(journals()).toEqual([`journal-${generation}0.jsonl`]);
    }
  });

  it('supports generation numbers above nine', async () => {
    setFiles({
      'journal-9.jsonl': '{"put":"a","value":"old"}\n{"complete":true}\n',
      'journal-10.jsonl': '{"put":"a","value":"new"}\n{"complete":true}\n',
    });
    expect(await loaded()).toEqual({ a: 'new' });
    expect(journals()).toEqual(['journal-20.jsonl']);
  });

  it('stays in use when the new journal is truncated at any byte', async () => {
    const old = '{"complete":true}\n{"put":"a","value":"1"}\n{"put":"b","value":"2"}\n';
    const next = '{"put":"a","value":"1"}\n{"put":"b","value":"2"}\n{"complete":true}\n';
    for (let length = 0; length <= next.length; length += 1) {
      setFiles({ 'journal-1.jsonl': old, 'journal-2.jsonl': next.slice(0, length) });
      expect({ length, records: await loaded() }).toEqual({
        length,
        records: { a: '1', b: '2' },
      });
      expect(journals()).toHaveLength(1);
      await ports.records.remove('a');
      expect(await loaded()).toEqual({ b: '2' });
    }
  });
});

describe('a killed plugin', () => {
  it('leaves the records before or after a change, at any step', async () => {
    const outcomes = new Set<string>();
    let finished = false;
    for (let turns = 0; !finished; turns += 1) {
      const value = `value ${turns}`;
      await ports.records.put('a', 'before');
      ports = ports.restart();
      const change = outcomeOf(ports.records.put('a', value));
      for (let turn = 0; turn < turns; turn += 1) await nextTask();
      finished = change.state !== 'pending';
      const found = (await loaded())['a'];
      expect(['before', value]).toContain(found);
      outcomes.add(found === value ? 'after' : 'before');
    }
    // Both must have happened, or the kills came at the wrong moments.
    expect([...outcomes].sort()).toEqual(['after', 'before']);
  });

  it('loses nothing when killed at any step of loading a long journal', async () => {
    const long = Array.from({ length: 1100 }, (_, line) =>
      JSON.stringify({ put: `key ${line % 7}`, value: String(line) }),
    );
    const expected = Object.fromEntries(
      Array.from({ length: 7 }, (_, key) => {
        const last = Array.from({ length: 1100 }, (_value, line) => line).findLast(
          (line) => line % 7 === key,
        );
        return [`key ${key}`, String(last)];
      }),
    );
    const files = new Set<string>();
    let finished = false;
    for (let turns = 0; !finished; turns += 1) {
      setFiles({ 'journal-1.jsonl': ['{"complete":true}', ...long, ''].join('\n') });
      ports = ports.restart();
      const load = outcomeOf(ports.records.load());
      for (let turn = 0; turn < turns; turn += 1) await nextTask();
      finished = load.state !== 'pending';
      ports.modules.control.end();
      files.add(journals().join(' '));
      expect(await loaded()).toEqual(expected);
    }
    expect(files).toContain('journal-1.jsonl');
    expect(files).toContain('journal-1.jsonl journal-11.jsonl');
    expect(files).toContain('journal-11.jsonl');
  });
});

describe('a journal with invalid lines', () => {
  it('returns the readable records', async () => {
    setFiles({
      'journal-1.jsonl': [
        '{"complete":true}',
        'not json',
        '[]',
        'null',
        '{"put":1,"value":"x"}',
        '{"put":"a"}',
        '{"put":"b","value":2}',
        '{"put":"c","value":"good"}',
        '{"remove":3}',
        '',
      ].join('\n'),
      'notes.txt': 'not a journal',
      'journal-x.jsonl': 'not one either',
    });
    expect(await loaded()).toEqual({ c: 'good' });
    expect(journals()).toContain('notes.txt');
  });

  it('throws CW-702 when it cannot be read at all', async () => {
    await ports.records.put('a', '1');
    ports = ports.restart();
    ports.modules.control.disk.makeUnreadable(journalPath());
    await expect(ports.records.load()).rejects.toMatchObject({ code: 'CW-702' });
    ports.modules.control.disk.makeReadable(journalPath());
    expect(Object.fromEntries(await ports.records.load())).toEqual({ a: '1' });
  });
});
