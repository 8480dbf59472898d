import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { setImmediate as nextTask } from 'node:timers/promises';
import { File, Folder } from '../host/modules/entries.js';
import { outcomeOf } from '../support/outcome.js';
import { openUxp, type UxpPorts } from './implementations.js';

/** UXP's RecordStore where it makes a new journal: as it is loaded, and when the old one has grown long. */
let ports: UxpPorts;

beforeEach(() => {
  ports = openUxp('8.4.0');
});
afterEach(async () => {
  jest.restoreAllMocks();
  await ports.dispose();
});

const folder = (): string => nodePath.join(ports.dataFolder, 'records');
const whole = (...keys: readonly string[]): string =>
  [...keys.map((key) => `{"put":"${key}","value":"kept"}\n`), '{"complete":true}\n'].join('');

function setFiles(files: Readonly<Record<string, string>>): void {
  nodeFs.rmSync(folder(), { recursive: true, force: true });
  nodeFs.mkdirSync(folder());
  for (const [name, content] of Object.entries(files))
    nodeFs.writeFileSync(nodePath.join(folder(), name), content);
}

function numbers(): number[] {
  const names = nodeFs.readdirSync(folder()).filter((name) => name.startsWith('journal-'));
  return names.map((name) => Number(/\d+/.exec(name)?.[0])).sort((a, b) => a - b);
}

function onlyJournal(): string {
  const [name, ...others] = nodeFs.readdirSync(folder());
  if (name === undefined || others.length > 0) throw new Error(`journals: ${numbers().join()}`);
  return nodePath.join(folder(), name);
}

async function tasks(count: number): Promise<void> {
  for (let task = 0; task < count; task += 1) await nextTask();
}

/** So many lines at once: of keys that are not there. */
const lines = (count: number): string[] => Array.from({ length: count }, (_, key) => `none ${key}`);

/** Holds up writing what `isHeld` selects, until the function that is returned is called. */
function holdWrites(isHeld: (text: string) => boolean): () => void {
  const write: (this: File, ...args: Parameters<File['write']>) => Promise<number> = Reflect.get(
    File.prototype,
    'write',
  );
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  jest.spyOn(File.prototype, 'write').mockImplementation(async function (this: File, ...args) {
    if (typeof args[0] === 'string' && isHeld(args[0])) await released;
    return write.apply(this, args);
  });
  return release;
}

describe('a new journal', () => {
  it('exists before the old one is read, so that later writes of the older instance are refused', async () => {
    await ports.records.load();
    await ports.records.put('a', 'kept');
    const release = holdWrites((text) => text.includes('"complete"'));
    const second = ports.secondCopy();
    const loading = second.records.load();
    await tasks(50);
    // The second copy has read by now and would never learn of this line.
    await expect(ports.records.put('b', 'too late')).rejects.toMatchObject({ code: 'CW-704' });
    release();
    expect([...(await loading)]).toEqual([['a', 'kept']]);
  });

  it('is replaced on a full disk by renaming the old one, and the older instance gets CW-704', async () => {
    await ports.records.load();
    await ports.records.put('a', 'kept');
    const second = ports.secondCopy();
    second.fillDisk();
    expect(Object.fromEntries(await second.records.load())).toEqual({ a: 'kept' });
    second.heal();
    await expect(ports.records.put('b', 'of the first')).rejects.toMatchObject({ code: 'CW-704' });
    await second.records.put('c', 'of the second');
    expect([await ports.records.isOwner(), await second.records.isOwner()]).toEqual([false, true]);
    expect(Object.fromEntries(await ports.restart().records.load())).toEqual({
      a: 'kept',
      c: 'of the second',
    });
  });

  it('on a full disk has the older instance’s writes until the rename', async () => {
    await ports.records.load();
    await ports.records.put('a', 'kept');
    const second = ports.secondCopy();
    const read: (this: File, ...args: Parameters<File['read']>) => ReturnType<File['read']> =
      Reflect.get(File.prototype, 'read');
    const journal = onlyJournal();
    jest.spyOn(File.prototype, 'read').mockImplementationOnce(async function (this: File, ...args) {
      const text = await read.apply(this, args);
      nodeFs.appendFileSync(journal, '{"put":"b","value":"at the last moment"}\n');
      return text;
    });
    second.fillDisk();
    expect(Object.fromEntries(await second.records.load())).toEqual({
      a: 'kept',
      b: 'at the last moment',
    });
  });

  it('is not assumed when the host fails without a reason', async () => {
    const spy = jest.spyOn(File.prototype, 'write').mockRejectedValue(null);
    await expect(ports.records.load()).rejects.toMatchObject({ code: 'CW-702' });
    spy.mockRestore();
    expect([...(await ports.records.load())]).toEqual([]);
  });

  it('gets CW-704 at its first change when another instance was faster', async () => {
    const outcomes = new Set<string>();
    let isOver = false;
    for (let turns = 0; !isOver; turns += 1) {
      setFiles({ 'journal-1.jsonl': whole('a') });
      ports = ports.restart();
      const changing = ports.records.put('b', 'x').then(
        () => 'kept',
        (error: unknown) => String((error as { code?: unknown }).code),
      );
      const change = outcomeOf(changing);
      await tasks(turns);
      isOver = change.state !== 'pending';
      nodeFs.writeFileSync(nodePath.join(folder(), 'journal-50-00000000.jsonl'), '\n');
      outcomes.add(await changing);
    }
    expect([...outcomes].sort()).toEqual(['CW-704', 'kept']);
  });
});

describe('the journal before records are loaded', () => {
  it('has no owner and refuses changes', async () => {
    const { unloadedRecords } = ports;
    expect(await unloadedRecords.isOwner()).toBe(false);
    await expect(unloadedRecords.put('a', '1')).rejects.toMatchObject({ code: 'CW-702' });
    await expect(unloadedRecords.remove('a')).rejects.toMatchObject({ code: 'CW-702' });
  });

  it('queues a change during loading', async () => {
    const loading = ports.records.load();
    await ports.records.put('a', 'kept');
    expect([...(await loading)]).toEqual([]);
    expect([...(await ports.records.load())]).toEqual([['a', 'kept']]);
  });
});

describe('a journal of another instance', () => {
  it('is reported as unknown when the folder cannot be read', async () => {
    await ports.records.load();
    const spy = jest.spyOn(Folder.prototype, 'getEntries').mockRejectedValue(new Error('EIO'));
    await expect(ports.records.isOwner()).rejects.toMatchObject({ code: 'CW-702' });
    spy.mockRestore();
    expect(await ports.records.isOwner()).toBe(true);
  });

  it('is reported also when the write failed for another reason', async () => {
    await ports.records.load();
    await ports.secondCopy().records.load();
    ports.modules.control.disk.fullAfter(0);
    await expect(ports.records.put('a', 'x')).rejects.toMatchObject({ code: 'CW-704' });
  });

  it.each(['00000000', 'ffffffff'])(
    'does not take over when it appears late, of an instance that ended before (%s)',
    async (tag) => {
      setFiles({ 'journal-1.jsonl': whole('a') });
      ports = ports.restart();
      await ports.records.load();
      // The ended instance had begun to write its journal again.
      nodeFs.writeFileSync(nodePath.join(folder(), `journal-2-${tag}.jsonl`), whole('late'));
      await ports.records.put('b', 'kept');
      expect(await ports.records.isOwner()).toBe(true);
      expect([...(await ports.restart().records.load()).keys()]).toEqual(['a', 'b']);
    },
  );

  it('is neither replaced nor changed when it appears during compaction', async () => {
    const outcomes = new Set<string>();
    let isOver = false;
    for (let turns = 0; !isOver; turns += 1) {
      setFiles({ 'journal-1.jsonl': whole('a') });
      ports = ports.restart();
      await ports.records.load();
      // So many lines that the journal is written again at once.
      const changing = ports.records.remove(...lines(1100)).then(
        () => 'kept',
        (error: unknown) => String((error as { code?: unknown }).code),
      );
      const change = outcomeOf(changing);
      await tasks(turns);
      isOver = change.state !== 'pending';
      const other = nodePath.join(folder(), 'journal-50-00000000.jsonl');
      nodeFs.writeFileSync(other, whole('a', 'of the other'));
      outcomes.add(await changing);
      await expect(ports.records.put('b', 'x')).rejects.toMatchObject({ code: 'CW-704' });
      expect([turns, numbers().at(-1)]).toEqual([turns, 50]);
      expect(nodeFs.readFileSync(other, 'utf8')).toBe(whole('a', 'of the other'));
    }
    expect([...outcomes].sort()).toEqual(['CW-704', 'kept']);
  });
});

describe('compaction of a journal', () => {
  it('counts each key of a change that removes many', async () => {
    await ports.records.load();
    await ports.records.remove(...lines(600));
    expect(numbers()).toEqual([10]);
    await ports.records.remove(...lines(600));
    expect(numbers()).toEqual([11]);
  });

  it('starts later with more records', async () => {
    const keys = Array.from({ length: 400 }, (_, key) => `kept ${key}`);
    nodeFs.mkdirSync(folder());
    setFiles({ 'journal-1.jsonl': whole(...keys) });
    await ports.records.load();
    expect(numbers()).toEqual([11]);
    // 1000 lines, and three for each of the 400; there is one for each record already.
    await ports.records.remove(...lines(1700));
    expect(numbers()).toEqual([11]);
    await ports.records.remove(...lines(100));
    expect(numbers()).toEqual([12]);
    expect((await ports.records.load()).size).toBe(400);
  });

  it('is retried at twice the length when the journal could not be read', async () => {
    await ports.records.load();
    await ports.records.put('a', 'kept');
    ports.modules.control.disk.makeUnreadable(onlyJournal());
    await ports.records.remove(...lines(1000));
    expect(numbers()).toEqual([10]);
    ports.modules.control.disk.makeReadable(onlyJournal());
    await ports.records.put('b', 'kept');
    expect(numbers()).toEqual([10]);
    await ports.records.remove(...lines(1001));
    expect(numbers()).toEqual([11]);
    expect([...(await ports.records.load()).keys()]).toEqual(['a', 'b']);
  });

  it('succeeds when an old journal cannot be deleted; a later start deletes it', async () => {
    const remove: (this: File) => Promise<number> = Reflect.get(File.prototype, 'delete');
    setFiles({ 'journal-1.jsonl': whole('a') });
    const spy = jest.spyOn(File.prototype, 'delete').mockRejectedValue(new Error('EBUSY'));
    expect([...(await ports.records.load()).keys()]).toEqual(['a']);
    await ports.records.put('b', 'kept');
    expect(numbers()).toEqual([1, 11]);
    spy.mockImplementation(function (this: File) {
      return remove.call(this);
    });
    ports = ports.restart();
    expect([...(await ports.records.load()).keys()]).toEqual(['a', 'b']);
    expect(numbers()).toEqual([21]);
  });
});

describe('a foreign file or an incomplete journal', () => {
  it('is neither read nor removed', async () => {
    const others = {
      'journal-7.jsonl.bak': whole('of a backup'),
      'my journal-8.jsonl': whole('of somebody'),
      'journal-9-XYZ.jsonl': whole('of another program'),
    };
    setFiles({ 'journal-1.jsonl': whole('a'), ...others });
    nodeFs.mkdirSync(nodePath.join(folder(), 'journal-6.jsonl'));
    expect([...(await ports.records.load()).keys()]).toEqual(['a']);
    await ports.records.put('b', 'kept');
    expect(await ports.records.isOwner()).toBe(true);
    expect(nodeFs.readdirSync(folder())).toEqual(
      expect.arrayContaining([...Object.keys(others), 'journal-6.jsonl']),
    );
  });

  it.each(['{"complete":false}', '{"complete":"true"}', '{"completed":true}'])(
    'is not used as a journal: %s',
    async (last) => {
      setFiles({
        'journal-1.jsonl': whole('a'),
        'journal-2.jsonl': `{"put":"b","value":"x"}\n${last}\n`,
      });
      expect([...(await ports.records.load()).keys()]).toEqual(['a']);
    },
  );
});
