import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenAt, portOf } from '../../../../service/kernel/http/listen.js';
import { HAS_IPV6 } from '../../../support/ipv6.js';
import { isForOtherHost, isAlias } from '../../../../service/kernel/http/loopback.js';

describe('listening', () => {
  const servers: Server[] = [];
  const make = (): Server => {
    const server = createServer((_request, response) => response.end('here'));
    servers.push(server);
    return server;
  };
  /** A server whose address is refused by the system, the given number of times. */
  const refusing = (address: string, code: string, times: number): (() => Server) => {
    let left = times;
    return () => {
      const server = make();
      const listen = server.listen.bind(server) as (...args: unknown[]) => Server;
      server.listen = (...args: unknown[]) => {
        if (args[1] !== address || left === 0) return listen(...args);
        left -= 1;
        queueMicrotask(() => server.emit('error', Object.assign(new Error(code), { code })));
        return server;
      };
      return server;
    };
  };
  const addresses = (all: readonly Server[]): string[] =>
    all.map((server) => (server.address() as AddressInfo).address);

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    }
  });

  it.each(['127.0.0.1', '0.0.0.0'])('on %s binds that address only', async (host) => {
    expect(addresses(await listenAt(make, { host, port: 0 }))).toEqual([host]);
  });

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])(
    'binds IPv4 only on a machine that returns %s',
    async (code) => {
      const all = await listenAt(refusing('::1', code, Infinity), { host: 'localhost', port: 0 });
      expect(addresses(all)).toEqual(['127.0.0.1']);
    },
  );

  it('fails after several attempts and binds nothing', async () => {
    await expect(
      listenAt(refusing('::1', 'EADDRINUSE', Infinity), { host: 'localhost', port: 0 }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(servers.filter(({ listening }) => listening)).toEqual([]);
  });

  it.each(['EACCES', 'EMFILE'])('reports %s', async (code) => {
    await expect(
      listenAt(refusing('::1', code, 1), { host: 'localhost', port: 0 }),
    ).rejects.toMatchObject({ code });
    expect(servers.filter(({ listening }) => listening)).toEqual([]);
  });

  if (!HAS_IPV6) return;

  it.each(['localhost', 'LOCALHOST'])(
    'on %s binds both loopback addresses to one port',
    async (host) => {
      const all = await listenAt(make, { host, port: 0 });
      expect(addresses(all)).toEqual(['127.0.0.1', '::1']);
      expect(new Set(all.map(portOf)).size).toBe(1);
      for (const name of ['localhost', '127.0.0.1', '[::1]']) {
        const answer = await fetch(`http://${name}:${portOf(all[0])}/`, {
          headers: { connection: 'close' },
        });
        expect(await answer.text()).toBe('here');
      }
    },
  );

  it('takes another free port when the first is somebody else’s at the other address', async () => {
    const all = await listenAt(refusing('::1', 'EADDRINUSE', 3), { host: 'localhost', port: 0 });
    expect(addresses(all)).toEqual(['127.0.0.1', '::1']);
    // The ones in between were given back.
    expect(servers.filter(({ listening }) => listening)).toEqual(all);
  });

  it('refuses a port that somebody else has at ::1: `localhost` might be them', async () => {
    const other = make();
    await new Promise<void>((resolve) => other.listen(0, '::1', resolve));
    await expect(listenAt(make, { host: 'localhost', port: portOf(other) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    expect(servers.filter(({ listening }) => listening)).toEqual([other]);
  });
});

describe('another name of this machine', () => {
  it.each([
    ['127.0.0.1:8780', true],
    ['[::1]:8780', true],
    ['127.0.0.1', true],
    ['localhost:8780', false],
    ['LocalHost', false],
    ['studio.localhost:8780', false],
    ['127.0.0.1.evil.example', false],
    ['evil.example', false],
    ['', false],
  ])('than localhost: %s is %s', (authority, isOther) => {
    expect(isAlias('http://localhost:8780', authority)).toBe(isOther);
    expect(isAlias('https://service.example', authority)).toBe(false);
  });

  it('includes localhost for a service with an address', () => {
    expect(isAlias('http://127.0.0.1:8780', 'localhost:8780')).toBe(true);
    expect(isAlias('http://[::1]:8780', 'localhost:8780')).toBe(true);
    expect(isAlias('http://[::1]:8780', '[::1]:8780')).toBe(false);
  });
});

describe('a request for another host (DNS rebinding)', () => {
  it.each([
    ['localhost:8780', false],
    ['LOCALHOST', false],
    ['studio.localhost:8780', false],
    ['127.0.0.1:8780', false],
    ['127.8.9.1', false],
    ['[::1]:8780', false],
    ['evil.example:8780', true],
    ['127.0.0.1.evil.example:8780', true],
    ['localhost.evil.example', true],
    ['evil-localhost', true],
    ['0.0.0.0:8780', true],
    ['192.168.1.7:8780', true],
    ['[::]:8780', true],
    ['', true],
  ])('%s at a loopback service: %s', (authority, isOther) => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', '::1', 'studio.localhost'])
      expect(isForOtherHost(host, authority)).toBe(isOther);
  });

  it.each([
    ['service.example', false],
    ['SERVICE.example.:443', false],
    ['localhost:8780', false],
    ['127.0.0.1', false],
    ['evil.example', true],
    ['service.example.evil.example', true],
    ['10.0.0.1', true],
    ['', true],
  ])('%s at a public service: %s', (authority, isOther) => {
    expect(isForOtherHost('service.example', authority)).toBe(isOther);
  });

  it('is not assumed for a request without a host', () => {
    expect(isForOtherHost('localhost', undefined)).toBe(false);
  });
});
