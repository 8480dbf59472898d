import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomId } from '../../../src/util/random-id.js';
import type { PhotoSource } from '../../../src/host/photo-source.js';
import type { SpooledCopy } from '../../../src/host/spool.js';
import { PhotoImporter } from '../../../src/features/import/photo-importer.js';
import { hurriedClock, openUxp, type UxpPorts } from '../../host-ports/implementations.js';
import { List } from '../queue/queue-fixture.js';
import { seededBytes } from '../../support/seeded-random.js';

/** Faults of picked photos on a real disk; none stops the others. */
describe('importing several picked photos', () => {
  let ports: UxpPorts;
  let list: List;
  let importer: PhotoImporter;

  beforeEach(async () => {
    ports = openUxp('9.2.0');
    await ports.records.load();
    const random = seededBytes(1);
    const { records, spool } = ports;
    list = new List({ records, spool, now: () => 0, newId: () => randomId(random) });
    const onRejected = (): void => {
      // The partial copy of a photo that does not fit is deleted, which frees the space.
      ports.modules.control.disk.makeRoom();
    };
    importer = new PhotoImporter({
      queue: list,
      photoStore: list.store,
      spool,
      clock: hurriedClock(),
      detectProblem: () => null,
      ownerForNewPhotos: () => null,
      projectForNewPhotos: () => null,
      onQueued: () => undefined,
      onRejected,
    });
  });
  afterEach(async () => {
    expect(leftovers()).toEqual([]);
    await ports.dispose();
  });

  function pick(...names: string[]): Promise<PhotoSource[]> {
    return Promise.all(names.map((name) => ports.photo(name, new TextEncoder().encode(name))));
  }

  function refused(): string[] {
    return importer.state.get().rejected.map(({ name, error }) => `${name} ${error.code}`);
  }

  /** Every queued photo as the list has it and as its copy is, in the order of the list. */
  async function queued(): Promise<string[]> {
    const found: string[] = [];
    for (const { record } of list.slice(0, Infinity)) {
      const reader = await ports.spool.open(record.id);
      const bytes = await reader.read(0, record.size);
      await reader.close();
      if (!(bytes instanceof ArrayBuffer)) throw new Error('the bytes are no ArrayBuffer');
      found.push(`${record.name}: ${new TextDecoder().decode(bytes)}`);
    }
    return found;
  }

  /** Copies that belong to no photo of the list. */
  function leftovers(): string[] {
    const ids = new Set(list.slice(0, Infinity).map(({ record }) => record.id));
    return ['spool', 'incoming']
      .flatMap((folder) => readdirSync(join(ports.dataFolder, folder)))
      .filter((name) => !ids.has(name));
  }

  it('rejects a missing photo as unreadable', async () => {
    const photos = await pick('a', 'gone', 'c');
    rmSync(join(ports.dataFolder, '..', '..', 'gone'));
    await importer.add(photos, true);
    expect(refused()).toEqual(['gone CW-602']);
    expect(await queued()).toEqual(['a: a', 'c: c']);
  });

  it('rejects a photo without read permission as unreadable', async () => {
    const photos = await pick('a', 'locked', 'c');
    ports.losePhoto('locked');
    await importer.add(photos, true);
    expect(refused()).toEqual(['locked CW-602']);
    expect(await queued()).toEqual(['a: a', 'c: c']);
  });

  it('rejects an empty photo, also when it was emptied after it was picked', async () => {
    const photos = [
      ...(await pick('a')),
      await ports.photo('empty', new Uint8Array(0)),
      ...(await pick('emptied', 'd')),
    ];
    ports.changePhoto?.('emptied', new Uint8Array(0));
    await importer.add(photos, true);
    expect(refused()).toEqual(['empty CW-601', 'emptied CW-601']);
    expect(await queued()).toEqual(['a: a', 'd: d']);
  });

  it('queues a photo that changed after it was picked with its size when it is copied', async () => {
    const photos = await pick('a', 'changed', 'c');
    ports.changePhoto?.('changed', new TextEncoder().encode('changed to something longer'));
    await importer.add(photos, true);
    ports.changePhoto?.('changed', new TextEncoder().encode('changed again'));
    expect(refused()).toEqual([]);
    expect(await queued()).toEqual(['a: a', 'changed: changed to something longer', 'c: c']);
  });

  it.each([NaN, -1, Infinity, 0.5, 2 ** 60])(
    'rejects a photo with the invalid size %d',
    async (size) => {
      const [a, odd, c] = await pick('a', 'odd', 'c');
      if (!a || !odd || !c) throw new Error('nothing was picked');
      const copyToSpool = async (id: string): Promise<SpooledCopy> => {
        const copy = await odd.copyToSpool(id);
        return { ...copy, size };
      };
      await importer.add([a, { ...odd, copyToSpool }, c], true);
      expect(refused()).toEqual(['odd CW-608']);
      expect(await queued()).toEqual(['a: a', 'c: c']);
      expect(leftovers()).toEqual([]);
    },
  );

  it('rejects a photo that does not fit on the disk, and queues smaller ones after it', async () => {
    const photos = [
      ...(await pick('a')),
      await ports.photo('huge', new Uint8Array(2_000_000)),
      ...(await pick('c')),
    ];
    ports.modules.control.disk.fullAfter(100_000);
    await importer.add(photos, true);
    expect(refused()).toEqual(['huge CW-703']);
    expect(await queued()).toEqual(['a: a', 'c: c']);
  });
});
