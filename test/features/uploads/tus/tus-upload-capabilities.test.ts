import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../../src/api/capabilities.js';
import { CwError } from '../../../../src/util/errors.js';
import type { PendingExchange } from '../../../support/conversation.js';
import { FINDS_AGAIN } from '../../../support/capabilities.js';
import { crc32cDigest } from '../../../support/crc32c.js';
import type { PhotoRecord } from '../../../../src/features/queue/photo-record.js';
import { metadataOf } from '../upload-metadata.js';
import { accept, BASE, bytesOf, ENDPOINT, photo, TUS, TusFixture, URL } from './tus-fixture.js';

let fixture: TusFixture;

beforeEach(async () => {
  fixture = await TusFixture.create();
});

describe('a service with a maximum size', () => {
  it('gets no bytes of a larger photo', async () => {
    fixture.can = { ...FINDS_AGAIN, maxSize: photo.length - 1 };
    const outcome = fixture.start();
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-604' });
    expect(fixture.network.exchanges).toHaveLength(0);
  });

  it('gets a photo of exactly the maximum size', async () => {
    fixture.can = { ...FINDS_AGAIN, maxSize: photo.length };
    fixture.start();
    expect(bytesOf(await fixture.next('POST', ENDPOINT))).toHaveLength(10);
  });
});

describe('a service without creation-with-upload', () => {
  it.each([
    ['and sends no offset', {}],
    ['and reports that it holds nothing', { 'Upload-Offset': '0' }],
  ])('gets all of them afterwards, %s', async (_name, headers) => {
    fixture.can = BASIC_CAPABILITIES;
    const outcome = fixture.start();
    const creation = await fixture.next('POST', ENDPOINT);
    expect(creation.request.body).toBeUndefined();
    expect(creation.request.headers).not.toHaveProperty('Content-Type');
    creation.respond(201, { Location: URL, ...headers });
    for (const end of [10, 20, 25]) accept(await fixture.next('PATCH', URL), end);
    await fixture.clock.settle();
    expect(outcome.value).toEqual({
      hasMatchingCrc: false,
      sha256: null,
      pageUrl: null,
      uploadId: 'u-1',
    });
  });

  it.each(['26', '-1', 'x', ''])('must not answer one with the offset "%s"', async (offset) => {
    fixture.can = BASIC_CAPABILITIES;
    const outcome = fixture.start();
    (await fixture.next('POST', ENDPOINT)).respond(201, { Location: URL, 'Upload-Offset': offset });
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
  });

  it('has its capabilities checked again when it ignores the bytes of a creation', async () => {
    const outcome = fixture.start();
    (await fixture.next('POST', ENDPOINT)).respond(201, { Location: URL });
    await fixture.clock.runUntil(() => fixture.network.open.length > 0);
    const again = await fixture.next('POST', ENDPOINT);
    expect(bytesOf(again)).toEqual([]);
    again.respond(201, { Location: URL });
    for (const end of [10, 20, 25]) accept(await fixture.next('PATCH', URL), end);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(fixture.doubts).toBe(1);
  });
});

describe('a service with Repr-Digest', () => {
  const GOOD = crc32cDigest(photo);
  const OTHER = crc32cDigest([1, 2, 3]);
  const SHA256 = Buffer.alloc(32, 1);

  beforeEach(() => {
    fixture.can = { ...FINDS_AGAIN, reprDigest: true };
  });

  /** Sends everything, and answers the last request so. */
  async function sendAll(headers: Record<string, string>, status = 204): Promise<PendingExchange> {
    accept(await fixture.next('POST', ENDPOINT), 10);
    accept(await fixture.next('PATCH', URL), 20);
    const last = await fixture.next('PATCH', URL);
    last.respond(status, { 'Upload-Offset': '25', ...headers });
    await fixture.clock.settle();
    return last;
  }

  it('gets the digest with the last bytes only, and the photo is checked', async () => {
    const outcome = fixture.start();
    const last = await sendAll({
      'Repr-Digest': `sha-256=:${SHA256.toString('base64')}:, ${GOOD}`,
      Link: '</photos/1>; rel="alternate"; type="text/html"',
    });
    expect(last.request.headers['Repr-Digest']).toBe(GOOD);
    const others = fixture.network.exchanges.slice(0, -1);
    expect(others.some(({ request }) => 'Repr-Digest' in request.headers)).toBe(false);
    expect(outcome.value).toEqual({
      hasMatchingCrc: true,
      sha256: SHA256.toString('hex'),
      pageUrl: `${BASE}/photos/1`,
      uploadId: 'u-1',
    });
  });

  it('gets the digest with a creation that contains all bytes, also of Blobs', async () => {
    const outcome = fixture.start(
      null,
      (from, to) => Promise.resolve(new Blob([photo.slice(from, to)])),
      {
        chunkBytes: 100,
      },
    );
    await fixture.clock.runUntil(() => fixture.network.open.length > 0);
    const creation = await fixture.next('POST', ENDPOINT);
    expect(creation.request.headers['Repr-Digest']).toBe(GOOD);
    expect(creation.request.body).toBeInstanceOf(Blob);
    creation.respond(201, { Location: URL, 'Upload-Offset': '25', 'Repr-Digest': GOOD });
    await fixture.clock.settle();
    expect(outcome.value?.hasMatchingCrc).toBe(true);
  });

  it('has its digest compared when the upload is already complete', async () => {
    const outcome = fixture.start(URL);
    (await fixture.next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await fixture.clock.settle();
    expect(outcome.value?.hasMatchingCrc).toBe(true);
  });

  it('completes an uploaded photo without a check when its copy is missing', async () => {
    const outcome = fixture.start(URL, () => Promise.reject(new CwError('CW-607', 'gone')));
    (await fixture.next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await fixture.clock.settle();
    expect(outcome.value?.hasMatchingCrc).toBe(false);
  });

  it('fails the check when the copy exists but cannot be read', async () => {
    const outcome = fixture.start(URL, () => Promise.reject(new CwError('CW-901', 'unforeseen')));
    (await fixture.next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-901' });
  });

  it('has its capabilities checked again when it sends no digest, and the photo is unchecked', async () => {
    const outcome = fixture.start();
    await sendAll({});
    expect(outcome.value?.hasMatchingCrc).toBe(false);
    expect(fixture.doubts).toBe(1);
  });

  it.each([
    ['reports another', 204, { 'Repr-Digest': OTHER }],
    ['refuses ours', 460, TUS],
  ])('and %s: restarts the photo once, from its first byte', async (_name, status, headers) => {
    const outcome = fixture.start();
    await sendAll(headers, status);
    expect(fixture.startsOver).toBe(1);
    expect(fixture.progress.at(-1)).toEqual([0, 0]);
    // The upload is deleted: the next creation must not find it.
    (await fixture.next('DELETE', URL)).respond(204);
    const creation = await fixture.next('POST', ENDPOINT);
    expect(bytesOf(creation)).toEqual([...photo.slice(0, 10)]);
    accept(creation, 10);
    accept(await fixture.next('PATCH', URL), 20);
    (await fixture.next('PATCH', URL)).respond(status, { 'Upload-Offset': '25', ...headers });
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-306' });
    expect(fixture.startsOver).toBe(1);
    expect(fixture.network.open).toEqual([]);
  });

  it('fails a photo at once when the digest differs after a restart in an earlier run', async () => {
    fixture.isStartedOver = true;
    const outcome = fixture.start();
    await sendAll({ 'Repr-Digest': OTHER });
    expect(outcome.error).toMatchObject({ code: 'CW-306' });
    expect(fixture.startsOver).toBe(0);
    expect(fixture.network.open).toEqual([]);
  });
});

describe('a creation', () => {
  const PROJECT = { project: { id: 'p-1', name: 'Spring' } };
  const WHOLE = { ...PROJECT, document: 'xmp.did:1', replaces: 'u-9' };
  const BOTH = { projectDestination: true, photoVersions: true };

  it.each<[string, object, Partial<PhotoRecord>, object]>([
    ['nothing more at another service', {}, WHOLE, {}],
    ['the project alone', { projectDestination: true }, WHOLE, { project: 'p-1' }],
    [
      'the versions alone',
      { photoVersions: true },
      WHOLE,
      { document: 'xmp.did:1', replaces: 'u-9' },
    ],
    ['no project where there is none', BOTH, {}, { replaces: 'none' }],
    ['a document, whose version the service finds', BOTH, { document: 'd' }, { document: 'd' }],
    [
      'a document that has exported itself',
      BOTH,
      { document: 'd', byDocument: true },
      { document: 'd', version_by: 'document' },
    ],
    ['no rule without a document', BOTH, { byDocument: true }, { replaces: 'none' }],
    [
      'where the content is in the document',
      BOTH,
      { document: 'd', source: '{"in":"0"}' },
      { document: 'd', source: '{"in":"0"}' },
    ],
    ['nothing of that at another service', {}, { document: 'd', source: '{"in":"0"}' }, {}],
    ['what a file replaces', BOTH, { replaces: 'u-9' }, { replaces: 'u-9' }],
  ])('names %s', async (_name, can, record, expected) => {
    fixture.can = { ...FINDS_AGAIN, ...can };
    fixture.more = record;
    fixture.start();
    expect(metadataOf(await fixture.next('POST', ENDPOINT))).toEqual({
      filename: 'Küste "1".jpg',
      filetype: 'image/jpeg',
      client_upload_id: 'id-1',
      ...expected,
    });
  });

  it('that names an unknown project fails with CW-612', async () => {
    const outcome = fixture.start();
    (await fixture.next('POST', ENDPOINT)).respond(422, TUS, { error: 'unknown_project' });
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-612', status: 422 });
  });
});
