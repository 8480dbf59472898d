import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../../src/util/errors.js';
import type { UploadReceipt } from '../../../../src/features/queue/upload-receipt.js';
import type { PendingExchange } from '../../../support/conversation.js';
import type { Outcome } from '../../../support/outcome.js';
import { accept, answerHead, BASE, ENDPOINT, photo, TusFixture, TUS, URL } from './tus-fixture.js';

let fixture: TusFixture;

beforeEach(async () => {
  fixture = await TusFixture.create();
});

describe('a false response', () => {
  it.each([
    ['an offset beyond the photo', { 'Upload-Offset': '26', 'Upload-Length': '25' }],
    ['another length', { 'Upload-Offset': '10', 'Upload-Length': '24' }],
    ['a length that makes the offset the end', { 'Upload-Offset': '10', 'Upload-Length': '10' }],
    ['a negative offset', { 'Upload-Offset': '-1', 'Upload-Length': '25' }],
    ['an offset that is no number', { 'Upload-Offset': '10x', 'Upload-Length': '25' }],
    ['an empty offset', { 'Upload-Offset': '', 'Upload-Length': '25' }],
    ['a fraction', { 'Upload-Offset': '1.5', 'Upload-Length': '25' }],
    ['no safe number', { 'Upload-Offset': '9'.repeat(17), 'Upload-Length': '25' }],
    // 25 to one reader, 0 or 2 to another, who would then take the upload for complete.
    ['a length in hexadecimal', { 'Upload-Offset': '0', 'Upload-Length': '0x19' }],
    ['a length with an exponent', { 'Upload-Offset': '2', 'Upload-Length': '2.5e1' }],
    ['a length of two numbers', { 'Upload-Offset': '10', 'Upload-Length': '25, 10' }],
  ])('to an offset request is refused: %s', async (_name, headers: Record<string, string>) => {
    const outcome = fixture.start(URL);
    (await fixture.next('HEAD', URL)).respond(200, headers);
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(fixture.network.exchanges).toHaveLength(1);
  });

  // @threat H4
  it.each([
    ['the end though a part was sent', '25'],
    ['more than was sent', '21'],
    ['no progress', '10'],
    ['less than before', '9'],
    ['beyond the photo', '1000'],
    ['nonsense', 'NaN'],
  ])('to a chunk is refused: %s', async (_name, offset) => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    (await fixture.next('PATCH', URL)).respond(204, { 'Upload-Offset': offset });
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(fixture.network.exchanges).toHaveLength(2);
  });

  it.each([
    ['beyond the photo', { Location: '/api/v1/uploads/u-1', 'Upload-Offset': '26' }],
    [
      'with an address longer than can be kept',
      { Location: `/api/v1/uploads/${'u'.repeat(2_000)}`, 'Upload-Offset': '10' },
    ],
  ])('to a creation is refused: %s', async (_name, headers: Record<string, string>) => {
    const outcome = fixture.start();
    (await fixture.next('POST', ENDPOINT)).respond(201, headers);
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(fixture.network.exchanges).toHaveLength(1);
  });

  // @threat H3
  it.each([
    'https://evil.example/api/v1/uploads/u-1',
    '//evil.example/api/v1/uploads/u-1',
    'http://service.example:8080/api/v1/uploads/u-1',
    'http://evil.example/api/v1/uploads/u-1',
    'http://service.example/api/oauth/token',
    '/api/oauth/token',
    '/api/v1/uploads-elsewhere/u-1',
    '/api/v1/uploads',
    '/api/v1/uploads/../../oauth/token',
    '/api/v1/uploads/%2e%2e/%2e%2e/oauth/token',
    'https://service.example@evil.example/',
  ])('with another upload URL is not followed: %s', async (location) => {
    const outcome = fixture.start();
    (await fixture.next('POST', ENDPOINT)).respond(201, {
      Location: location,
      'Upload-Offset': '10',
    });
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(fixture.network.exchanges).toHaveLength(1);
  });

  it('has its upload URL refused, also after a restart', async () => {
    const outcome = fixture.start('https://evil.example/api/v1/uploads/u-1');
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(fixture.network.exchanges).toHaveLength(0);
  });
});

describe('an upload that cannot continue', () => {
  it.each([
    [403, 'CW-203'],
    [415, 'CW-605'],
    [507, 'CW-606'],
    [400, 'CW-603'],
  ])('is refused for good with %d as %s', async (status, code) => {
    const outcome = fixture.start();
    (await fixture.next('POST', ENDPOINT)).respond(status, TUS);
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code, status });
    expect(fixture.clock.pending).toBe(0);
  });

  it('fails with CW-606 and the service’s message when the workspace is full', async () => {
    const outcome = fixture.start();
    accept(await fixture.next('POST', ENDPOINT), 10);
    (await fixture.next('PATCH', URL)).respond(507, {}, { error: 'quota_exceeded' });
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({
      code: 'CW-606',
      status: 507,
      oauthError: 'quota_exceeded',
    });
    expect(fixture.clock.pending).toBe(0);
  });

  it('fails with CW-607 and sends no more when its copy is damaged', async () => {
    const outcome = fixture.start(null, (from) =>
      from === 0
        ? Promise.resolve(photo.slice(0, 10).buffer)
        : Promise.reject(new CwError('CW-607', 'shorter than it was')),
    );
    accept(await fixture.next('POST', ENDPOINT), 10);
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-607' });
    expect(fixture.network.exchanges).toHaveLength(1);
  });

  it('fails with CW-202 when the session has ended', async () => {
    const outcome = fixture.start();
    (await fixture.next('POST', ENDPOINT)).respond(401, TUS);
    await fixture.clock.advance(500);
    (await fixture.next('POST', `${BASE}/api/oauth/token`)).respond(
      400,
      {},
      { error: 'invalid_grant' },
    );
    await fixture.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-202' });
  });
});

/** Responds to each request until the upload ends. @returns the requests, in order */
async function serve(
  outcome: Outcome<UploadReceipt>,
  answer: (exchange: PendingExchange, index: number) => void,
): Promise<string[]> {
  const sent: string[] = [];
  for (let index = 0; outcome.state === 'pending' && index < 200; index += 1) {
    await fixture.clock.runUntil(
      () => fixture.network.open.length > 0 || outcome.state !== 'pending',
      {
        stepMs: 2_000,
      },
    );
    const [exchange] = fixture.network.open;
    if (!exchange) break;
    const { body, method } = exchange.request;
    sent.push(`${method} ${body instanceof ArrayBuffer ? body.byteLength : 0}`);
    answer(exchange, index);
    await fixture.clock.settle();
  }
  return sent;
}

/** A sound service that holds `held` bytes. */
function soundService(): (exchange: PendingExchange) => void {
  let held = 0;
  return (exchange) => {
    const { method, body } = exchange.request;
    if (method === 'HEAD') {
      answerHead(exchange, held);
      return;
    }
    held += body instanceof ArrayBuffer ? body.byteLength : 0;
    accept(exchange, held);
  };
}

describe('a response that is not the service’s', () => {
  const pages: [string, (exchange: PendingExchange) => void][] = [
    ...[200, 201, 204, 302, 400, 403, 404, 405, 407, 409, 410, 451, 511, 520, 530, 598, 599].map(
      (status): [string, (exchange: PendingExchange) => void] => [
        String(status),
        (exchange) => exchange.respond(status, {}, status === 204 ? '' : '<html>'),
      ],
    ),
    ['403 with a gateway’s JSON', (exchange) => exchange.respond(403, {}, { message: 'no' })],
  ];

  it.each(pages)('is not final for any request of an upload: %s', async (_name, page) => {
    for (const at of [0, 1, 2]) {
      fixture = await TusFixture.create();
      const outcome = fixture.start();
      const sound = soundService();
      await serve(outcome, (exchange, index) => {
        if (index >= at && index < at + 4) page(exchange);
        else sound(exchange);
      });
      expect(outcome.state).toBe('resolved');
    }
  });

  it.each(pages.filter(([name]) => Number(name) < 500))(
    'ends an upload as a network error after some minutes: %s',
    async (_name, page) => {
      const outcome = fixture.start();
      const sound = soundService();
      await serve(outcome, (exchange) => {
        if (exchange.request.method === 'PATCH') page(exchange);
        else sound(exchange);
      });
      expect(outcome.error).toMatchObject({ code: 'CW-304' });
      expect(fixture.clock.elapsed).toBeGreaterThan(120_000);
      expect(fixture.clock.elapsed).toBeLessThan(900_000);
    },
  );

  it('loses nothing when the service already has the chunk', async () => {
    const outcome = fixture.start();
    const sound = soundService();
    await serve(outcome, (exchange) => {
      if (exchange.request.method !== 'PATCH') {
        sound(exchange);
        return;
      }
      // The bytes are received, and a proxy removes the headers from the response.
      const respond = exchange.respond.bind(exchange);
      sound({ ...exchange, respond: () => respond(204) });
    });
    expect(outcome.state).toBe('resolved');
    expect(fixture.clock.elapsed).toBeLessThan(10_000);
  });
});

describe('an address over plain http behind TLS of the same host', () => {
  it.each([
    'http://service.example/api/v1/uploads/u-1',
    'http://service.example:80/api/v1/uploads/u-1',
    'http://service.example:443/api/v1/uploads/u-1',
  ])('is followed as https: %s', async (location) => {
    const outcome = fixture.start();
    (await fixture.next('POST', ENDPOINT)).respond(201, {
      Location: location,
      'Upload-Offset': '10',
    });
    accept(await fixture.next('PATCH', URL), 20);
    accept(await fixture.next('PATCH', URL), 25);
    await fixture.clock.settle();
    expect(outcome.state).toBe('resolved');
  });
});
