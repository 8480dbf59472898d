import { beforeEach, expect, it } from '@jest/globals';
import { FINDS_AGAIN } from '../../support/capabilities.js';
import { crc32c, crc32cDigest } from '../../support/crc32c.js';
import { Rig } from '../fixture.js';

/** A service that tells the digest of what it holds, and holds other bytes: what the list and its storage make of it. */
const TEXT = 'a photo';
const GOOD = crc32cDigest(Buffer.from(TEXT));
const OTHER = crc32cDigest(Buffer.from('another'));

let rig: Rig;

beforeEach(async () => {
  rig = new Rig({ ...FINDS_AGAIN, reprDigest: true });
  await rig.start();
  await rig.uploader.addPhotos([rig.photo(TEXT)]);
});

/** Answers requests until the next creation is answered with this digest. */
async function arrivesAs(digest: string): Promise<void> {
  for (;;) {
    await rig.clock.settle();
    const [exchange] = rig.network.open;
    if (!exchange) throw new Error('nothing is on the wire');
    const { status, headers } = rig.service.handle('anna', exchange);
    const isCreation = exchange.request.method === 'POST';
    exchange.respond(status, isCreation ? { ...headers, 'Repr-Digest': digest } : headers);
    if (isCreation) break;
  }
  await rig.clock.settle();
}

it('marks an intact upload as checked while its record exists', async () => {
  await arrivesAs(GOOD);
  expect(rig.delivered).toEqual([
    { name: `${TEXT}.jpg`, checked: true, sha256: null, pageUrl: null },
  ]);
});

it('restarts an upload with other bytes at the service, and marks it once it is right', async () => {
  await arrivesAs(OTHER);
  expect(rig.delivered).toEqual([]);
  await arrivesAs(GOOD);
  expect(rig.delivered).toMatchObject([{ checked: true }]);
  expect(rig.unsent).toEqual([]);
});

it('fails a photo whose spooled copy differs from the chosen file, and keeps nothing of it', async () => {
  await arrivesAs(GOOD);
  await rig.uploader.addPhotos([rig.photo('damaged', crc32c(Buffer.from('as chosen')))]);
  await arrivesAs(crc32cDigest(Buffer.from('damaged')));
  for (const exchange of rig.network.open) {
    expect(exchange.request.method).toBe('DELETE');
    rig.respond(exchange);
  }
  await rig.clock.settle();
  expect(rig.unsent).toMatchObject([{ phase: 'failed', record: { failure: 'CW-607' } }]);
  expect(rig.network.open).toEqual([]);
  expect(rig.delivered).toHaveLength(1);
});

it('restarts an upload with an intact copy when the service has other bytes', async () => {
  await arrivesAs(GOOD);
  await rig.uploader.addPhotos([rig.photo('another', crc32c(Buffer.from('another')))]);
  await arrivesAs(GOOD);
  await arrivesAs(OTHER);
  expect(rig.delivered).toMatchObject([{ checked: true }, { checked: true }]);
});

it('does not restart an upload again that was restarted before a kill', async () => {
  await arrivesAs(OTHER);
  await rig.start();
  expect(rig.unsent).toMatchObject([{ record: { restarted: true, uploadUrl: null } }]);
  await arrivesAs(OTHER);
  expect(rig.unsent).toMatchObject([{ phase: 'failed', record: { failure: 'CW-306' } }]);
  expect(rig.network.open).toEqual([]);
  expect(rig.delivered).toEqual([]);
});

it('allows one more restart after Retry', async () => {
  await arrivesAs(OTHER);
  await arrivesAs(OTHER);
  expect(rig.unsent).toMatchObject([{ phase: 'failed', record: { failure: 'CW-306' } }]);
  await rig.uploader.retryFailed('CW-306');
  await arrivesAs(OTHER);
  expect(rig.unsent).toMatchObject([{ phase: 'uploading', record: { restarted: true } }]);
  await arrivesAs(GOOD);
  expect(rig.delivered).toMatchObject([{ checked: true }]);
  expect(rig.left).toBe(0);
});
