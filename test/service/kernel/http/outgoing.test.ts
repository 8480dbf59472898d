import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  connect,
  createServer as createSocketServer,
  type AddressInfo,
  type Socket,
} from 'node:net';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { issueCertificate } from '../../../../service/kernel/tls/issue-certificate.js';
import {
  outgoingFetch,
  outgoingStatus,
  outgoingUrl,
} from '../../../../service/kernel/http/outgoing.js';

const PUBLIC = { allowsPrivate: false };
const PRIVATE = { allowsPrivate: true };
const DAY_MS = 86_400_000;
const NAMES = { hosts: ['localhost'], addresses: [] };

describe('requests to addresses that users entered', () => {
  let server: Server | undefined;
  const closing: (() => unknown)[] = [];

  afterEach(() => {
    jest.restoreAllMocks();
    server?.closeAllConnections();
    server?.close();
    for (const close of closing.splice(0)) close();
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
    ['https://[64:ff9b::7f00:1]/', 'not_public'],
    ['https://[64:ff9b:1::808:808]/', 'not_public'],
    ['https://[2002:a00:1::1]/', 'not_public'],
    ['https://[2001:0:a00:1::1]/', 'not_public'],
    ['https://[fe80::1]/', 'not_public'],
    ['https://[fd00::1]/', 'not_public'],
    ['https://[4000::1]/', 'not_public'],
  ])('refuses %s', (url, failure) => {
    expect(() => outgoingUrl(url, PUBLIC)).toThrow(expect.objectContaining({ failure }));
  });

  it.each([
    'https://example.com/hook?a=1',
    'https://8.8.8.8:8443/',
    'https://[2606:4700::1]/',
    // Where only IPv6 is, IPv4 addresses are reached under these.
    'https://[64:ff9b::808:808]/',
  ])('accepts %s', (url) => {
    expect(outgoingUrl(url, PUBLIC).href).toBe(url);
  });

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

  it.each([
    ['never ends', (response: ServerResponse) => void response.write('.')],
    ['is long', (response: ServerResponse) => void response.end(Buffer.alloc(2 * 1024 * 1024))],
    [
      'is cut',
      (response: ServerResponse) => {
        response.write('.', () => response.destroy());
      },
    ],
  ])('returns a status whose body %s', async (_what, write) => {
    const url = await serve((_request, response) => {
      response.writeHead(202, { 'retry-after': '7', 'content-length': '4194304' });
      write(response);
    });
    const answer = await outgoingStatus(url, { method: 'POST', body: '{}' }, PRIVATE);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([202, '7']);
  });

  const listen = async (started: {
    listen: (port: number, host: string, done: () => void) => unknown;
    address: () => unknown;
    close: () => unknown;
    closeAllConnections?: () => void;
  }): Promise<number> => {
    closing.push(() => {
      started.closeAllConnections?.();
      started.close();
    });
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    return (started.address() as AddressInfo).port;
  };

  it('distinguishes a certificate that is not trusted from a server without TLS', async () => {
    const { key, server: cert } = await issueCertificate(new Date(), NAMES);
    const port = await listen(createSecureServer({ key, cert }));
    await expect(outgoingStatus(`https://localhost:${port}`, {}, PRIVATE)).rejects.toMatchObject({
      failure: 'certificate',
    });
    const plain = await serve(() => undefined);
    const withoutTls = outgoingStatus(plain.replace('http', 'https'), {}, PRIVATE);
    await expect(withoutTls).rejects.toMatchObject({ failure: 'tls' });
  });

  it.each([
    ['has expired', 'CERT_HAS_EXPIRED', new Date(Date.now() - 1000 * DAY_MS), NAMES],
    [
      'is for another name',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      new Date(),
      { hosts: ['other.example'], addresses: [] },
    ],
  ])(
    'reports a certificate of a trusted authority that %s',
    async (_what, code, issuedAt, names) => {
      const { key, server: cert, authority } = await issueCertificate(issuedAt, names);
      const port = await listen(createSecureServer({ key, cert }));
      const folder = await mkdtemp(path.join(tmpdir(), 'authority-'));
      closing.push(() => rm(folder, { recursive: true }));
      const trusted = path.join(folder, 'authority.pem');
      await writeFile(trusted, authority);
      // Node.js reads what it trusts once, when it starts.
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [
          '--import',
          'tsx',
          path.join(import.meta.dirname, 'outgoing-program.ts'),
          `https://localhost:${port}`,
        ],
        { env: { ...process.env, NODE_EXTRA_CA_CERTS: trusted, NODE_OPTIONS: '' } },
      );
      expect(JSON.parse(stdout)).toEqual({ failure: 'certificate', code });
    },
  );

  describe('through a proxy', () => {
    /** Connects where it is told to, unless it refuses. Notes the first line and the credentials of each request. */
    const startProxy = async (
      refusal?: string,
      success = '200 Connection established',
    ): Promise<{ url: URL; seen: string[] }> => {
      const seen: string[] = [];
      const sockets = new Set<Socket>();
      const started = createSocketServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('data', (bytes) => {
          const [line = ''] = bytes.toString().split('\r\n');
          const [, credentials = ''] =
            /proxy-authorization: Basic (\S+)/i.exec(bytes.toString()) ?? [];
          seen.push(line, Buffer.from(credentials, 'base64').toString());
          if (refusal !== undefined) {
            socket.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
            return;
          }
          const [, target = ''] = line.split(' ');
          const [host = '', port] = target.split(':');
          const onwards = connect(Number(port), host === 'hooks.invalid' ? '127.0.0.1' : host);
          sockets.add(onwards);
          onwards.on('error', () => socket.destroy());
          onwards.once('connect', () => {
            socket.write(`HTTP/1.1 ${success}\r\n\r\n`);
            socket.pipe(onwards).pipe(socket);
          });
        });
      });
      closing.push(() => sockets.forEach((socket) => socket.destroy()));
      const port = await listen(started);
      return { url: new URL(`http://user:p%40ss@localhost:${port}`), seen };
    };

    it.each(['200 Connection established', '201 Created', '299 Fine'])(
      'sends each request by CONNECT, with the name, which the proxy resolves: %s',
      async (success) => {
        const { url: proxy, seen } = await startProxy(undefined, success);
        const target = await serve((request, response) => {
          response.writeHead(201);
          request.pipe(response);
        });
        const { port } = new URL(target);
        const answer = await outgoingFetch(
          `http://hooks.invalid:${port}/hook`,
          { method: 'POST', body: 'é' },
          { ...PRIVATE, proxy },
        );
        expect([answer.status, await answer.text()]).toEqual([201, 'é']);
        expect(seen).toEqual([`CONNECT hooks.invalid:${port} HTTP/1.1`, 'user:p@ss']);
      },
    );

    it('checks the certificate of the server behind it', async () => {
      const { url: proxy } = await startProxy();
      const { key, server: cert } = await issueCertificate(new Date(), NAMES);
      const port = await listen(createSecureServer({ key, cert }));
      const sending = outgoingStatus(`https://localhost:${port}`, {}, { ...PRIVATE, proxy });
      await expect(sending).rejects.toMatchObject({ failure: 'certificate' });
    });

    it('fails when the proxy refuses or is away, without the password in the message', async () => {
      const { url: proxy } = await startProxy('407 Proxy Authentication Required');
      const sending = outgoingStatus('https://example.com/', {}, { ...PUBLIC, proxy });
      await expect(sending).rejects.toMatchObject({
        failure: 'proxy',
        message: expect.not.stringContaining('p@ss'),
      });
      const away = new URL('http://user:secret@localhost:1');
      const toNobody = outgoingStatus('https://example.com/', {}, { ...PUBLIC, proxy: away });
      await expect(toNobody).rejects.toMatchObject({
        failure: 'proxy',
        message: expect.not.stringContaining('secret'),
      });
    });

    it('refuses private addresses that were entered as numbers', async () => {
      const { url: proxy, seen } = await startProxy();
      const sending = outgoingStatus('https://10.0.0.1/', {}, { ...PUBLIC, proxy });
      await expect(sending).rejects.toMatchObject({ failure: 'not_public' });
      expect(seen).toEqual([]);
    });
  });
});
