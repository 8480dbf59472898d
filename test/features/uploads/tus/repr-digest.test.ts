import { beforeEach, expect, it } from '@jest/globals';
import { FINDS_AGAIN } from '../../../support/capabilities.js';
import { crc32c, crc32cDigest } from '../../../support/crc32c.js';
import { UploadFixture } from '../../fixture.js';

/** A service that stores other bytes and returns their digest: effects on the queue and its storage. */
const TEXT = 'a photo';
const GOOD = crc32cDigest(Buffer.from(TEXT));
const OTHER = crc32cDigest(Buffer.from('another'));

let fixture: UploadFixture;

beforeEach(async () => {
  fixture = new UploadFixture({ ...FINDS_AGAIN, reprDigest: true });
  await fixture.start();
  await fixture.uploads.addPhotos([fixture.photo(TEXT)]);
});

/** Answers requests until the next creation is answered with this digest. */
async function arrivesAs(digest: string): Promise<void> {
  for (;;) {
    await fixture.clock.settle();
    const [exchange] = fixture.network.open;
    if (!exchange) throw new Error('nothing is on the wire');
    const { status, headers } = fixture.service.handle('anna', exchange);
    const isCreation = exchange.request.method === 'POST';
    exchange.respond(status, isCreation ? { ...headers, 'Repr-Digest': digest } : headers);
    if (isCreation) break;
  }
  await fixture.clock.settle();
}

it('marks an intact upload as checked while its record exists', async () => {
  await arrivesAs(GOOD);
  expect(fixture.delivered).toEqual([
    { name: `${TEXT}.jpg`, hasMatchingCrc: true, sha256: null, pageUrl: null, uploadId: 'u-1' },
  ]);
});

it('restarts an upload with other bytes at the service, and marks it once it is right', async () => {
  await arrivesAs(OTHER);
  expect(fixture.delivered).toEqual([]);
  await arrivesAs(GOOD);
  expect(fixture.delivered).toMatchObject([{ hasMatchingCrc: true }]);
  expect(fixture.unsent).toEqual([]);
});

it('fails a photo whose spooled copy differs from the chosen file, and keeps nothing of it', async () => {
  await arrivesAs(GOOD);
  await fixture.uploads.addPhotos([fixture.photo('damaged', crc32c(Buffer.from('as chosen')))]);
  await arrivesAs(crc32cDigest(Buffer.from('damaged')));
  for (const exchange of fixture.network.open) {
    expect(exchange.request.method).toBe('DELETE');
    fixture.respond(exchange);
  }
  await fixture.clock.settle();
  expect(fixture.unsent).toMatchObject([{ phase: 'failed', record: { failure: 'CW-607' } }]);
  expect(fixture.network.open).toEqual([]);
  expect(fixture.delivered).toHaveLength(1);
});

it('restarts an upload with an intact copy when the service has other bytes', async () => {
  await arrivesAs(GOOD);
  await fixture.uploads.addPhotos([fixture.photo('another', crc32c(Buffer.from('another')))]);
  await arrivesAs(GOOD);
  await arrivesAs(OTHER);
  expect(fixture.delivered).toMatchObject([{ hasMatchingCrc: true }, { hasMatchingCrc: true }]);
});

it('does not restart an upload again that was restarted before a kill', async () => {
  await arrivesAs(OTHER);
  await fixture.start();
  expect(fixture.unsent).toMatchObject([{ record: { restarted: true, uploadUrl: null } }]);
  await arrivesAs(OTHER);
  expect(fixture.unsent).toMatchObject([{ phase: 'failed', record: { failure: 'CW-306' } }]);
  expect(fixture.network.open).toEqual([]);
  expect(fixture.delivered).toEqual([]);
});

it('allows one more restart after Retry', async () => {
  await arrivesAs(OTHER);
  await arrivesAs(OTHER);
  expect(fixture.unsent).toMatchObject([{ phase: 'failed', record: { failure: 'CW-306' } }]);
  await fixture.uploads.retryFailed('CW-306');
  await arrivesAs(OTHER);
  expect(fixture.unsent).toMatchObject([{ phase: 'uploading', record: { restarted: true } }]);
  await arrivesAs(GOOD);
  expect(fixture.delivered).toMatchObject([{ hasMatchingCrc: true }]);
  expect(fixture.left).toBe(0);
});
