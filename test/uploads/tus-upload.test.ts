import { beforeEach, describe, expect, it } from '@jest/globals';
import { NOTHING_BEYOND, type Capabilities } from '../../src/api/capabilities.js';
import { RequestQueue } from '../../src/api/request-queue.js';
import { CancelledError, CancelSource } from '../../src/base/cancel.js';
import { CwError } from '../../src/base/errors.js';
import type { BinaryBody } from '../../src/host/http.js';
import {
  terminateUpload,
  uploadPhoto,
  type TusUploadOptions,
} from '../../src/uploads/tus-upload.js';
import type { Delivery } from '../../src/uploads/delivery.js';
import { signedInSession, testClient } from '../api/signed-in.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { FINDS_AGAIN } from '../support/capabilities.js';
import { crc32cDigest } from '../support/crc32c.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf, rejectionOf, type Outcome } from '../support/outcome.js';
import { readerBy } from '../support/reader-by.js';

const BASE = 'https://service.example';
const ENDPOINT = `${BASE}/api/v1/uploads`;
const URL = `${ENDPOINT}/u-1`;
const unreachable = new CwError('CW-301', 'unreachable');

let clock: FakeClock;
let network: Conversation;
let queue: RequestQueue;
let progress: [sent: number, confirmed: number][];
let urls: string[];
let source: CancelSource;
let can: Capabilities;
let doubts: number;
let startsOver: number;
let isStartedOver: boolean;
const photo = Uint8Array.from({ length: 25 }, (_, index) => index);

beforeEach(async () => {
  clock = new FakeClock();
  network = new Conversation();
  const session = await signedInSession({ send: network.send, client: testClient(BASE), clock });
  queue = new RequestQueue({ send: network.send, session, clock, random: () => 0 });
  progress = [];
  urls = [];
  source = new CancelSource();
  can = FINDS_AGAIN;
  doubts = 0;
  startsOver = 0;
  isStartedOver = false;
});

function start(
  uploadUrl: string | null = null,
  read = (from: number, to: number): Promise<BinaryBody> =>
    Promise.resolve(photo.slice(from, to).buffer),
  chunks: Pick<TusUploadOptions, 'chunkBytes' | 'firstChunkBytes'> = { chunkBytes: 10 },
): Outcome<Delivery> {
  return outcomeOf(
    uploadPhoto({
      queue,
      capabilities: {
        get: () => Promise.resolve(can),
        doubt: () => {
          doubts += 1;
        },
      },
      endpoint: ENDPOINT,
      record: {
        id: 'id-1',
        name: 'Küste "1".jpg',
        type: 'image/jpeg',
        size: photo.length,
        position: 0,
        priority: 0,
        queuedAt: 0,
        uploadUrl,
        failure: null,
        ...(isStartedOver && { startedOver: true }),
      },
      reader: readerBy(read),
      ...chunks,
      clock,
      random: () => 0,
      signal: source.signal,
      onProgress: (sent, confirmed) => progress.push([sent, confirmed]),
      onUploadUrl: (url) => {
        urls.push(url);
        return Promise.resolve();
      },
      onStartOver: () => {
        startsOver += 1;
        return Promise.resolve();
      },
    }),
  );
}

async function next(method: string, url: string): Promise<PendingExchange> {
  await clock.settle();
  const exchange = network.only;
  expect(`${exchange.request.method} ${exchange.request.url}`).toBe(`${method} ${url}`);
  return exchange;
}

function bytesOf(exchange: PendingExchange): number[] {
  const { body } = exchange.request;
  if (!(body instanceof ArrayBuffer)) throw new Error('the body is no ArrayBuffer');
  return [...new Uint8Array(body)];
}

/** Answers a creation or a chunk as a sound service does. */
function accept(exchange: PendingExchange, offset: number): void {
  if (exchange.request.method === 'POST')
    exchange.respond(201, { Location: '/api/v1/uploads/u-1', 'Upload-Offset': String(offset) });
  else exchange.respond(204, { 'Upload-Offset': String(offset) });
}

function answerHead(exchange: PendingExchange, offset: number): void {
  exchange.respond(200, { 'Upload-Offset': String(offset), 'Upload-Length': '25' });
}

describe('an upload', () => {
  it('that may send long chunks is created with a short one all the same', async () => {
    const outcome = start(null, undefined, { chunkBytes: 1000, firstChunkBytes: 4 });
    const creation = await next('POST', ENDPOINT);
    expect(bytesOf(creation)).toEqual([0, 1, 2, 3]);
    accept(creation, 4);
    const rest = await next('PATCH', URL);
    expect(bytesOf(rest)).toEqual([...photo.slice(4)]);
    accept(rest, 25);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('is created with its first bytes and goes on chunk by chunk to its last byte', async () => {
    const outcome = start();
    const creation = await next('POST', ENDPOINT);
    expect(creation.request.headers).toMatchObject({
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '25',
      'Content-Type': 'application/offset+octet-stream',
      Authorization: 'Bearer svc_at_1',
    });
    const metadata = Object.fromEntries(
      (creation.request.headers['Upload-Metadata'] ?? '').split(',').map((pair) => {
        const [name = '', value = ''] = pair.split(' ');
        return [name, Buffer.from(value, 'base64').toString('utf8')];
      }),
    );
    expect(metadata).toEqual({
      filename: 'Küste "1".jpg',
      filetype: 'image/jpeg',
      client_upload_id: 'id-1',
    });
    expect(bytesOf(creation)).toEqual([...photo.slice(0, 10)]);
    creation.request.onUploadProgress?.(4);
    accept(creation, 10);
    const second = await next('PATCH', URL);
    expect(second.request.headers['Upload-Offset']).toBe('10');
    expect(bytesOf(second)).toEqual([...photo.slice(10, 20)]);
    second.request.onUploadProgress?.(7);
    accept(second, 20);
    const third = await next('PATCH', URL);
    expect(bytesOf(third)).toEqual([...photo.slice(20)]);
    accept(third, 25);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(network.exchanges).toHaveLength(3);
    expect(urls).toEqual([URL]);
    expect(progress).toContainEqual([4, 0]);
    expect(progress).toContainEqual([17, 10]);
    expect(progress.at(-1)).toEqual([25, 25]);
    expect(clock.pending).toBe(0);
  });

  it('tells confirmed bytes only once the service has confirmed them', async () => {
    start();
    const creation = await next('POST', ENDPOINT);
    creation.request.onUploadProgress?.(10);
    expect(progress.every(([, confirmed]) => confirmed === 0)).toBe(true);
    accept(creation, 10);
    await next('PATCH', URL);
    expect(progress.at(-1)?.[1]).toBe(10);
  });

  it('goes on from what the service holds', async () => {
    const outcome = start(URL);
    answerHead(await next('HEAD', URL), 20);
    const chunk = await next('PATCH', URL);
    expect(chunk.request.headers['Upload-Offset']).toBe('20');
    expect(bytesOf(chunk)).toEqual([...photo.slice(20)]);
    accept(chunk, 25);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('is over at once when the service holds all of it', async () => {
    const outcome = start(URL);
    answerHead(await next('HEAD', URL), 25);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
    expect(network.exchanges).toHaveLength(1);
  });

  it('goes on from where a chunk was accepted in part', async () => {
    const outcome = start();
    accept(await next('POST', ENDPOINT), 4);
    const chunk = await next('PATCH', URL);
    expect(bytesOf(chunk)).toEqual([...photo.slice(4, 14)]);
    accept(chunk, 14);
    accept(await next('PATCH', URL), 24);
    accept(await next('PATCH', URL), 25);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it.each([404, 410])(
    'starts anew when the service answers %d to where it stood',
    async (status) => {
      const outcome = start(URL);
      (await next('HEAD', URL)).respond(status);
      const creation = await next('POST', ENDPOINT);
      expect(bytesOf(creation)).toEqual([...photo.slice(0, 10)]);
      creation.respond(201, { Location: `${ENDPOINT}/u-2`, 'Upload-Offset': '25' });
      await clock.settle();
      expect(outcome.state).toBe('resolved');
    },
  );

  it('tells its address when there is more to send to it, not when it ends with its creation', async () => {
    start(null, undefined, { chunkBytes: 100 });
    accept(await next('POST', ENDPOINT), 25);
    await clock.settle();
    expect(urls).toEqual([]);

    start(null, undefined, { chunkBytes: 100 });
    await clock.settle();
    const [again] = network.open;
    if (!again) throw new Error('nothing is on the wire');
    accept(again, 12);
    const rest = await next('PATCH', URL);
    expect(urls).toEqual([URL]);
    expect(bytesOf(rest)).toEqual([...photo.slice(12)]);
  });

  it.each([404, 410])(
    'asks where it stands, and starts anew, when a chunk is answered %d',
    async (status) => {
      const outcome = start();
      accept(await next('POST', ENDPOINT), 10);
      const chunk = await next('PATCH', URL);
      expect(progress.at(-1)).toEqual([10, 10]);
      chunk.respond(status);
      await clock.runUntil(() => network.open.length > 0);
      (await next('HEAD', URL)).respond(404);
      const creation = await next('POST', ENDPOINT);
      // What was confirmed of the upload that is gone no longer counts.
      expect(progress.at(-1)).toEqual([0, 0]);
      creation.respond(201, { Location: `${ENDPOINT}/u-2`, 'Upload-Offset': '25' });
      await clock.settle();
      expect(outcome.state).toBe('resolved');
    },
  );

  it('never says that less was sent while it waits for an answer', async () => {
    start();
    const creation = await next('POST', ENDPOINT);
    creation.request.onUploadProgress?.(8);
    creation.fail(unreachable);
    await clock.runUntil(() => network.open.length > 0);
    const again = await next('POST', ENDPOINT);
    expect(bytesOf(again)).toEqual([]);
    expect(progress).toEqual([[8, 0]]);
    accept(again, 6);
    const chunk = await next('PATCH', URL);
    chunk.request.onUploadProgress?.(5);
    chunk.fail(unreachable);
    await clock.runUntil(() => network.open.length > 0);
    answerHead(await next('HEAD', URL), 9);
    await next('PATCH', URL);
    expect(progress).toEqual([
      [8, 0],
      [6, 6],
      [11, 6],
      [9, 9],
    ]);
  });

  it('asks where it stands before it sends anything again after a lost chunk', async () => {
    const outcome = start();
    accept(await next('POST', ENDPOINT), 10);
    (await next('PATCH', URL)).fail(unreachable);
    await clock.runUntil(() => network.open.length > 0);
    answerHead(await next('HEAD', URL), 17);
    const chunk = await next('PATCH', URL);
    expect(bytesOf(chunk)).toEqual([...photo.slice(17)]);
    accept(chunk, 25);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('repeats a creation whose answer was lost, with the same client_upload_id', async () => {
    const outcome = start();
    const first = await next('POST', ENDPOINT);
    first.fail(unreachable);
    await clock.advance(1000);
    const again = await next('POST', ENDPOINT);
    expect(again.request.headers['Upload-Metadata']).toBe(first.request.headers['Upload-Metadata']);
    accept(again, 10);
    accept(await next('PATCH', URL), 20);
    accept(await next('PATCH', URL), 25);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('waits longer from failure to failure, and from the start again after each confirmed byte', async () => {
    start();
    accept(await next('POST', ENDPOINT), 10);
    const waits: number[] = [];
    for (const holds of [10, 10, 15, 15, 15]) {
      const before = clock.elapsed;
      (await next('PATCH', URL)).respond(500);
      await clock.settle();
      while (network.open.length === 0) await clock.advanceToNext();
      waits.push(clock.elapsed - before);
      answerHead(await next('HEAD', URL), holds);
      await clock.settle();
    }
    // Ten bytes were confirmed before the first failure, five more before the fourth.
    expect(waits).toEqual([0, 500, 1000, 0, 500]);
  });

  it('counts what the service turns out to hold as confirmed', async () => {
    start(URL);
    answerHead(await next('HEAD', URL), 15);
    await next('PATCH', URL);
    expect(progress.at(-1)).toEqual([15, 15]);
  });
});

describe('a conflict', () => {
  it.each([409, 423])('of %d is settled by asking where the upload stands', async (status) => {
    const outcome = start();
    accept(await next('POST', ENDPOINT), 10);
    (await next('PATCH', URL)).respond(status);
    await clock.runUntil(() => network.open.length > 0);
    answerHead(await next('HEAD', URL), 20);
    const chunk = await next('PATCH', URL);
    expect(bytesOf(chunk)).toEqual([...photo.slice(20)]);
    accept(chunk, 25);
    await clock.settle();
    expect(outcome.state).toBe('resolved');
  });

  it('that never ends is given up after nine in a row without a byte of progress', async () => {
    const outcome = start();
    accept(await next('POST', ENDPOINT), 10);
    const isOver = (): boolean => outcome.state !== 'pending';
    let conflicts = 0;
    while (!isOver() && conflicts < 50) {
      (await next('PATCH', URL)).respond(409);
      conflicts += 1;
      await clock.runUntil(() => network.open.length > 0 || isOver(), { stepMs: 5000 });
      if (!isOver()) answerHead(await next('HEAD', URL), 10);
    }
    expect(outcome.error).toMatchObject({ code: 'CW-603', status: 409 });
    // The first one followed a confirmed byte.
    expect(conflicts).toBe(10);
  });
});

describe('an answer that lies', () => {
  it.each([
    ['an offset beyond the photo', { 'Upload-Offset': '26', 'Upload-Length': '25' }],
    ['another length', { 'Upload-Offset': '10', 'Upload-Length': '24' }],
    ['a length that makes the offset the end', { 'Upload-Offset': '10', 'Upload-Length': '10' }],
    ['no offset', { 'Upload-Length': '25' }],
    ['no length', { 'Upload-Offset': '10' }],
    ['a negative offset', { 'Upload-Offset': '-1', 'Upload-Length': '25' }],
    ['an offset that is no number', { 'Upload-Offset': '10x', 'Upload-Length': '25' }],
    ['an empty offset', { 'Upload-Offset': '', 'Upload-Length': '25' }],
    ['a fraction', { 'Upload-Offset': '1.5', 'Upload-Length': '25' }],
    ['no safe number', { 'Upload-Offset': '9'.repeat(17), 'Upload-Length': '25' }],
    // 25 to one reader, 0 or 2 to another, who would then take the upload for complete.
    ['a length in hexadecimal', { 'Upload-Offset': '0', 'Upload-Length': '0x19' }],
    ['a length with an exponent', { 'Upload-Offset': '2', 'Upload-Length': '2.5e1' }],
    ['a length of two numbers', { 'Upload-Offset': '10', 'Upload-Length': '25, 10' }],
  ])(
    'to where the upload stands is refused: %s',
    async (_name, headers: Record<string, string>) => {
      const outcome = start(URL);
      (await next('HEAD', URL)).respond(200, headers);
      await clock.settle();
      expect(outcome.error).toMatchObject({ code: 'CW-305' });
      expect(network.exchanges).toHaveLength(1);
    },
  );

  it.each([
    ['the end though a part was sent', '25'],
    ['more than was sent', '21'],
    ['no progress', '10'],
    ['less than before', '9'],
    ['beyond the photo', '1000'],
    ['nothing', null],
    ['nonsense', 'NaN'],
  ])('to a chunk is refused: %s', async (_name, offset) => {
    const outcome = start();
    accept(await next('POST', ENDPOINT), 10);
    (await next('PATCH', URL)).respond(204, offset === null ? {} : { 'Upload-Offset': offset });
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(network.exchanges).toHaveLength(2);
  });

  it.each([
    ['beyond the photo', { Location: '/api/v1/uploads/u-1', 'Upload-Offset': '26' }],
    ['without an offset', { Location: '/api/v1/uploads/u-1' }],
    ['without an address', { 'Upload-Offset': '10' }],
    [
      'with an address longer than can be kept',
      { Location: `/api/v1/uploads/${'u'.repeat(2_000)}`, 'Upload-Offset': '10' },
    ],
  ])('to a creation is refused: %s', async (_name, headers: Record<string, string>) => {
    const outcome = start();
    (await next('POST', ENDPOINT)).respond(201, headers);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(network.exchanges).toHaveLength(1);
  });

  it.each([
    'https://evil.example/api/v1/uploads/u-1',
    '//evil.example/api/v1/uploads/u-1',
    'http://service.example/api/v1/uploads/u-1',
    '/api/oauth/token',
    '/api/v1/uploads-elsewhere/u-1',
    '/api/v1/uploads',
    '/api/v1/uploads/../../oauth/token',
    '/api/v1/uploads/%2e%2e/%2e%2e/oauth/token',
    'https://service.example@evil.example/',
  ])('about where the upload lies is not followed: %s', async (location) => {
    const outcome = start();
    (await next('POST', ENDPOINT)).respond(201, { Location: location, 'Upload-Offset': '10' });
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(network.exchanges).toHaveLength(1);
  });

  it('about where the upload lies is not followed after a restart either', async () => {
    const outcome = start('https://evil.example/api/v1/uploads/u-1');
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(network.exchanges).toHaveLength(0);
  });
});

describe('an upload that cannot be', () => {
  it.each([
    [403, 'CW-203'],
    [413, 'CW-604'],
    [415, 'CW-605'],
    [507, 'CW-606'],
    [400, 'CW-603'],
  ])('is refused for good with %d as %s', async (status, code) => {
    const outcome = start();
    (await next('POST', ENDPOINT)).respond(status);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code, status });
    expect(clock.pending).toBe(0);
  });

  it('any more, because the workspace is full by now, says CW-606 with the word of the service', async () => {
    const outcome = start();
    accept(await next('POST', ENDPOINT), 10);
    (await next('PATCH', URL)).respond(507, {}, { error: 'quota_exceeded' });
    await clock.settle();
    expect(outcome.error).toMatchObject({
      code: 'CW-606',
      status: 507,
      oauthError: 'quota_exceeded',
    });
    expect(clock.pending).toBe(0);
  });

  it('because its copy is damaged says CW-607 and sends no more', async () => {
    const outcome = start(null, (from) =>
      from === 0
        ? Promise.resolve(photo.slice(0, 10).buffer)
        : Promise.reject(new CwError('CW-607', 'shorter than it was')),
    );
    accept(await next('POST', ENDPOINT), 10);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-607' });
    expect(network.exchanges).toHaveLength(1);
  });

  it('because the session has ended says CW-202', async () => {
    const outcome = start();
    (await next('POST', ENDPOINT)).respond(401);
    await clock.advance(500);
    (await next('POST', `${BASE}/api/oauth/token`)).respond(400, {}, { error: 'invalid_grant' });
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-202' });
  });
});

describe('cancelling an upload', () => {
  it('before its first request sends nothing', async () => {
    source.cancel();
    const outcome = start();
    await clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
    expect(network.exchanges).toHaveLength(0);
  });

  it('on the wire ends the exchange, and nothing follows', async () => {
    const outcome = start();
    accept(await next('POST', ENDPOINT), 10);
    const chunk = await next('PATCH', URL);
    source.cancel();
    await clock.settle();
    expect(chunk.isCancelled).toBe(true);
    expect(outcome.error).toBeInstanceOf(CancelledError);
    await clock.advance(600_000);
    expect(network.exchanges).toHaveLength(2);
  });

  it('while it waits after trouble ends the wait', async () => {
    const outcome = start();
    accept(await next('POST', ENDPOINT), 10);
    (await next('PATCH', URL)).respond(500);
    await clock.settle();
    source.cancel();
    await clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
    expect(clock.pending).toBe(0);
  });

  it('while its bytes are read ends it', async () => {
    const outcome = start(null, () => {
      source.cancel();
      return Promise.resolve(photo.slice(0, 10).buffer);
    });
    await clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
    expect(network.exchanges).toHaveLength(0);
  });
});

describe('terminateUpload', () => {
  it.each([204, 403, 404, 410])('is content with %d', async (status) => {
    const done = outcomeOf(terminateUpload(queue, ENDPOINT, URL, source.signal));
    const exchange = await next('DELETE', URL);
    expect(exchange.request.headers['Tus-Resumable']).toBe('1.0.0');
    exchange.respond(status);
    await clock.settle();
    expect(done.state).toBe('resolved');
  });

  it('sends nothing to an address elsewhere', async () => {
    const elsewhere = terminateUpload(queue, ENDPOINT, `${BASE}/api/v1/other/1`, source.signal);
    expect(await rejectionOf(elsewhere)).toMatchObject({ code: 'CW-304' });
    expect(network.exchanges).toHaveLength(0);
  });
});

describe('a service that says how much it takes', () => {
  it('is sent nothing of a larger photo', async () => {
    can = { ...FINDS_AGAIN, maxSize: photo.length - 1 };
    const outcome = start();
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-604' });
    expect(network.exchanges).toHaveLength(0);
  });

  it('is sent one that just fits', async () => {
    can = { ...FINDS_AGAIN, maxSize: photo.length };
    start();
    expect(bytesOf(await next('POST', ENDPOINT))).toHaveLength(10);
  });
});

describe('a service that takes no bytes with a creation', () => {
  it.each([
    ['and says no offset', {}],
    ['and says that it holds nothing', { 'Upload-Offset': '0' }],
  ])('gets all of them afterwards, %s', async (_name, headers) => {
    can = NOTHING_BEYOND;
    const outcome = start();
    const creation = await next('POST', ENDPOINT);
    expect(creation.request.body).toBeUndefined();
    expect(creation.request.headers).not.toHaveProperty('Content-Type');
    creation.respond(201, { Location: URL, ...headers });
    for (const end of [10, 20, 25]) accept(await next('PATCH', URL), end);
    await clock.settle();
    expect(outcome.value).toEqual({ checked: false, sha256: null, pageUrl: null });
  });

  it.each(['26', '-1', 'x', ''])('must not answer one with the offset "%s"', async (offset) => {
    can = NOTHING_BEYOND;
    const outcome = start();
    (await next('POST', ENDPOINT)).respond(201, { Location: URL, 'Upload-Offset': offset });
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
  });

  it('is doubted when it has promised to take them, and answers as if it had got none', async () => {
    const outcome = start();
    (await next('POST', ENDPOINT)).respond(201, { Location: URL });
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(doubts).toBe(1);
  });
});

describe('a service that tells digests', () => {
  const GOOD = crc32cDigest(photo);
  const OTHER = crc32cDigest([1, 2, 3]);
  const SHA256 = Buffer.alloc(32, 1);

  beforeEach(() => {
    can = { ...FINDS_AGAIN, reprDigest: true };
  });

  /** Sends everything, and answers the last request so. */
  async function sendAll(headers: Record<string, string>, status = 204): Promise<PendingExchange> {
    accept(await next('POST', ENDPOINT), 10);
    accept(await next('PATCH', URL), 20);
    const last = await next('PATCH', URL);
    last.respond(status, { 'Upload-Offset': '25', ...headers });
    await clock.settle();
    return last;
  }

  it('is told ours with the last bytes only, and the photo is checked', async () => {
    const outcome = start();
    const last = await sendAll({
      'Repr-Digest': `sha-256=:${SHA256.toString('base64')}:, ${GOOD}`,
      Link: '</photos/1>; rel="alternate"; type="text/html"',
    });
    expect(last.request.headers['Repr-Digest']).toBe(GOOD);
    const others = network.exchanges.slice(0, -1);
    expect(others.some(({ request }) => 'Repr-Digest' in request.headers)).toBe(false);
    expect(outcome.value).toEqual({
      checked: true,
      sha256: SHA256.toString('hex'),
      pageUrl: `${BASE}/photos/1`,
    });
  });

  it('is told ours with a creation that brings everything, of Blobs too', async () => {
    const outcome = start(null, (from, to) => Promise.resolve(new Blob([photo.slice(from, to)])), {
      chunkBytes: 100,
    });
    await clock.runUntil(() => network.open.length > 0);
    const creation = await next('POST', ENDPOINT);
    expect(creation.request.headers['Repr-Digest']).toBe(GOOD);
    expect(creation.request.body).toBeInstanceOf(Blob);
    creation.respond(201, { Location: URL, 'Upload-Offset': '25', 'Repr-Digest': GOOD });
    await clock.settle();
    expect(outcome.value?.checked).toBe(true);
  });

  it('is compared when the upload turns out to be complete', async () => {
    const outcome = start(URL);
    (await next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await clock.settle();
    expect(outcome.value?.checked).toBe(true);
  });

  it('is not waited for when the copy of a photo that has arrived is gone', async () => {
    const outcome = start(URL, () => Promise.reject(new CwError('CW-607', 'gone')));
    (await next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await clock.settle();
    expect(outcome.value?.checked).toBe(false);
  });

  it('is missed when the copy cannot be read for another reason than that it is gone', async () => {
    const outcome = start(URL, () => Promise.reject(new CwError('CW-901', 'unforeseen')));
    (await next('HEAD', URL)).respond(200, {
      'Upload-Offset': '25',
      'Upload-Length': '25',
      'Repr-Digest': GOOD,
    });
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-901' });
  });

  it('and then does not is doubted, and the photo is not called checked', async () => {
    const outcome = start();
    await sendAll({});
    expect(outcome.value?.checked).toBe(false);
    expect(doubts).toBe(1);
  });

  it.each([
    ['says another', 204, { 'Repr-Digest': OTHER }],
    ['refuses ours', 460, {}],
  ])(
    'and %s: the photo is begun anew from its first byte, once',
    async (_name, status, headers) => {
      const outcome = start();
      await sendAll(headers, status);
      expect(startsOver).toBe(1);
      expect(progress.at(-1)).toEqual([0, 0]);
      // What is there is dropped: the next creation must not find it.
      (await next('DELETE', URL)).respond(204);
      const creation = await next('POST', ENDPOINT);
      expect(bytesOf(creation)).toEqual([...photo.slice(0, 10)]);
      accept(creation, 10);
      accept(await next('PATCH', URL), 20);
      (await next('PATCH', URL)).respond(status, { 'Upload-Offset': '25', ...headers });
      await clock.settle();
      expect(outcome.error).toMatchObject({ code: 'CW-306' });
      expect(startsOver).toBe(1);
      expect(network.open).toEqual([]);
    },
  );

  it('and says another to a photo that was begun anew in an earlier run: it fails at once', async () => {
    isStartedOver = true;
    const outcome = start();
    await sendAll({ 'Repr-Digest': OTHER });
    expect(outcome.error).toMatchObject({ code: 'CW-306' });
    expect(startsOver).toBe(0);
    expect(network.open).toEqual([]);
  });
});
