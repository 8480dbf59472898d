import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTransport } from '../../src/api/transport.js';
import { CancelledError, CancelSource } from '../../src/base/cancel.js';
import { CwError } from '../../src/base/errors.js';
import { parseHttpUrl, type HttpUrl } from '../../src/base/url.js';
import type { HttpRequest, SendHttp, Xhr } from '../../src/host/http.js';
import { FakeClock } from '../support/fake-clock.js';
import { startFlood } from '../support/flood.js';
import { startScriptedServer, type ScriptedServer } from '../support/http-server.js';
import { NodeXhr } from '../support/node-xhr.js';
import { outcomeOf, rejectionOf } from '../support/outcome.js';

const SECRET = 'svc_at_secret';

function originOf(address: string): HttpUrl {
  const url = parseHttpUrl(address);
  if (!url) throw new Error(`${address} is no address`);
  return url;
}

function get(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: { Authorization: `Bearer ${SECRET}` }, ...more };
}

function put(length: number): HttpRequest {
  return {
    method: 'PATCH',
    url: 'https://service.example/api',
    headers: {},
    body: new ArrayBuffer(length),
  };
}

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

  it('sends method, address, headers and text, and gives status, text and headers', async () => {
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
  ])('sends %s byte for byte and tells how far it is', async (_name, bodyOf) => {
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
    'gives status %d as an answer',
    async (status) => {
      server.expect({}, { status });
      expect((await send(get(`${server.origin}/`))).status).toBe(status);
    },
  );

  it('says CW-301 when nobody listens', async () => {
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

  it('says CW-301 when the connection ends without an answer', async () => {
    server.expect({}, 'cut');
    await expect(send(get(`${server.origin}/`))).rejects.toMatchObject({ code: 'CW-301' });
  });

  it('says CW-301 when the answer is cut short', async () => {
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

  it('says CW-302 when no answer comes for a minute, and closes the connection', async () => {
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

  it('says CW-304 when a redirect led to another origin, whatever came from there', async () => {
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
  ])('says CW-305 for an answer that is too large, %s', async (_name, headers) => {
    server.expect({}, { status: 200, headers, body: 'x'.repeat(65_537) });
    await expect(send(get(`${server.origin}/`))).rejects.toMatchObject({
      code: 'CW-305',
      status: 200,
    });
  });

  it('stops an endless answer whose length nobody announced while it is being read', async () => {
    const flood = await startFlood(200_000_000);
    const sendThere = createTransport({
      createXhr: () => new NodeXhr(),
      clock,
      origin: originOf(flood.origin),
    });
    await expect(sendThere(get(`${flood.origin}/`))).rejects.toMatchObject({
      code: 'CW-305',
      status: 200,
    });
    await flood.over;
    // What lies in the buffers of both ends is sent, though not read.
    expect(flood.sent).toBeLessThan(20_000_000);
    await flood.close();
  });

  it('takes an answer of just the length allowed', async () => {
    server.expect({}, { status: 200, body: 'x'.repeat(65_536) });
    expect((await send(get(`${server.origin}/`))).text).toHaveLength(65_536);
  });

  it('does not mind a large Content-Length in answer to HEAD', async () => {
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

/** An XMLHttpRequest whose events the test fires. */
class ScriptedXhr implements Xhr {
  withCredentials = true;
  status = 0;
  readyState: number | undefined = 0;
  responseText = '';
  responseURL = '';
  readonly upload: Xhr['upload'] = { onprogress: null };
  onprogress: Xhr['onprogress'] = null;
  onreadystatechange: (() => void) | null = null;
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;

  aborts = 0;
  isSent = false;
  readonly headers: [string, string][] = [];
  responseHeaders: Record<string, string> = {};
  throwAt: 'open' | 'setRequestHeader' | 'send' | null = null;

  open(): void {
    if (this.throwAt === 'open') throw new Error(`refused, with ${SECRET}`);
  }
  setRequestHeader(name: string, value: string): void {
    if (this.throwAt === 'setRequestHeader') throw new Error(`refused, with ${SECRET}`);
    this.headers.push([name, value]);
  }
  send(): void {
    if (this.throwAt === 'send') throw new Error(`refused, with ${SECRET}`);
    this.isSent = true;
  }
  /** As the standard has it: fires `abort` at once while something is under way. */
  abort(): void {
    this.aborts += 1;
    if (this.aborts > 10) throw new Error('abort calls itself for ever');
    this.onabort?.();
  }
  getResponseHeader(name: string): string | null {
    return this.responseHeaders[name.toLowerCase()] ?? null;
  }
  state(readyState: number | undefined): void {
    this.readyState = readyState;
    this.onreadystatechange?.();
  }
}

describe('transport, event by event', () => {
  const URL = 'https://service.example/api';
  let xhr: ScriptedXhr;
  let made: number;
  let clock: FakeClock;
  let send: SendHttp;

  beforeEach(() => {
    xhr = new ScriptedXhr();
    made = 0;
    clock = new FakeClock();
    send = createTransport({
      createXhr: () => {
        made += 1;
        return xhr;
      },
      clock,
      origin: originOf('https://service.example'),
      idleTimeoutMs: 1000,
      answerTimeoutMs: 5000,
      leastProgressBytes: 100,
      maxResponseLength: 10,
    });
  });

  it.each([
    ['another origin', 'https://evil.example/api'],
    ['another scheme', 'http://service.example/api'],
    ['another port', 'https://service.example:8443/api'],
    ['a subdomain', 'https://api.service.example/api'],
    ['a look-alike', 'https://service.example.evil.example/api'],
    ['a user name', 'https://service.example@evil.example/api'],
    ['a relative address', '/api'],
    ['nothing', ''],
  ])('refuses to send anything to %s', async (_name, url) => {
    const error = await rejectionOf(send(get(url)));
    expect(error).toMatchObject({ code: 'CW-304' });
    expect(String(error)).not.toContain(SECRET);
    expect(made).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('refuses plain http even to its own origin, unless that is this computer', async () => {
    const plain = createTransport({
      createXhr: () => xhr,
      clock,
      origin: originOf('http://service.example'),
    });
    await expect(plain(get('http://service.example/'))).rejects.toMatchObject({ code: 'CW-304' });
    expect(xhr.isSent).toBe(false);
  });

  it('sends no cookies', () => {
    void send(get(URL));
    expect(xhr.isSent).toBe(true);
    expect(xhr.withCredentials).toBe(false);
  });

  it('counts the idle time anew whenever bytes move, in either direction', async () => {
    const outcome = outcomeOf(send(put(1000)));
    for (let sent = 100; sent <= 1000; sent += 100) {
      await clock.advance(999);
      xhr.upload.onprogress?.({ loaded: sent });
    }
    await clock.advance(999);
    xhr.state(2);
    for (let part = 0; part < 3; part += 1) {
      await clock.advance(999);
      xhr.state(3);
    }
    await clock.advance(999);
    expect(outcome.state).toBe('pending');
    await clock.advance(1);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-302' });
    expect(xhr.aborts).toBeGreaterThan(0);
    expect(clock.pending).toBe(0);
  });

  it('counts the last bytes of a body as moving, however few they are', async () => {
    const outcome = outcomeOf(send(put(105)));
    xhr.upload.onprogress?.({ loaded: 100 });
    await clock.advance(999);
    xhr.upload.onprogress?.({ loaded: 105 });
    await clock.advance(999);
    expect(outcome.state).toBe('pending');
    await clock.advance(1);
    expect(outcome.error).toMatchObject({ code: 'CW-302' });
  });

  it('ends an upload that a service reads byte by byte', async () => {
    const outcome = outcomeOf(send(put(1_000_000)));
    for (let sent = 1; sent <= 99 && outcome.state === 'pending'; sent += 1) {
      await clock.advance(500);
      xhr.upload.onprogress?.({ loaded: sent });
    }
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-302' });
    expect(clock.elapsed).toBe(1000);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['GET', {}],
    ['HEAD', {}],
    ['DELETE', {}],
    ['POST', { body: 'grant_type=refresh_token' }],
  ] as const)(
    'ends a %s whose answer drips in, byte by byte, after the time for answers',
    async (method, more) => {
      const outcome = outcomeOf(send(get(URL, { method, ...more })));
      await clock.advance(900);
      xhr.state(2);
      while (outcome.state === 'pending' && clock.elapsed < 100_000) {
        await clock.advance(900);
        xhr.state(3);
      }
      expect(outcome.error).toMatchObject({ code: 'CW-302' });
      expect(clock.elapsed).toBeLessThanOrEqual(5_400);
      expect(xhr.aborts).toBeGreaterThan(0);
      expect(clock.pending).toBe(0);
    },
  );

  it('gives a body the time it needs, and then its answer no more than the time for answers', async () => {
    const outcome = outcomeOf(send(put(1000)));
    // Hosts tell that the request is open, too: no answer has begun with that.
    xhr.state(1);
    for (let sent = 100; sent <= 1000; sent += 100) {
      await clock.advance(900);
      xhr.upload.onprogress?.({ loaded: sent });
    }
    expect(clock.elapsed).toBe(9_000);
    expect(outcome.state).toBe('pending');
    xhr.state(2);
    while (outcome.state === 'pending' && clock.elapsed < 100_000) {
      await clock.advance(900);
      xhr.state(3);
    }
    expect(outcome.error).toMatchObject({ code: 'CW-302' });
    expect(clock.elapsed).toBeLessThanOrEqual(14_400);
    expect(clock.pending).toBe(0);
  });

  it('limits the time for an answer that begins before the body is sent', async () => {
    const outcome = outcomeOf(send(put(1000)));
    xhr.state(2);
    for (let step = 0; outcome.state === 'pending' && step < 100; step += 1) {
      await clock.advance(900);
      xhr.state(3);
    }
    expect(outcome.error).toMatchObject({ code: 'CW-302' });
    expect(clock.elapsed).toBeLessThanOrEqual(5_400);
  });

  it.each([
    [
      'with every part that is told of',
      () => {
        xhr.responseText = 'x'.repeat(11);
        xhr.state(3);
        return clock.settle();
      },
    ],
    [
      'where the host tells of progress',
      () => {
        xhr.onprogress?.({ loaded: 11 });
        return clock.settle();
      },
    ],
    [
      'by looking again and again, where the host tells nothing before the end',
      () => {
        xhr.responseText = 'x'.repeat(11);
        return clock.advance(100);
      },
    ],
  ] satisfies [string, () => Promise<void>][])(
    'stops a growing answer at the limit, %s',
    async (_name, grow) => {
      const outcome = outcomeOf(send(get(URL)));
      xhr.status = 200;
      xhr.state(2);
      xhr.responseText = 'x'.repeat(10);
      xhr.state(3);
      await clock.advance(500);
      expect(outcome.state).toBe('pending');
      await grow();
      await clock.settle();
      expect(outcome.error).toMatchObject({ code: 'CW-305', status: 200 });
      expect(xhr.aborts).toBeGreaterThan(0);
      expect(clock.pending).toBe(0);
    },
  );

  it.each([
    ['from a foreign origin', 'CW-304', 'https://evil.example/', {}],
    ['that is too large', 'CW-305', '', { 'content-length': '11' }],
  ])(
    'stops an answer %s by its headers, where the host hides its state',
    async (_, code, url, headers) => {
      const outcome = outcomeOf(send(get(URL)));
      xhr.state(undefined);
      await clock.settle();
      expect(outcome.state).toBe('pending');
      xhr.status = 200;
      xhr.responseURL = url;
      xhr.responseHeaders = headers;
      xhr.state(undefined);
      await clock.settle();
      expect(outcome.error).toMatchObject({ code });
      expect(clock.pending).toBe(0);
    },
  );

  it('lives with a host that lets nobody look at an answer before its end', async () => {
    const outcome = outcomeOf(send(get(URL)));
    Object.defineProperty(xhr, 'responseText', {
      get: () => {
        if (xhr.readyState !== 4) throw new Error('not yet');
        return 'whole';
      },
    });
    xhr.state(2);
    xhr.state(3);
    await clock.advance(500);
    xhr.status = 200;
    xhr.state(4);
    xhr.onload?.();
    await clock.settle();
    expect(outcome.value?.text).toBe('whole');
    expect(clock.pending).toBe(0);
  });

  it('is not ended by a wall clock that jumps', async () => {
    const outcome = outcomeOf(send(get(URL)));
    clock.jumpWall(86_400_000);
    await clock.advance(999);
    expect(outcome.state).toBe('pending');
  });

  it('stops an answer from elsewhere as soon as its headers are there', async () => {
    const outcome = outcomeOf(send(get(URL)));
    xhr.responseURL = 'https://evil.example/api';
    xhr.state(2);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(xhr.aborts).toBeGreaterThan(0);
  });

  it.each(['https://evil.example/', 'nonsense', 'https://service.example:8443/'])(
    'does not trust a whole answer from %s either',
    async (address) => {
      const outcome = outcomeOf(send(get(URL)));
      xhr.responseURL = address;
      xhr.status = 200;
      xhr.responseText = 'x';
      xhr.onload?.();
      await clock.settle();
      expect(outcome.error).toMatchObject({ code: 'CW-304' });
    },
  );

  it('stops an answer as soon as it is announced to be too large', async () => {
    const outcome = outcomeOf(send(get(URL)));
    xhr.responseHeaders = { 'content-length': '11' };
    xhr.state(2);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(xhr.aborts).toBeGreaterThan(0);
  });

  it('says CW-301 when the host ends the exchange by itself', async () => {
    const outcome = outcomeOf(send(get(URL)));
    xhr.onabort?.();
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-301' });
    expect(clock.pending).toBe(0);
  });

  it('heeds nothing that happens after its end', async () => {
    const progress: number[] = [];
    const source = new CancelSource();
    const outcome = outcomeOf(
      send(get(URL, { onUploadProgress: (sent) => progress.push(sent) }), source.signal),
    );
    xhr.status = 200;
    xhr.responseText = 'first';
    xhr.onload?.();
    await clock.settle();
    xhr.upload.onprogress?.({ loaded: 5 });
    xhr.state(3);
    xhr.responseText = 'second';
    xhr.onload?.();
    xhr.onerror?.();
    source.cancel();
    await clock.settle();
    expect(outcome.value?.text).toBe('first');
    expect(progress).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it.each(['open', 'setRequestHeader', 'send'] as const)(
    'says CW-301 when the host throws in %s, and leaves nothing running',
    async (method) => {
      xhr.throwAt = method;
      const source = new CancelSource();
      const error = await rejectionOf(send(get(URL), source.signal));
      expect(error).toBeInstanceOf(CwError);
      expect(error).toMatchObject({ code: 'CW-301' });
      expect(String(error)).not.toContain(SECRET);
      expect(clock.pending).toBe(0);
      const { aborts } = xhr;
      source.cancel();
      expect(xhr.aborts).toBe(aborts);
    },
  );

  it('says CW-301 when the host cannot even make a request', async () => {
    const broken = createTransport({
      createXhr: () => {
        throw new Error('none left');
      },
      clock,
      origin: originOf('https://service.example'),
    });
    await expect(broken(get(URL))).rejects.toMatchObject({ code: 'CW-301' });
    expect(clock.pending).toBe(0);
  });
});
