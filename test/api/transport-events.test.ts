import { beforeEach, describe, expect, it } from '@jest/globals';
import { createTransport } from '../../src/api/transport.js';
import { CancelSource } from '../../src/util/cancel.js';
import { CwError } from '../../src/util/errors.js';
import type { HttpRequest, SendHttp } from '../../src/host/http.js';
import { FakeClock } from '../support/fake-clock.js';
import { outcomeOf, rejectionOf } from '../support/outcome.js';
import { get, originOf, ScriptedXhr, SECRET } from './transport-fixture.js';

function put(length: number): HttpRequest {
  return {
    method: 'PATCH',
    url: 'https://service.example/api',
    headers: {},
    body: new ArrayBuffer(length),
  };
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

  // @threat H1
  it('refuses plain http even to its own origin, unless that is this computer', async () => {
    const plain = createTransport({
      createXhr: () => xhr,
      clock,
      origin: originOf('http://service.example'),
    });
    await expect(plain(get('http://service.example/'))).rejects.toMatchObject({ code: 'CW-304' });
    expect(xhr.isSent).toBe(false);
  });

  it('gives the bytes of an answer, or the text of an error', async () => {
    const answered = (status: number, bytes: readonly number[]): ReturnType<SendHttp> => {
      xhr = new ScriptedXhr();
      const answer = send(get(URL, { isBinary: true }));
      expect(xhr.responseType).toBe('arraybuffer');
      Object.assign(xhr, { status, response: Uint8Array.from(bytes).buffer });
      // As in the standard.
      Object.defineProperty(xhr, 'responseText', {
        get: () => {
          throw new Error('InvalidStateError');
        },
      });
      xhr.onload?.();
      return answer;
    };
    const { bytes, text } = await answered(206, [1, 255, 3]);
    expect([[...new Uint8Array(bytes ?? [])], text]).toEqual([[1, 255, 3], '']);
    expect(await answered(404, [123, 125])).toMatchObject({ status: 404, text: '{}' });
    await expect(answered(200, Array(11).fill(0))).rejects.toMatchObject({ code: 'CW-304' });
    xhr = new ScriptedXhr();
    const none = send(get(URL, { isBinary: true }));
    xhr.onload?.();
    await expect(none).rejects.toMatchObject({ code: 'CW-305' });
  });

  it('sends no cookies', () => {
    void send(get(URL));
    expect(xhr.isSent).toBe(true);
    expect(xhr.withCredentials).toBe(false);
  });

  it('restarts the idle time-out with bytes in either direction', async () => {
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

  it('restarts the idle time-out with the last bytes of a body', async () => {
    const outcome = outcomeOf(send(put(105)));
    xhr.upload.onprogress?.({ loaded: 100 });
    await clock.advance(999);
    xhr.upload.onprogress?.({ loaded: 105 });
    await clock.advance(999);
    expect(outcome.state).toBe('pending');
    await clock.advance(1);
    expect(outcome.error).toMatchObject({ code: 'CW-302' });
  });

  it('ends an upload to a service that reads byte by byte', async () => {
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

  it('limits the response time after a body of any duration', async () => {
    const outcome = outcomeOf(send(put(1000)));
    // Hosts also report that the request is open, which is not a response.
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

  it('limits the time of a response that begins before the body is sent', async () => {
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
      'where the host reports progress',
      () => {
        xhr.onprogress?.({ loaded: 11 });
        return clock.settle();
      },
    ],
    [
      'by looking again and again, where the host reports nothing before the end',
      () => {
        xhr.responseText = 'x'.repeat(11);
        return clock.advance(100);
      },
    ],
  ] satisfies [string, () => Promise<void>][])(
    'aborts a response at the size limit, %s',
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
      expect(outcome.error).toMatchObject({ code: 'CW-304', status: 200 });
      expect(xhr.aborts).toBeGreaterThan(0);
      expect(clock.pending).toBe(0);
    },
  );

  it.each([
    ['from a foreign origin', 'CW-304', 'https://evil.example/', {}],
    ['that is too large', 'CW-304', '', { 'content-length': '11' }],
  ])(
    'aborts a response %s by its headers when the host hides its state',
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

  it('works on a host that exposes no response before its end', async () => {
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

  it('ignores jumps of the wall clock', async () => {
    const outcome = outcomeOf(send(get(URL)));
    clock.jumpWall(86_400_000);
    await clock.advance(999);
    expect(outcome.state).toBe('pending');
  });

  it('aborts a response from another origin as soon as its headers arrive', async () => {
    const outcome = outcomeOf(send(get(URL)));
    xhr.responseURL = 'https://evil.example/api';
    xhr.state(2);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(xhr.aborts).toBeGreaterThan(0);
  });

  it.each(['https://evil.example/', 'nonsense', 'https://service.example:8443/'])(
    'refuses a complete response from %s',
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

  it('aborts a response as soon as its announced length is too large', async () => {
    const outcome = outcomeOf(send(get(URL)));
    xhr.responseHeaders = { 'content-length': '11' };
    xhr.state(2);
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(xhr.aborts).toBeGreaterThan(0);
  });

  it('fails with CW-301 when the host aborts the request', async () => {
    const outcome = outcomeOf(send(get(URL)));
    xhr.onabort?.();
    await clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-301' });
    expect(clock.pending).toBe(0);
  });

  it('ignores events after its end', async () => {
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
    'fails with CW-301 when the host throws in %s, and leaves nothing running',
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

  it('fails with CW-301 when the host cannot create a request', async () => {
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
