import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SpoolReader } from '../../../src/host/spool.js';
import type { Operation } from '../../support/memory-host.js';
import { UploadFixture } from '../fixture.js';

/** A copy is open while it is sent, and no longer. */
describe('the copy of a photo on its way', () => {
  const TEXT = 'a photo of several chunks';
  let fixture: UploadFixture;
  let open: number;
  /** Closing a copy waits for this promise. */
  let free: Promise<void>;

  beforeEach(async () => {
    fixture = new UploadFixture();
    open = 0;
    free = Promise.resolve();
    await fixture.start();
    const run = fixture.storage.run.bind(fixture.storage);
    Object.assign(fixture.storage, {
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

  /** Its first chunk is confirmed, and the second is on the wire. */
  async function half(): Promise<void> {
    fixture.uploads.pause();
    await fixture.uploads.addPhotos([fixture.photo(TEXT)]);
    fixture.uploads.resume();
    await fixture.clock.settle();
    fixture.respond(fixture.network.only);
    await fixture.clock.settle();
    expect(open).toBe(1);
  }

  it.each([
    ['it is stopped', () => fixture.uploads.pause()],
    ['it is removed', () => void fixture.uploads.removeAll()],
    ['it fails', () => fixture.network.only.respond(415, { 'Tus-Resumable': '1.0.0' })],
    [
      'it has arrived',
      () => {
        fixture.network.onRequest = (exchange) => fixture.respond(exchange);
        fixture.respond(fixture.network.only);
      },
    ],
  ])('is closed when %s', async (_how, end) => {
    await half();
    end();
    await fixture.clock.advance(1_000);
    expect(open).toBe(0);
  });

  it('does not send a photo that is removed, restored and removed again while its copy closes', async () => {
    await half();
    let letGo = (): void => undefined;
    free = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    void fixture.uploads.removeAll();
    await fixture.clock.settle();
    void fixture.uploads.undoRemoval();
    await fixture.clock.settle();
    letGo();
    await fixture.clock.settle();
    void fixture.uploads.removeAll();
    await fixture.clock.advance(60_000);
    expect(fixture.list.all).toEqual([]);
    expect(fixture.network.open).toEqual([]);
    expect(open).toBe(0);
  });
});
