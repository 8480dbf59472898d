import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { FairStart } from '../../service/limits/fair-start.js';

describe('the beginning of requests', () => {
  it('is given to those who send them in turns', async () => {
    const start = new FairStart();
    const begun: string[] = [];
    const begin = async (who: string, name: string): Promise<void> => {
      await start.turn(who);
      begun.push(name);
    };

    await Promise.all([
      ...['a1', 'a2', 'a3', 'a4'].map((name) => begin('a', name)),
      ...['b1', 'b2'].map((name) => begin('b', name)),
    ]);
    await begin('c', 'c1');

    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4', 'c1']);
  });

  it('lets what comes in meanwhile be read, however much of one sender waits', async () => {
    const start = new FairStart();
    const begun: string[] = [];
    // Works off a request within one step of the event loop, as an embedded database does.
    const server = createServer((request, response) => {
      const who = request.url ?? '';
      void start.turn(who).then(() => {
        begun.push(who);
        // The honest one sends only now, while the rest of the flood waits.
        if (begun.length === 3) socket.write('GET /honest HTTP/1.1\r\nHost: localhost\r\n\r\n');
        const end = performance.now() + 5;
        while (performance.now() < end);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const opened = async (): Promise<Socket> => {
      const one = connect(port, '127.0.0.1');
      await once(one, 'connect');
      return one;
    };
    const socket = await opened();
    const connections = await Promise.all(Array.from({ length: 40 }, opened));
    await new Promise((resolve) => setTimeout(resolve, 20));
    // All at once: the service finds them together when it reads.
    const flood = connections.map((one) => {
      one.write('GET /flood HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      return text(one);
    });
    await Promise.all(flood);
    socket.destroy();
    server.close();

    expect(begun).toHaveLength(41);
    expect(begun.indexOf('/honest')).toBeLessThan(20);
  });
});
