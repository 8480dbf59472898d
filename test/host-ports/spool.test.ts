import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { setImmediate as nextTask } from 'node:timers/promises';
import type { BinaryBody } from '../../src/host/http.js';
import { crc32c } from '../support/crc32c.js';
import { photo as photoBytes } from '../service/support/tus-client.js';
import fc from '../support/properties.js';
import { FakeClock } from '../support/fake-clock.js';
import {
  implementations,
  openUxp,
  passUntil,
  type PortsUnderTest,
  type UxpPorts,
} from './implementations.js';

async function bytesOf(body: BinaryBody): Promise<Uint8Array> {
  return new Uint8Array('arrayBuffer' in body ? await body.arrayBuffer() : body);
}

async function readWhole(ports: PortsUnderTest, id: string, size: number): Promise<Uint8Array> {
  const reader = await ports.spool.open(id);
  try {
    return await bytesOf(await reader.read(0, size));
  } finally {
    await reader.close();
  }
}

describe.each(implementations)('Spool and PhotoSource: $name', ({ name, open }) => {
  let ports: PortsUnderTest;

  beforeEach(async () => {
    ports = await open();
  });
  afterEach(async () => {
    ports.heal();
    await ports.dispose();
  });

  it('is empty at first', async () => {
    expect(await ports.spool.list()).toEqual([]);
  });

  it('keeps a copy of the photo, byte for byte, also after a restart', async () => {
    const bytes = photoBytes(70_001);
    const photo = await ports.photo('one.jpg', bytes);
    expect(photo).toMatchObject({ name: 'one.jpg', type: 'image/jpeg' });
    expect(await photo.copyToSpool('id-1')).toMatchObject({ size: bytes.length });
    expect(await ports.spool.list()).toEqual(['id-1']);
    expect(await readWhole(ports, 'id-1', bytes.length)).toEqual(bytes);
    ports = ports.restart();
    expect(await ports.spool.list()).toEqual(['id-1']);
    expect(await readWhole(ports, 'id-1', bytes.length)).toEqual(bytes);
  });

  it('returns the digest of the photo, or null when the app makes the copy', async () => {
    const bytes = photoBytes(70_001);
    const { crc32c: told } = await (await ports.photo('one.jpg', bytes)).copyToSpool('id-1');
    expect(told).toBe(name === 'browser' ? crc32c(bytes) : null);
  });

  it('returns any slice of a copy', async () => {
    const bytes = photoBytes(3000);
    await (await ports.photo('one.jpg', bytes)).copyToSpool('id-1');
    const reader = await ports.spool.open('id-1');
    await fc.assert(
      fc.asyncProperty(fc.nat(3000), fc.nat(3000), async (a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        expect(await bytesOf(await reader.read(start, end))).toEqual(bytes.slice(start, end));
      }),
      { numRuns: 30 },
    );
    await reader.close();
  });

  it('streams any range of a copy in order', async () => {
    const bytes = photoBytes(2_500_000);
    await (await ports.photo('one.jpg', bytes)).copyToSpool('id-1');
    const reader = await ports.spool.open('id-1');
    for (const [start, end] of [
      [0, 2_500_000],
      [1_048_575, 2_499_999],
      [7, 8],
      [5, 5],
    ] as const) {
      const found: Uint8Array[] = [];
      for await (const piece of reader.chunks(start, end)) {
        expect(piece.length).toBeLessThanOrEqual(1_048_576);
        // The next one may lie in the same memory.
        found.push(piece.slice());
      }
      expect(Buffer.concat(found).equals(bytes.subarray(start, end))).toBe(true);
    }
    await reader.close();
  });

  it('throws CW-607 for bytes beyond the end and for a missing copy', async () => {
    await (await ports.photo('one.jpg', photoBytes(10))).copyToSpool('id-1');
    const reader = await ports.spool.open('id-1');
    await expect(reader.read(5, 11)).rejects.toMatchObject({ code: 'CW-607' });
    expect(await bytesOf(await reader.read(5, 10))).toEqual(photoBytes(10).slice(5));
    await reader.close();
    await expect(ports.spool.open('id-2')).rejects.toMatchObject({ code: 'CW-607' });
  });

  it('removes one copy only', async () => {
    for (const id of ['id-1', 'id-2'])
      await (await ports.photo(`${id}.jpg`, photoBytes(10))).copyToSpool(id);
    await ports.spool.remove('id-1');
    await ports.spool.remove('id-1');
    await ports.spool.remove('never there');
    expect(await ports.spool.list()).toEqual(['id-2']);
    await expect(ports.spool.open('id-1')).rejects.toMatchObject({ code: 'CW-607' });
    expect(await readWhole(ports, 'id-2', 10)).toEqual(photoBytes(10));
  });

  it('accepts several photos at once on new storage', async () => {
    const ids = ['id-1', 'id-2', 'id-3', 'id-4'];
    const photos: Awaited<ReturnType<typeof ports.photo>>[] = [];
    for (const [index, id] of ids.entries())
      photos.push(await ports.photo(`${id}.jpg`, photoBytes(100, index)));
    await Promise.all(photos.map((photo, index) => photo.copyToSpool(ids[index] ?? '')));
    expect([...(await ports.spool.list())].sort()).toEqual(ids);
    for (const [index, id] of ids.entries())
      expect(await readWhole(ports, id, 100)).toEqual(photoBytes(100, index));
  });

  it('keeps two photos with the same name apart', async () => {
    const first = await ports.photo('same.jpg', photoBytes(10, 1));
    await first.copyToSpool('id-1');
    const second = await ports.photo('same.jpg', photoBytes(20, 2));
    await second.copyToSpool('id-2');
    expect(await readWhole(ports, 'id-1', 10)).toEqual(photoBytes(10, 1));
    expect(await readWhole(ports, 'id-2', 20)).toEqual(photoBytes(20, 2));
  });

  it('returns the size of an empty photo', async () => {
    const photo = await ports.photo('empty.jpg', new Uint8Array(0));
    expect(await photo.copyToSpool('id-1')).toMatchObject({ size: 0 });
  });

  it('throws CW-602 for an unreadable photo and leaves nothing of it', async () => {
    const photo = await ports.photo('lost.jpg', photoBytes(10));
    ports.losePhoto('lost.jpg');
    await expect(photo.copyToSpool('id-1')).rejects.toMatchObject({ code: 'CW-602' });
    ports.heal();
    expect(await ports.spool.list()).toEqual([]);
    await (await ports.photo('good.jpg', photoBytes(10))).copyToSpool('id-1');
    expect(await ports.spool.list()).toEqual(['id-1']);
  });

  it('throws CW-703 on a full disk and leaves nothing of the photo', async () => {
    const photo = await ports.photo('one.jpg', photoBytes(10));
    ports.fillDisk();
    await expect(photo.copyToSpool('id-1')).rejects.toMatchObject({ code: 'CW-703' });
    ports.heal();
    expect(await ports.spool.list()).toEqual([]);
    expect(await photo.copyToSpool('id-1')).toMatchObject({ size: 10 });
  });

  it('keeps the photo as it was when it was copied', async () => {
    const photo = await ports.photo('one.jpg', photoBytes(10, 1));
    await photo.copyToSpool('id-1');
    // Where a picked photo is a snapshot, nothing can change it; a second one of that name replaces it.
    if (ports.changePhoto) ports.changePhoto('one.jpg', photoBytes(30, 2));
    else await ports.photo('one.jpg', photoBytes(30, 2));
    expect(await readWhole(ports, 'id-1', 10)).toEqual(photoBytes(10, 1));
  });
});

describe('Spool in the data folder of UXP', () => {
  let ports: UxpPorts;

  beforeEach(() => {
    ports = openUxp('8.4.0');
  });
  afterEach(async () => {
    await ports.dispose();
  });

  function incoming(): string[] {
    const folder = nodePath.join(ports.dataFolder, 'incoming');
    return nodeFs.existsSync(folder) ? nodeFs.readdirSync(folder) : [];
  }

  it('has the whole copy or none after a kill at any step, and can remove every listed one', async () => {
    const bytes = photoBytes(300_001);
    const outcomes = new Set<string>();
    const run = { finished: false };
    for (let turns = 0; !run.finished; turns += 1 + Math.floor(turns / 5)) {
      const photo = await ports.photo('one.jpg', bytes);
      photo.copyToSpool('id-1').then(
        () => {
          run.finished = true;
        },
        () => undefined,
      );
      for (let turn = 0; turn < turns; turn += 1) await nextTask();
      ports = ports.restart();
      const isWhole = nodeFs.existsSync(nodePath.join(ports.dataFolder, 'spool', 'id-1'));
      const listed = [...(await ports.spool.list()), ...(await ports.spool.listIncoming())];
      expect(listed.length > 0).toBe(isWhole || incoming().length > 0);
      outcomes.add(isWhole ? 'whole' : listed.length > 0 ? 'cut short' : 'none');
      if (isWhole)
        expect(Buffer.compare(await readWhole(ports, 'id-1', bytes.length), bytes)).toBe(0);
      for (const id of listed) {
        expect(id).toBe('id-1');
        await ports.spool.remove(id);
      }
      expect(incoming()).toEqual([]);
      expect(await ports.spool.list()).toEqual([]);
    }
    expect([...outcomes].sort()).toEqual(['cut short', 'none', 'whole']);
  });

  it('leaves nothing of the photo when the disk fills up at any byte', async () => {
    const photo = await ports.photo('one.jpg', photoBytes(100));
    for (const room of [0, 1, 50, 99]) {
      ports.modules.control.disk.fullAfter(room);
      await expect(photo.copyToSpool('id-1')).rejects.toMatchObject({ code: 'CW-703' });
      ports.modules.control.disk.makeRoom();
      expect(incoming()).toEqual([]);
      expect(await ports.spool.list()).toEqual([]);
    }
  });

  it.each(['late', 'never made'])(
    'has the whole copy or none when an operation is %s, also after another try',
    async (kind) => {
      const bytes = photoBytes(3000);
      let isReached = true;
      for (let step = 0; isReached; step += 1) {
        await ports.dispose();
        const clock = new FakeClock();
        ports = openUxp('8.4.0', undefined, clock);
        const photo = await ports.photo('one.jpg', bytes);
        let release: () => void = () => undefined;
        const released = new Promise<void>((resolve) => (release = resolve));
        let left = step;
        ports.modules.lifetime.fileFault = () =>
          (left -= 1) !== -1 ? 'run' : kind === 'late' ? released : 'hang';
        const attempt = (): Promise<boolean> =>
          passUntil(
            clock,
            ports.modules,
            photo.copyToSpool('id-1').then(
              () => true,
              () => false,
            ),
          );
        const isCopied = await attempt();
        isReached = left < 0;
        // Another try after one that failed meets what comes late at one of its operations.
        let after = step % 9;
        ports.modules.lifetime.fileFault = () => {
          if ((after -= 1) === -1) release();
          return 'run';
        };
        expect([step, isCopied || (await attempt())]).toEqual([step, true]);
        release();
        for (let turn = 0; turn < 20; turn += 1) await clock.settle();
        const read = passUntil(clock, ports.modules, readWhole(ports, 'id-1', bytes.length));
        expect([step, await read]).toEqual([step, bytes]);
        expect([step, await ports.spool.list()]).toEqual([step, ['id-1']]);
        expect(step).toBeLessThan(40);
      }
    },
  );

  it('has no half copy when an earlier try comes late, and a kill ends it', async () => {
    await ports.dispose();
    const clock = new FakeClock();
    ports = openUxp('8.4.0', undefined, clock);
    const bytes = photoBytes(8 << 20);
    const photo = await ports.photo('one.jpg', bytes);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { lifetime, control } = ports.modules;
    lifetime.fileFault = ({ name }) => (name === 'copyTo' ? released : 'run');
    const first = passUntil(clock, ports.modules, photo.copyToSpool('id-1'));
    await expect(first).rejects.toMatchObject({ code: 'CW-602' });
    lifetime.fileFault = ({ name }) => {
      if (name !== 'moveTo') return 'run';
      release();
      // The late copy has begun when the move comes.
      return nextTask();
    };
    await photo.copyToSpool('id-1');
    control.end();
    const copy = nodeFs.readFileSync(nodePath.join(ports.dataFolder, 'spool', 'id-1'));
    expect(copy.equals(bytes)).toBe(true);
  });

  it('leaves no file open', async () => {
    await (await ports.photo('one.jpg', photoBytes(10))).copyToSpool('id-1');
    const reader = await ports.spool.open('id-1');
    await expect(reader.read(0, 11)).rejects.toMatchObject({ code: 'CW-607' });
    await reader.close();
    await reader.close();
    expect(ports.modules.control.openDescriptors()).toBe(0);
  });

  it('throws CW-607 for a truncated copy and CW-702 for an unreadable one', async () => {
    await (await ports.photo('one.jpg', photoBytes(100))).copyToSpool('id-1');
    const path = nodePath.join(ports.dataFolder, 'spool', 'id-1');
    nodeFs.truncateSync(path, 60);
    const reader = await ports.spool.open('id-1');
    await expect(reader.read(0, 100)).rejects.toMatchObject({ code: 'CW-607' });
    expect(await bytesOf(await reader.read(0, 60))).toEqual(photoBytes(100).slice(0, 60));
    ports.modules.control.disk.makeUnreadable(path);
    await expect(reader.read(0, 10)).rejects.toMatchObject({ code: 'CW-702' });
    await reader.close();
  });
});
