import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import type { FolderTree } from '../../src/host/folders.js';
import { FakeClock } from '../support/fake-clock.js';
import { openUxp, passUntil, type UxpPorts } from './implementations.js';

let ports: UxpPorts;
/** A folder of the user's computer. */
let photos: string;

beforeEach(() => {
  ports = openUxp('8.4.0');
  photos = nodePath.join(ports.folder, 'Photos');
  nodeFs.mkdirSync(nodePath.join(photos, 'Day 1'), { recursive: true });
});

afterEach(() => ports.dispose());

async function choose(): Promise<{ readonly tree: FolderTree; readonly token: string }> {
  ports.modules.control.pickers.answer([photos]);
  const chosen = await ports.folders?.pickFolder();
  if (!chosen) throw new Error('nothing was chosen');
  return chosen;
}

function write(path: string, content: string | Uint8Array): void {
  nodeFs.writeFileSync(nodePath.join(photos, path), content);
}

function read(path: string): string | null {
  const native = nodePath.join(photos, path);
  return nodeFs.existsSync(native) ? nodeFs.readFileSync(native, 'utf8') : null;
}

/** All files, with those that are hidden from lists. */
function names(): readonly string[] {
  return nodeFs.readdirSync(nodePath.join(photos, 'Day 1')).sort();
}

// oxlint-disable-next-line require-await -- the port takes any iterable
async function* parts(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new Uint8Array(Buffer.from(text));
}

const PATH = 'Day 1/Coast.xmp';

describe('the files of a folder in UXP', () => {
  it('are listed with those of subfolders, up to a number, without hidden ones', async () => {
    write('a.jpg', '');
    write('~b.jpg', '');
    write('.c.jpg', '');
    write(PATH, '');
    nodeFs.mkdirSync(nodePath.join(photos, '.hidden'));
    write('.hidden/d.jpg', '');
    const { tree } = await choose();
    expect([...(await tree.list(10))].sort()).toEqual([PATH, 'a.jpg']);
    expect(await tree.list(1)).toHaveLength(1);
    nodeFs.rmSync(photos, { recursive: true });
    await expect(tree.list(10)).rejects.toMatchObject({ code: 'CW-705' });
  });

  it('are read whole up to a length, and in parts at any length', async () => {
    const { tree } = await choose();
    const long = Buffer.alloc(3_000_000, 'abc');
    write(PATH, long);
    expect(Buffer.from((await tree.read(PATH, 3_000_000)) ?? [])).toEqual(long);
    await expect(tree.read(PATH, 2_999_999)).rejects.toMatchObject({ code: 'CW-602' });
    expect(await tree.read('Day 2/Coast.xmp', 9)).toBeNull();
    expect(await tree.stat(PATH)).toMatchObject({ size: 3_000_000 });
    expect(await tree.stat('none')).toBeNull();
    const file = await tree.open(PATH);
    write(PATH, 'changed');
    expect(file.size).toBe(3_000_000);
    expect(Buffer.from(await file.read(2_999_997, 3_000_000)).toString()).toBe('abc');
    await expect(file.read(2_999_999, 3_000_001)).rejects.toMatchObject({ code: 'CW-602' });
    await file.close();
    expect(nodeFs.readdirSync(nodePath.join(ports.dataFolder, 'reading'))).toEqual([]);
    await expect(tree.open('none')).rejects.toMatchObject({ code: 'CW-602' });
  });

  it('are replaced and made, with long parts, and removed', async () => {
    const { tree } = await choose();
    write(PATH, 'old');
    await tree.replace(PATH, await tree.stat(PATH), parts('x'.repeat(2_500_000), 'end'));
    expect(read(PATH)).toBe(`${'x'.repeat(2_500_000)}end`);
    await tree.replace('Day 1/New.xmp', null, parts());
    expect(read('Day 1/New.xmp')).toBe('');
    await tree.remove(PATH);
    await tree.remove(PATH);
    expect(names()).toEqual(['New.xmp']);
  });

  it('stay when they are read-only', async () => {
    const { tree } = await choose();
    write(PATH, 'old');
    nodeFs.chmodSync(nodePath.join(photos, PATH), 0o444);
    const calls: string[] = [];
    ports.modules.lifetime.fileFault = ({ name }) => {
      calls.push(name);
      return 'run';
    };
    await expect(tree.replace(PATH, await tree.stat(PATH), parts('new'))).rejects.toMatchObject({
      code: 'CW-811',
    });
    expect(read(PATH)).toBe('old');
    expect(names()).toEqual(['Coast.xmp']);
    // Other systems than Windows would replace it.
    expect(calls).not.toContain('createFile');
  });

  it('stay when the new one was not written whole', async () => {
    const { tree } = await choose();
    write(PATH, 'old');
    ports.modules.lifetime.fileFault = ({ name, on }) => {
      if (name === 'getMetadata' && on.endsWith('.tmp')) nodeFs.truncateSync(on, 1);
      return 'run';
    };
    await expect(tree.replace(PATH, await tree.stat(PATH), parts('new'))).rejects.toMatchObject({
      code: 'CW-811',
    });
    expect([read(PATH), names()]).toEqual(['old', ['Coast.xmp']]);
  });

  it.each(['an old file', 'no file'])('stay when the disk is full, with %s', async (what) => {
    const { tree } = await choose();
    if (what === 'an old file') write(PATH, 'old');
    ports.modules.control.disk.fullAfter(1);
    await expect(tree.replace(PATH, await tree.stat(PATH), parts('new'))).rejects.toMatchObject({
      code: 'CW-703',
    });
    ports.modules.control.disk.makeRoom();
    expect(names()).toEqual(what === 'an old file' ? ['Coast.xmp'] : []);
    expect(read(PATH)).toBe(what === 'an old file' ? 'old' : null);
  });

  it.each([true, false])(
    'are old or new after a kill at any step (old file: %p)',
    async (hadFile) => {
      const { token } = await choose();
      const outcome = { isFinished: false };
      const isOver = (): boolean => outcome.isFinished || left < 0;
      let left = 0;
      for (let step = 0; !outcome.isFinished; step += 1) {
        if (hadFile) write(PATH, 'old');
        else nodeFs.rmSync(nodePath.join(photos, PATH), { force: true });
        const { tree } = (await ports.folders?.openFolder(token)) ?? (await choose());
        const before = await tree.stat(PATH);
        left = step;
        ports.modules.lifetime.fileFault = () => ((left -= 1) < 0 ? 'hang' : 'run');
        const done = tree.replace(PATH, before, parts('new ', 'file')).then(() => {
          outcome.isFinished = true;
        });
        // After the kill, its time limits end it.
        done.catch(() => undefined);
        while (!isOver()) await new Promise((resolve) => setImmediate(resolve));
        ports = ports.restart();
        const again = await ports.folders?.openFolder(token);
        await again?.tree.recover([{ path: PATH, hadFile }]);
        expect([hadFile ? 'old' : null, 'new file']).toContain(read(PATH));
        const rest = names().filter((name) => name.startsWith('~'));
        if (!hadFile) expect(rest).toEqual([]);
        // What a move that comes late needs is there for an hour.
        for (const name of rest) {
          const at = Number(/\d{13}/.exec(name)?.[0]);
          const earlier = name.replace(String(at), String(at - 60 * 60_000));
          const path = (of: string): string => nodePath.join(photos, 'Day 1', of);
          nodeFs.renameSync(path(name), path(earlier));
        }
        await again?.tree.list(10);
        expect(names().filter((name) => name.startsWith('~'))).toEqual([]);
        expect(step).toBeLessThan(40);
      }
      expect(read(PATH)).toBe('new file');
    },
  );

  it.each([true, false])(
    'are the old or the new ones when the plugin is loaded again during any operation (old file: %p)',
    async (hadFile) => {
      const run = { isOver: false };
      for (let step = 0; !run.isOver; step += 1) {
        for (const name of names()) nodeFs.rmSync(nodePath.join(photos, 'Day 1', name));
        if (hadFile) write(PATH, 'old');
        const { tree, token } = await choose();
        const before = await tree.stat(PATH);
        let release: () => void = () => undefined;
        const released = new Promise<void>((resolve) => (release = resolve));
        let left = step;
        ports.modules.lifetime.fileFault = () => ((left -= 1) === -1 ? released : 'run');
        const done = tree.replace(PATH, before, parts('new ', 'file')).then(() => {
          run.isOver = true;
        });
        done.catch(() => undefined);
        const isReached = (): boolean => left < 0 || run.isOver;
        while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
        ports = ports.restart();
        const again = await ports.folders?.openFolder(token);
        await again?.tree.recover([{ path: PATH, hadFile }]);
        release();
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
        expect([step, [hadFile ? 'old' : null, 'new file'].includes(read(PATH))]).toEqual([
          step,
          true,
        ]);
        expect(step).toBeLessThan(40);
      }
    },
  );

  it('are not replaced when another file has come, or has gone', async () => {
    const { tree } = await choose();
    write(PATH, 'old');
    const before = await tree.stat(PATH);
    expect(await tree.replace(PATH, null, parts('new'))).toBe('changed');
    write(PATH, 'of another program');
    expect(await tree.replace(PATH, before, parts('new'))).toBe('changed');
    expect([read(PATH), names()]).toEqual(['of another program', ['Coast.xmp']]);
    await tree.remove(PATH);
    expect(await tree.replace(PATH, before, parts('new'))).toBe('changed');
    expect(names()).toEqual([]);
  });

  it('are not changed by what an earlier try still writes', async () => {
    await ports.dispose();
    const clock = new FakeClock();
    ports = openUxp('8.4.0', undefined, clock);
    photos = nodePath.join(ports.folder, 'Photos');
    nodeFs.mkdirSync(nodePath.join(photos, 'Day 1'), { recursive: true });
    write(PATH, 'old');
    const { tree } = await choose();
    const before = await tree.stat(PATH);
    const { lifetime } = ports.modules;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let writes = 0;
    lifetime.fileFault = ({ name }) => (name === 'write' && ++writes === 2 ? released : 'run');
    const first = tree.replace(PATH, before, parts('first'));
    expect(await passUntil(clock, ports.modules, first)).toBe('unknown');
    lifetime.fileFault = ({ name }) => {
      if (name !== 'moveTo') return 'run';
      release();
      return clock.settle();
    };
    const second = tree.replace(PATH, before, parts('second'));
    expect(await passUntil(clock, ports.modules, second)).toBe('replaced');
    expect([read(PATH), names()]).toEqual(['second', ['Coast.xmp']]);
  });

  it.each([
    ['late', true],
    ['late', false],
    ['late, and not answered,', true],
    ['late, and not answered,', false],
    ['never answered', true],
    ['never answered', false],
  ] as const)(
    'are what the outcome says when one operation is %s (old file: %p)',
    async (kind, hadFile) => {
      const outcomes = new Set<string>();
      let isReached = true;
      for (let step = 0; isReached; step += 1) {
        await ports.dispose();
        const clock = new FakeClock();
        ports = openUxp('8.4.0', undefined, clock);
        photos = nodePath.join(ports.folder, 'Photos');
        nodeFs.mkdirSync(nodePath.join(photos, 'Day 1'), { recursive: true });
        if (hadFile) write(PATH, 'old');
        const { tree } = await choose();
        const before = await tree.stat(PATH);
        let release: () => void = () => undefined;
        const released = new Promise<void>((resolve) => (release = resolve));
        let left = step;
        ports.modules.lifetime.fileFault = () =>
          (left -= 1) !== -1
            ? 'run'
            : kind === 'late'
              ? released
              : kind === 'never answered'
                ? 'hang'
                : released.then(() => 'hang' as const);
        const done = tree.replace(PATH, before, parts('new ', 'file')).catch(() => 'refused');
        const outcome = await passUntil(clock, ports.modules, done);
        isReached = left < 0;
        outcomes.add(outcome);
        const old = hadFile ? 'old' : null;
        if (hadFile) expect([step, read(PATH)]).not.toEqual([step, null]);
        // What is in between is there under another name.
        if (outcome !== 'unknown')
          expect(read(PATH)).toBe(outcome === 'replaced' ? 'new file' : old);
        const recovered = tree.recover([{ path: PATH, hadFile }]);
        const unsure = await passUntil(clock, ports.modules, recovered);
        release();
        for (let turn = 0; turn < 20; turn += 1) await clock.settle();
        // A move that ends between its two steps is finished by the next call.
        if (kind === 'late, and not answered,') await tree.recover([{ path: PATH, hadFile }]);
        const after = read(PATH);
        expect([step, [old, 'new file'].includes(after)]).toEqual([step, true]);
        if (outcome === 'refused') expect([step, after]).toEqual([step, old]);
        if (kind !== 'never answered') {
          expect(await tree.recover([{ path: PATH, hadFile }])).toEqual(new Set());
          if (unsure.size === 0) expect([step, read(PATH)]).toEqual([step, after]);
          expect([step, names()]).toEqual([step, read(PATH) === null ? [] : ['Coast.xmp']]);
        }
        expect(step).toBeLessThan(60);
      }
      expect(outcomes).toContain('replaced');
      expect(outcomes).toContain('unknown');
    },
  );
});
