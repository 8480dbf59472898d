import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SpoolReader } from '../../../src/host/host.js';
import type { Operation } from '../../support/memory-host.js';
import { Rig } from '../fixture.js';

/** A copy is open while it is sent, and no longer. */
describe('the copy of a photo on its way', () => {
  const TEXT = 'a photo of several chunks';
  let rig: Rig;
  let open: number;
  /** What closing a copy waits for. */
  let free: Promise<void>;

  beforeEach(async () => {
    rig = new Rig();
    open = 0;
    free = Promise.resolve();
    await rig.start();
    const run = rig.storage.run.bind(rig.storage);
    Object.assign(rig.storage, {
      run: async (operation: Operation, key: string, change: () => unknown) => {
        const result = await run(operation, key, change);
        if (operation !== 'spool.open') return result;
        open += 1;
        return {
          ...(result as SpoolReader),
          close: async () => {
            await free;
            open -= 1;
          },
        };
      },
    });
  });

  /** Its first chunk has arrived, and the second is on the wire. */
  async function half(): Promise<void> {
    rig.uploader.pause();
    await rig.uploader.addPhotos([rig.photo(TEXT)]);
    rig.uploader.resume();
    await rig.clock.settle();
    rig.respond(rig.network.only);
    await rig.clock.settle();
    expect(open).toBe(1);
  }

  it.each([
    ['it is stopped', () => rig.uploader.pause()],
    ['it is removed', () => void rig.uploader.removeAll()],
    ['it fails', () => rig.network.only.respond(415, { 'Tus-Resumable': '1.0.0' })],
    [
      'it has arrived',
      () => {
        rig.network.onRequest = (exchange) => rig.respond(exchange);
        rig.respond(rig.network.only);
      },
    ],
  ])('is closed when %s', async (_how, end) => {
    await half();
    end();
    await rig.clock.advance(1_000);
    expect(open).toBe(0);
  });

  it('does not send a photo that is removed, restored and removed again while its copy closes', async () => {
    await half();
    let letGo = (): void => undefined;
    free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    void rig.uploader.removeAll();
    await rig.clock.settle();
    void rig.uploader.undoRemoval();
    await rig.clock.settle();
    letGo();
    await rig.clock.settle();
    void rig.uploader.removeAll();
    await rig.clock.advance(60_000);
    expect(rig.list.all).toEqual([]);
    expect(rig.network.open).toEqual([]);
    expect(open).toBe(0);
  });
});
