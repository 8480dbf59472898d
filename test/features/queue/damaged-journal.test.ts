import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { openUxp, type UxpPorts } from '../../host-ports/implementations.js';
import { Folder } from '../../host/modules/entries.js';
import { pass } from '../faulty-storage.js';
import { UploadFixture, textOf } from '../fixture.js';

const PHOTOS = ['one', 'two', 'three'];

/** Three photos wait on the disk; then their journal is damaged, and the plugin starts. */
describe('a journal that is damaged', () => {
  let fixture: UploadFixture;
  let ports: UxpPorts;

  beforeEach(async () => {
    fixture = new UploadFixture();
    ports = openUxp('9.2.0', undefined, fixture.clock);
    fixture.openPorts = () => ports;
    fixture.account = null;
    await start();
    const photos = [];
    for (const text of PHOTOS) {
      photos.push(await ports.photo(`${text}.jpg`, new Uint8Array(Buffer.from(text))));
    }
    void fixture.uploads.addPhotos(photos);
    await wait();
    expect(fixture.unsent.map(textOf)).toEqual(PHOTOS);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await ports.dispose();
  });

  async function start(): Promise<void> {
    await fixture.start({ restores: false });
    void fixture.uploads.restore();
    await wait();
  }

  async function restart(): Promise<void> {
    ports = ports.restart();
    await start();
  }

  /** Lets a minute pass while the service answers everything. */
  async function wait(): Promise<void> {
    const { lifetime } = ports.modules;
    const isBusy = (): boolean => lifetime.fileOperations > 0;
    for (let round = 0; round < 6; round += 1) {
      await pass(fixture.clock, { isBusy }, 10_000);
      for (const exchange of fixture.network.open) fixture.respond(exchange);
    }
  }

  function folder(): string {
    return nodePath.join(ports.dataFolder, 'records');
  }

  function journal(): string {
    const [name = ''] = nodeFs.readdirSync(folder());
    return nodePath.join(folder(), name);
  }

  const change = (edit: (text: string) => string): void => {
    nodeFs.writeFileSync(journal(), edit(nodeFs.readFileSync(journal(), 'utf8')));
  };
  const addJournal = (name: string, text: string): void => {
    nodeFs.writeFileSync(nodePath.join(folder(), name), text);
  };

  it.each<[string, () => void]>([
    ['torn in its first line', () => change((text) => text.slice(5))],
    ['torn in the middle', () => change((text) => text.replace(/"value":.{40}/, ''))],
    ['cut short', () => change((text) => text.slice(0, text.length / 2))],
    ['empty', () => change(() => '')],
    ['zeros', () => change((text) => '\0'.repeat(text.length))],
    ['gone', () => nodeFs.rmSync(journal())],
    [
      'there twice',
      () => addJournal('journal-1-00000000.jsonl', nodeFs.readFileSync(journal(), 'utf8')),
    ],
    ['doubled line by line', () => change((text) => text + text)],
    [
      'numbered beyond safe integers',
      () => addJournal('journal-99999999999999999999-0a.jsonl', '{"complete":true}\n'),
    ],
    [
      'numbered with the largest safe integer',
      () => addJournal('journal-9007199254740991-0a.jsonl', '{"complete":true}\n'),
    ],
  ])('neither loses nor duplicates a photo: %s', async (_name, damage) => {
    damage();
    fixture.account = 'anna';
    await restart();
    void fixture.uploads.answerOrphans(true);
    await wait();
    expect(fixture.arrived().toSorted()).toEqual(PHOTOS.toSorted());
    expect(fixture.unsent).toEqual([]);
    await restart();
    expect(fixture.uploads.state.get().orphans).toBe(0);
    expect(nodeFs.readdirSync(nodePath.join(ports.dataFolder, 'spool'))).toEqual([]);
  });

  it('stays as it is when a newer version of the plugin wrote it', async () => {
    const text = '{"records":[]}\n{"complete":true,"version":2}\n';
    addJournal('journal-50-00000000.jsonl', text);
    fixture.account = 'anna';
    await restart();
    expect(fixture.uploads.state.get()).toMatchObject({
      isUnread: true,
      storageError: { code: 'CW-702' },
    });
    expect(fixture.arrived()).toEqual([]);
    expect(nodeFs.readdirSync(folder()).sort()).toHaveLength(2);
    expect(nodeFs.readdirSync(nodePath.join(ports.dataFolder, 'spool'))).toHaveLength(3);
  });

  it.each(['records', 'spool', 'incoming'])(
    'neither loses nor duplicates a photo when a listing of %s omits entries',
    async (listed) => {
      const list: (this: Folder) => Promise<unknown[]> = Reflect.get(
        Folder.prototype,
        'getEntries',
      );
      const spy = jest.spyOn(Folder.prototype, 'getEntries').mockImplementation(async function (
        this: Folder,
      ) {
        const entries = await list.call(this);
        return (this.name === listed ? entries.slice(0, -1) : entries) as never;
      });
      await restart();
      void fixture.uploads.answerOrphans(true);
      await wait();
      spy.mockRestore();
      fixture.account = 'anna';
      await restart();
      void fixture.uploads.answerOrphans(true);
      await wait();
      expect(fixture.arrived().toSorted()).toEqual(PHOTOS.toSorted());
    },
  );
});
