import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { outgoingFetch, outgoingUrl } from '../../../../service/platform/http/outgoing.js';

const PUBLIC = { allowsPrivate: false };
const PRIVATE = { allowsPrivate: true };

describe('requests to addresses that users entered', () => {
  let server: Server | undefined;

  afterEach(() => {
    jest.restoreAllMocks();
    server?.closeAllConnections();
    server?.close();
  });

  const serve = async (handler: RequestListener): Promise<string> => {
    const started = createServer(handler);
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
  };

  // @threat R4
  it.each([
    ['http://example.com/', 'not_https'],
    ['ftp://example.com/', 'not_https'],
    ['https://user:secret@example.com/', 'not_https'],
    ['https://example.com/#part', 'not_https'],
    ['example.com', 'not_https'],
    ['https://127.0.0.1/', 'not_public'],
    ['https://2130706433/', 'not_public'],
    ['https://0x7f.1/', 'not_public'],
    ['https://10.1.2.3/', 'not_public'],
    ['https://169.254.169.254/latest/meta-data', 'not_public'],
    ['https://100.64.0.1/', 'not_public'],
    ['https://[::1]/', 'not_public'],
    ['https://[::ffff:10.0.0.1]/', 'not_public'],
    ['https://[64:ff9b::a00:1]/', 'not_public'],
    ['https://[fe80::1]/', 'not_public'],
    ['https://[fd00::1]/', 'not_public'],
    ['https://[4000::1]/', 'not_public'],
  ])('refuses %s', (url, failure) => {
    expect(() => outgoingUrl(url, PUBLIC)).toThrow(expect.objectContaining({ failure }));
  });

  it.each(['https://example.com/hook?a=1', 'https://8.8.8.8:8443/', 'https://[2606:4700::1]/'])(
    'accepts %s',
    (url) => {
      expect(outgoingUrl(url, PUBLIC).href).toBe(url);
    },
  );

  it('refuses a name of this machine before it connects', async () => {
    await expect(outgoingFetch('https://localhost:1/', {}, PUBLIC)).rejects.toMatchObject({
      failure: 'not_public',
    });
  });

  it('fails for a name that does not exist', async () => {
    await expect(outgoingFetch('https://host.invalid/', {}, PUBLIC)).rejects.toMatchObject({
      failure: 'unknown_host',
    });
  });

  it('sends a body and returns the answer', async () => {
    const url = await serve((request, response) => {
      response.writeHead(201);
      request.pipe(response);
    });
    const answer = await outgoingFetch(url, { method: 'POST', body: 'é' }, PRIVATE);
    expect(answer.status).toBe(201);
    expect(await answer.text()).toBe('é');
  });

  it('returns a redirect without following it', async () => {
    let requests = 0;
    const url = await serve((_request, response) => {
      requests += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await outgoingFetch(url, {}, PRIVATE)).status).toBe(302);
    expect(requests).toBe(1);
  });

  it('stops at an answer that is too large', async () => {
    const url = await serve((_request, response) => {
      response.end(Buffer.alloc(2 * 1024 * 1024));
    });
    await expect(outgoingFetch(url, {}, PRIVATE)).rejects.toMatchObject({ failure: 'too_large' });
  });

  it('stops an answer that takes too long', async () => {
    const timeout = new AbortController();
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal);
    const url = await serve((_request, response) => {
      response.write('.');
      timeout.abort();
    });
    await expect(outgoingFetch(url, {}, PRIVATE)).rejects.toMatchObject({ failure: 'timeout' });
  });
});
