import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import { CwError } from '../../../src/util/errors.js';
import type { PendingExchange } from '../../support/conversation.js';
import { FINDS_AGAIN } from '../../support/capabilities.js';
import { crc32cDigest } from '../../support/crc32c.js';
import { accept, BASE, bytesOf, ENDPOINT, photo, TUS, TusRig, URL } from './tus-fixture.js';

let rig: TusRig;

beforeEach(async () => {
  rig = await TusRig.create();
});

describe('a service with a maximum size', () => {
  it('gets no bytes of a larger photo', async () => {
    rig.can = { ...FINDS_AGAIN, maxSize: photo.length - 1 };
    const outcome = rig.start();
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-604' });
    expect(rig.network.exchanges).toHaveLength(0);
  });

  it('gets a photo of exactly the maximum size', async () => {
    rig.can = { ...FINDS_AGAIN, maxSize: photo.length };
    rig.start();
    expect(bytesOf(await rig.next('POST', ENDPOINT))).toHaveLength(10);
  });
});

describe('a service without creation-with-upload', () => {
  it.each([
    ['and says no offset', {}],
    ['and says that it holds nothing', { 'Upload-Offset': '0' }],
  ])('gets all of them afterwards, %s', async (_name, headers) => {
    rig.can = BASIC_CAPABILITIES;
    const outcome = rig.start();
    const creation = await rig.next('POST', ENDPOINT);
    expect(creation.request.body).toBeUndefined();
    expect(creation.request.headers).not.toHaveProperty('Content-Type');
    creation.respond(201, { Location: URL, ...headers });
    for (const end of [10, 20, 25]) accept(await rig.next('PATCH', URL), end);
    await rig.clock.settle();
    expect(outcome.value).toEqual({ checked: false, sha256: null, pageUrl: null });
  });

  it.each(['26', '-1', 'x', ''])('must not answer one with the offset "%s"', async (offset) => {
    rig.can = BASIC_CAPABILITIES;
    const outcome = rig.start();
    (await rig.next('POST', ENDPOINT)).respond(201, { Location: URL, 'Upload-Offset': offset });
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
  });

  it('has its capabilities checked again when it ignores the bytes of a creation', async () => {
    const outcome = rig.start();
    (await rig.next('POST', ENDPOINT)).respond(201, { Location: URL });
    await rig.clock.runUntil(() => rig.network.open.length > 0);
    const again = await rig.next('POST', ENDPOINT);
    expect(bytesOf(again)).toEqual([]);
    again.respond(201, { Location: URL });
    for (const end of [10, 20, 25]) accept(await rig.next('PATCH', URL), end);
    await rig.clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(rig.doubts).toBe(1);
  });
});

describe('a service with Repr-Digest', () => {
  const GOOD = crc32cDigest(photo);
  const OTHER = crc32cDigest([1, 2, 3]);
  const SHA256 = Buffer.alloc(32, 1);

  beforeEach(() => {
    rig.can = { ...FINDS_AGAIN, reprDigest: true };
  });

  /** Sends everything, and answers the last request so. */
  async function sendAll(headers: Record<string, string>, status = 204): Promise<PendingExchange> {
    accept(await rig.next('POST', ENDPOINT), 10);
    accept(await rig.next('PATCH', URL), 20);
    const last = await rig.next('PATCH', URL);
    last.respond(status, { 'Upload-Offset': '25', ...headers });
    await rig.clock.settle();
    return last;
  }

  it('gets the digest with the last bytes only, and the photo is checked', async () => {
    const outcome = rig.start();
    const last = await sendAll({
      'Repr-Digest': `sha-256=:${SHA256.toString('base64')}:, ${GOOD}`,
      Link: '</photos/1>; rel="alternate"; type="text/html"',
    });
    expect(last.request.headers['Repr-Digest']).toBe(GOOD);
    const others = rig.network.exchanges.slice(0, -1);
    expect(others.some(({ request }) => 'Repr-Digest' in request.headers)).toBe(false);
    expect(outcome.value).toEqual({
      checked: true,
      sha256: SHA256.toString('hex'),
      pageUrl: `${BASE}/photos/1`,
    });
  });

  it('gets the digest with a creation that contains all bytes, also of Blobs', async () => {
    const outcome = rig.start(
      null,
      (from, to) => Promise.resolve(new Blob([photo.slice(from, to)])),
      {
        chunkBytes: 100,
      },
    );
    await rig.clock.runUntil(() => rig.network.open.length > 0);
    const creation = await rig.next('POST', ENDPOINT);
    expect(creation.request.headers['Repr-Digest']).toBe(GOOD);
    expect(creation.request.body).toBeInstanceOf(Blob);
    creation.respond(201, { Location: URL, 'Upload-Offset': '25', 'Repr-Digest': GOOD });
    await rig.clock.settle();
    expect(outcome.value?.checked).toBe(true);
  });

  it('has its digest compared when the upload is already complete', async () => {
    const outcome = rig.start(URL);
    (await rig.next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await rig.clock.settle();
    expect(outcome.value?.checked).toBe(true);
  });

  it('completes an uploaded photo without a check when its copy is missing', async () => {
    const outcome = rig.start(URL, () => Promise.reject(new CwError('CW-607', 'gone')));
    (await rig.next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await rig.clock.settle();
    expect(outcome.value?.checked).toBe(false);
  });

  it('fails the check when the copy exists but cannot be read', async () => {
    const outcome = rig.start(URL, () => Promise.reject(new CwError('CW-901', 'unforeseen')));
    (await rig.next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-901' });
  });

  it('has its capabilities checked again when it sends no digest, and the photo is unchecked', async () => {
    const outcome = rig.start();
    await sendAll({});
    expect(outcome.value?.checked).toBe(false);
    expect(rig.doubts).toBe(1);
  });

  it.each([
    ['says another', 204, { 'Repr-Digest': OTHER }],
    ['refuses ours', 460, TUS],
  ])(
    'and %s: the photo is begun anew from its first byte, once',
    async (_name, status, headers) => {
      const outcome = rig.start();
      await sendAll(headers, status);
      expect(rig.startsOver).toBe(1);
      expect(rig.progress.at(-1)).toEqual([0, 0]);
      // What is there is dropped: the next creation must not find it.
      (await rig.next('DELETE', URL)).respond(204);
      const creation = await rig.next('POST', ENDPOINT);
      expect(bytesOf(creation)).toEqual([...photo.slice(0, 10)]);
      accept(creation, 10);
      accept(await rig.next('PATCH', URL), 20);
      (await rig.next('PATCH', URL)).respond(status, { 'Upload-Offset': '25', ...headers });
      await rig.clock.settle();
      expect(outcome.error).toMatchObject({ code: 'CW-306' });
      expect(rig.startsOver).toBe(1);
      expect(rig.network.open).toEqual([]);
    },
  );

  it('fails a photo at once when the digest differs after a restart in an earlier run', async () => {
    rig.isStartedOver = true;
    const outcome = rig.start();
    await sendAll({ 'Repr-Digest': OTHER });
    expect(outcome.error).toMatchObject({ code: 'CW-306' });
    expect(rig.startsOver).toBe(0);
    expect(rig.network.open).toEqual([]);
  });
});
