import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { connect, Socket, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTask } from 'node:timers/promises';
import { UnavailableError } from '../../../../service/kernel/errors.js';
import { RequestLimit } from '../../../../service/kernel/http/request-limit.js';

/** As in request-limit.ts. */
const PER_NETWORK = 32;
const PER_ADDRESS = 128;

/** The response to a request that comes from this address. */
class TestResponse extends ServerResponse {
  constructor(address: string) {
    const request = new IncomingMessage(new Socket());
    request.headers['x-address'] = address;
    super(request);
  }
}

describe('the request limit of a network', () => {
  /** A limit, and requests that end on command. */
  function fixture(waitMs?: number) {
    const limit = new RequestLimit((request) => String(request.headers['x-address']), waitMs);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const ask = (address: string, name: string, response = new TestResponse(address)) => {
      const done = limit.run(response, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
      });
      done.catch(() => undefined);
      return { done, response };
    };
    const flood = (address: string, count: number) =>
      Array.from({ length: count }, (_, index) => ask(address, `${address} ${String(index)}`));
    const end = async (name: string): Promise<void> => {
      ends.get(name)?.();
      await nextTask();
      await nextTask();
    };
    return { begun, ask, flood, end };
  }

  it('does not delay other addresses', async () => {
    const { begun, ask, flood } = fixture();
    flood('192.0.2.1', PER_ADDRESS);
    ask('198.51.100.1', 'other');
    await nextTask();

    expect(begun).toHaveLength(PER_NETWORK + 1);
    expect(begun.at(-1)).toBe('other');
  });

  // @threat S2
  it('counts all addresses of a network together and queues the rest in order', async () => {
    const { begun, ask, flood, end } = fixture();
    flood('2001:db8:0:1', PER_NETWORK);
    ask('2001:db8:0:2', 'first to wait');
    ask('2001:db8:0:1', 'second to wait');
    await nextTask();
    expect(begun).toHaveLength(PER_NETWORK);

    await end('2001:db8:0:1 5');
    expect(begun.slice(PER_NETWORK)).toEqual(['first to wait']);
    await end('first to wait');
    expect(begun.slice(PER_NETWORK)).toEqual(['first to wait', 'second to wait']);
  });

  it('refuses an address with too many requests, but not its neighbours', async () => {
    const { begun, ask, flood, end } = fixture();
    flood('192.0.2.1', PER_ADDRESS);
    await expect(ask('192.0.2.1', 'one more').done).rejects.toThrow(UnavailableError);
    ask('192.0.2.2', 'neighbour');
    for (let index = 0; index < PER_ADDRESS; index += 1) await end(`192.0.2.1 ${String(index)}`);

    expect(begun.at(-1)).toBe('neighbour');
    ask('192.0.2.1', 'later');
    await nextTask();
    expect(begun.at(-1)).toBe('later');
  });

  it('refuses requests that waited too long', async () => {
    const { begun, ask, flood, end } = fixture(30);
    flood('192.0.2.1', PER_NETWORK);
    const { done } = ask('192.0.2.1', 'late');
    expect(await Promise.race([done, nextTask('waits')])).toBe('waits');

    await expect(done).rejects.toThrow(UnavailableError);
    await end('192.0.2.1 0');
    expect(begun).not.toContain('late');
  });

  it('counts requests that waited too long no more against their address', async () => {
    const { begun, ask, flood, end } = fixture(30);
    flood('2001:db8:0:1', PER_NETWORK);
    const late = flood('2001:db8:0:2', PER_ADDRESS);
    await Promise.all(late.map(({ done }) => expect(done).rejects.toThrow(UnavailableError)));
    await end('2001:db8:0:1 0');
    ask('2001:db8:0:2', 'again');
    await nextTask();
    expect(begun.at(-1)).toBe('again');
  });

  it('skips disconnected clients', async () => {
    const { begun, ask, flood, end } = fixture();
    flood('192.0.2.1', PER_NETWORK);
    const gone = ask('192.0.2.1', 'gone');
    ask('192.0.2.1', 'next');
    gone.response.destroy();
    await nextTask();
    await end('192.0.2.1 0');
    await nextTask();

    expect(begun.slice(PER_NETWORK)).toEqual(['next']);
  });

  it.each<[string, (response: TestResponse) => void]>([
    ['an upload whose body is read', (response) => response.req.emit('resume')],
    [
      'a download that is sent',
      (response) => void pipeline(new Readable({ read: () => undefined }), response),
    ],
  ])('does not count %s', async (_what, begin) => {
    const { begun, ask, flood, end } = fixture();
    const [first] = flood('192.0.2.1', PER_NETWORK);
    ask('192.0.2.1', 'next');
    await nextTask();
    expect(begun).toHaveLength(PER_NETWORK);

    if (first !== undefined) begin(first.response);
    await nextTask();
    await nextTask();
    expect(begun.slice(PER_NETWORK)).toEqual(['next']);
    // Its end gives no second place.
    await end('192.0.2.1 0');
    ask('192.0.2.1', 'last');
    await nextTask();
    expect(begun).not.toContain('last');
  });
});

describe('a network with very many concurrent requests', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
  });

  it('does not keep the service from reading the requests of others', async () => {
    const limit = new RequestLimit(({ url }) =>
      url === '/control' ? '198.51.100.1' : '192.0.2.1',
    );
    const begun: string[] = [];
    // Works off a request within one step of the event loop, as an embedded database does.
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      await limit.run(response, () => {
        const who = request.url ?? '';
        begun.push(who);
        // The control client sends only now, while the rest of the flood waits.
        if (begun.length === 3) control.write('GET /control HTTP/1.1\r\nHost: localhost\r\n\r\n');
        const end = performance.now() + 2;
        while (performance.now() < end);
        response.end();
        return Promise.resolve();
      });
    };
    server = createServer((request, response) => void handle(request, response));
    let accepted = 0;
    server.on('connection', () => {
      accepted += 1;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const open = async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    };
    const control = await open();
    const connections = await Promise.all(Array.from({ length: 120 }, open));
    while (accepted <= connections.length) await once(server, 'connection');
    // All at once: the service finds them together when it reads.
    const flood = connections.map((one) => {
      one.write('GET /flood HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      return text(one);
    });
    await Promise.all(flood);
    control.destroy();

    expect(begun.length).toBeGreaterThan(100);
    expect(begun.indexOf('/control')).toBeLessThan(3 * PER_NETWORK);
  });
});
