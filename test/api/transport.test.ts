import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTransport } from '../../src/api/transport.js';
import { CancelledError, CancelSource } from '../../src/util/cancel.js';
import type { SendHttp } from '../../src/host/http.js';
import { FakeClock } from '../support/fake-clock.js';
import { startFlood } from '../support/flood.js';
import { startScriptedServer, type ScriptedServer } from '../support/http-server.js';
import { NodeXhr } from '../support/node-xhr.js';
import { outcomeOf, rejectionOf } from '../support/outcome.js';
import { get, originOf, SECRET } from './transport-fixture.js';

describe('transport over a real connection', () => {
  let server: ScriptedServer;
  let clock: FakeClock;
  let send: SendHttp;

  beforeEach(async () => {
    server = await startScriptedServer();
    clock = new FakeClock();
    send = createTransport({
      createXhr: () => new NodeXhr(),
      clock,
      origin: originOf(server.origin),
    });
  });
  afterEach(async () => {
    await server.close();
    expect(clock.pending).toBe(0);
  });

  it('sends method, URL, headers and text, and returns status, text and headers', async () => {
    server.expect(
      {
        method: 'POST',
        path: '/api/oauth/token?x=1',
        headers: { authorization: `Bearer ${SECRET}`, 'x-other': 'a', cookie: null },
        form: { a: 'ä' },
      },
      { status: 201, headers: { 'X-Request-Id': 'r-1' }, body: 'créé' },
    );
    const response = await send({
      method: 'POST',
      url: `${server.origin}/api/oauth/token?x=1`,
      headers: { Authorization: `Bearer ${SECRET}`, 'X-Other': 'a' },
      body: 'a=%C3%A4',
    });
    expect(response).toMatchObject({ status: 201, text: 'créé' });
    expect(response.header('x-request-id')).toBe('r-1');
    expect(response.header('X-REQUEST-ID')).toBe('r-1');
    expect(response.header('Retry-After')).toBeNull();
  });

  it.each([
    ['an ArrayBuffer', (bytes: Uint8Array<ArrayBuffer>) => bytes.buffer],
    ['a Blob', (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes])],
  ])('sends %s byte for byte and reports progress', async (_name, bodyOf) => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
    server.expect({ method: 'PATCH', path: '/up' }, { status: 204 });
    const progress: number[] = [];
    await send({
      method: 'PATCH',
      url: `${server.origin}/up`,
      headers: {},
      body: bodyOf(bytes),
      onUploadProgress: (sent) => progress.push(sent),
    });
    expect(Buffer.compare(server.requests[0]?.body ?? Buffer.alloc(0), bytes)).toBe(0);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(bytes.length);
  });

  it.each([200, 204, 400, 401, 404, 429, 500, 503])(
    'returns status %d as a response',
    async (status) => {
      server.expect({}, { status });
      expect((await send(get(`${server.origin}/`))).status).toBe(status);
    },
  );

  it('fails with CW-301 when no server listens', async () => {
    const unused = createServer();
    await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
    const origin = `http://localhost:${(unused.address() as AddressInfo).port}`;
    await new Promise((resolve) => unused.close(resolve));
    const sendThere = createTransport({
      createXhr: () => new NodeXhr(),
      clock,
      origin: originOf(origin),
    });
    await expect(sendThere(get(`${origin}/`))).rejects.toMatchObject({ code: 'CW-301' });
  });

  it('fails with CW-301 when the connection ends without a response', async () => {
    server.expect({}, 'cut');
    await expect(send(get(`${server.origin}/`))).rejects.toMatchObject({ code: 'CW-301' });
  });

  it('fails with CW-301 when the response is cut short', async () => {
    const cutting = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => response.destroy());
    });
    await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
    const origin = `http://localhost:${(cutting.address() as AddressInfo).port}`;
    const sendThere = createTransport({
      createXhr: () => new NodeXhr(),
      clock,
      origin: originOf(origin),
    });
    await expect(sendThere(get(`${origin}/`))).rejects.toMatchObject({ code: 'CW-301' });
    await new Promise((resolve) => cutting.close(resolve));
  });

  it('fails with CW-302 when no response comes for a minute, and closes the connection', async () => {
    server.expect({}, 'hang');
    const outcome = outcomeOf(send(get(`${server.origin}/`)));
    await server.arrived(1);
    await clock.advance(59_999);
    expect(outcome.state).toBe('pending');
    await clock.advance(1);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-302' });
    await clock.runUntil(() => server.open === 0);
  });

  it('follows a redirect within the origin', async () => {
    server.expect({ path: '/a' }, { status: 307, headers: { Location: '/b' } });
    server.expect({ path: '/b' }, { status: 200, body: 'there' });
    expect((await send(get(`${server.origin}/a`))).text).toBe('there');
  });

  // @threat H1
  it('fails with CW-304 when a redirect led to another origin, whatever the response', async () => {
    const elsewhere = await startScriptedServer();
    elsewhere.expect({ path: '/b' }, { status: 200, body: 'trust me' });
    server.expect({ path: '/a' }, { status: 307, headers: { Location: `${elsewhere.origin}/b` } });
    const error = await rejectionOf(send(get(`${server.origin}/a`)));
    expect(error).toMatchObject({ code: 'CW-304' });
    expect(String(error)).not.toContain('trust me');
    await elsewhere.close();
  });

  it.each([
    ['announced', {}],
    ['not announced', { 'Transfer-Encoding': 'chunked' }],
  ])('fails with CW-304 for a response that is too large, %s', async (_name, headers) => {
    server.expect({}, { status: 200, headers, body: 'x'.repeat(65_537) });
    await expect(send(get(`${server.origin}/`))).rejects.toMatchObject({
      code: 'CW-304',
      status: 200,
    });
  });

  // @threat H2
  it('aborts an endless response without a length while it is being read', async () => {
    const flood = await startFlood(200_000_000);
    const sendThere = createTransport({
      createXhr: () => new NodeXhr(),
      clock,
      origin: originOf(flood.origin),
    });
    await expect(sendThere(get(`${flood.origin}/`))).rejects.toMatchObject({
      code: 'CW-304',
      status: 200,
    });
    await flood.over;
    // The buffers of both ends are sent, though not read.
    expect(flood.sent).toBeLessThan(20_000_000);
    await flood.close();
  });

  it('accepts a response of exactly the maximum length', async () => {
    server.expect({}, { status: 200, body: 'x'.repeat(65_536) });
    expect((await send(get(`${server.origin}/`))).text).toHaveLength(65_536);
  });

  it('accepts a large Content-Length in a response to HEAD', async () => {
    server.expect({ method: 'HEAD' }, { status: 200, headers: { 'Content-Length': '5000000000' } });
    const response = await send(get(`${server.origin}/`, { method: 'HEAD' }));
    expect(response.status).toBe(200);
  });

  it('ends at once when it is cancelled, and closes the connection', async () => {
    server.expect({}, 'hang');
    const source = new CancelSource();
    const outcome = outcomeOf(send(get(`${server.origin}/`), source.signal));
    await server.arrived(1);
    source.cancel();
    await clock.settle();
    expect(outcome.error).toBeInstanceOf(CancelledError);
    await clock.runUntil(() => server.open === 0);
  });

  it('sends nothing when it is cancelled already', async () => {
    const source = new CancelSource();
    source.cancel();
    await expect(send(get(`${server.origin}/`), source.signal)).rejects.toBeInstanceOf(
      CancelledError,
    );
    expect(server.requests).toEqual([]);
  });
});
