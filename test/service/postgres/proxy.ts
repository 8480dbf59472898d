import { Agent, createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemErrorCode } from '../../../service/kernel/errors.js';

/**
 * A proxy that hands one request after the other to the next of several services. The requests seem to
 * come from many addresses, as those of many devices do: limits count by address.
 */
export interface RoundRobinProxy {
  readonly baseUrl: string;
  /** Replaces the ports, on this machine, that requests go to. */
  use(ports: readonly number[]): void;
  close(): Promise<void>;
}

/** Starts the proxy on a free port. A service that does not answer costs its request the connection. */
export async function startProxy(): Promise<RoundRobinProxy> {
  let ports: readonly number[] = [];
  let turn = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  /** A service that refuses the connection has not seen the request: the next one gets it. */
  const hand = (incoming: IncomingMessage, outgoing: ServerResponse, tries: number): void => {
    turn += 1;
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: ports[turn % ports.length],
        path: incoming.url,
        method: incoming.method,
        headers: { ...incoming.headers, 'x-forwarded-for': `198.51.100.${turn % 250}` },
        agent,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      },
    );
    request.on('error', (error) => {
      if (systemErrorCode(error) === 'ECONNREFUSED' && tries > 1) {
        hand(incoming, outgoing, tries - 1);
      } else {
        outgoing.destroy();
      }
    });
    request.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', () => incoming.pipe(request));
      else incoming.pipe(request);
    });
  };
  const server = createServer((incoming, outgoing) => {
    hand(incoming, outgoing, ports.length);
  });
  // Node ends a connection after five idle seconds, which on a busy machine meets the next request on it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://localhost:${port}`,
    use: (next) => {
      ports = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}
