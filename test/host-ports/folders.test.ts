import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import type { ChosenFolder } from '../../src/host/folders.js';
import { FakeClock } from '../support/fake-clock.js';
import { openUxp, passUntil, type UxpPorts } from './implementations.js';

let ports: UxpPorts;
/** A folder of the user's computer. */
let exports: string;

beforeEach(() => {
  ports = openUxp('8.4.0');
  exports = nodePath.join(ports.folder, 'Exports');
  nodeFs.mkdirSync(exports);
});

afterEach(() => ports.dispose());

function write(name: string, text: string): void {
  nodeFs.writeFileSync(nodePath.join(exports, name), text);
}

async function choose(): Promise<ChosenFolder> {
  ports.modules.control.pickers.answer([exports]);
  const chosen = await ports.folders?.pickFolder();
  if (!chosen) throw new Error('nothing was chosen');
  return chosen;
}

describe('folders in UXP', () => {
  it('gives nothing when the picker is cancelled', async () => {
    ports.modules.control.pickers.answer('cancel');
    expect(await ports.folders?.pickFolder()).toBeNull();
  });

  it('lists files with size and date, and copies one into the spool', async () => {
    write('Coast.jpg', 'coast');
    nodeFs.utimesSync(nodePath.join(exports, 'Coast.jpg'), 1_000, 2_000);
    nodeFs.mkdirSync(nodePath.join(exports, 'Older'));
    const folder = await choose();
    expect(folder).toMatchObject({ name: 'Exports', path: exports });
    expect(await folder.list()).toEqual(['Coast.jpg']);
    expect(await folder.stat('Coast.jpg')).toEqual({ size: 5, modified: 2_000_000 });
    const photo = folder.photo('Coast.jpg');
    expect(photo).toMatchObject({ name: 'Coast.jpg', type: 'image/jpeg' });
    await photo.copyToSpool('id-1');
    expect(await ports.spool.size('id-1')).toBe(5);
    nodeFs.unlinkSync(nodePath.join(exports, 'Coast.jpg'));
    expect(await folder.stat('Coast.jpg')).toBeNull();
    expect(await folder.stat('Dune.jpg')).toBeNull();
  });

  it('opens a folder after a restart', async () => {
    const { token } = await choose();
    write('Coast.jpg', 'coast');
    ports = ports.restart();
    const folder = await ports.folders?.openFolder(token);
    expect(await folder?.list()).toEqual(['Coast.jpg']);
  });

  it('moves files into a subfolder, and numbers names that are taken', async () => {
    const folder = await choose();
    for (const text of ['one', 'two', 'three']) {
      write('Coast.jpg', text);
      await folder.list();
      await folder.moveInto('Uploaded', 'Coast.jpg');
    }
    const uploaded = nodePath.join(exports, 'Uploaded');
    expect(
      nodeFs.readdirSync(uploaded).map((name) => [name, read(nodePath.join(uploaded, name))]),
    ).toEqual([
      ['Coast (2).jpg', 'two'],
      ['Coast (3).jpg', 'three'],
      ['Coast.jpg', 'one'],
    ]);
    expect(await folder.list()).toEqual([]);
  });

  it.each([
    ['stays moved when it is the same', false],
    ['comes back when it is a new one', true],
  ])('a file that the app moves late %s', async (_, isNew) => {
    await ports.dispose();
    const clock = new FakeClock();
    ports = openUxp('8.4.0', undefined, clock);
    exports = nodePath.join(ports.folder, 'Exports');
    nodeFs.mkdirSync(exports);
    write('Coast.jpg', 'coast');
    const folder = await choose();
    await folder.list();
    const { lifetime } = ports.modules;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let moves = 0;
    lifetime.fileFault = ({ name }) => (name === 'moveTo' && ++moves === 1 ? released : 'run');
    const move = (): Promise<void> => folder.moveInto('Uploaded', 'Coast.jpg');
    await expect(passUntil(clock, ports.modules, move())).rejects.toMatchObject({ code: 'CW-705' });
    if (isNew) write('Coast.jpg', 'another');
    await folder.list();
    // No second move while the first may still come.
    await expect(passUntil(clock, ports.modules, move())).rejects.toMatchObject({ code: 'CW-705' });
    expect(moves).toBe(1);
    release();
    for (let turn = 0; turn < 20; turn += 1) await clock.settle();
    const uploaded = nodePath.join(exports, 'Uploaded');
    expect([await folder.list(), nodeFs.readdirSync(uploaded)]).toEqual(
      isNew ? [['Coast.jpg'], []] : [[], ['Coast.jpg']],
    );
    if (isNew) {
      await move();
      expect(nodeFs.readdirSync(uploaded)).toEqual(['Coast.jpg']);
    }
  });

  it('moves a file once when the plugin is loaded again during the move, and no new one later', async () => {
    write('Coast.jpg', 'coast');
    const before = await choose();
    await before.list();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const begun = new Promise<void>((resolve) => {
      ports.modules.lifetime.fileFault = ({ name }) => {
        if (name !== 'moveTo') return 'run';
        resolve();
        return released;
      };
    });
    before.moveInto('Uploaded', 'Coast.jpg').catch(() => undefined);
    await begun;
    ports = ports.restart();
    const folder = await ports.folders?.openFolder(before.token);
    await folder?.list();
    await folder?.moveInto('Uploaded', 'Coast.jpg');
    write('Coast.jpg', 'another');
    release();
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    const uploaded = nodePath.join(exports, 'Uploaded');
    expect([await folder?.list(), nodeFs.readdirSync(uploaded)]).toEqual([
      ['Coast.jpg'],
      ['Coast.jpg'],
    ]);
    expect(read(nodePath.join(exports, 'Coast.jpg'))).toBe('another');
    expect(read(nodePath.join(uploaded, 'Coast.jpg'))).toBe('coast');
  });

  it.each(['moved', 'deleted'])('throws CW-705 for a folder that was %s', async (how) => {
    const folder = await choose();
    write('Coast.jpg', 'coast');
    await folder.list();
    if (how === 'moved') nodeFs.renameSync(exports, `${exports} 2`);
    else nodeFs.rmSync(exports, { recursive: true });
    await expect(folder.list()).rejects.toMatchObject({ code: 'CW-705' });
    await expect(folder.moveInto('Uploaded', 'Coast.jpg')).rejects.toMatchObject({
      code: 'CW-705',
    });
    await expect(ports.folders?.openFolder(folder.token)).rejects.toMatchObject({ code: 'CW-705' });
    await expect(ports.folders?.openFolder('another')).rejects.toMatchObject({ code: 'CW-705' });
  });
});

function read(path: string): string {
  return nodeFs.readFileSync(path, 'utf8');
}
