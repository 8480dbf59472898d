import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemErrorCode } from '../errors.js';

/**
 * The addresses that `localhost` stands for: a browser may take either
 * ([RFC 6761 §6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3)).
 */
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'] as const;
/** What a machine without IPv6 says of `::1`. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT']);
/** How often another free port is looked for, when the one that was free at one address is not at the other. */
const MOST_TRIES = 20;

/**
 * Listens on a port of `host`. `localhost` is no name to look up here: it is both loopback addresses, each with a server
 * of its own, so that whoever says `localhost`, 127.0.0.1 or [::1] arrives. A machine without IPv6 has the first alone.
 * A port that somebody else has at one of the two is in use: who says `localhost` might come to them.
 * @param make gives a new server each time
 * @param port 0 takes a free one, the same at both addresses
 * @returns the servers that listen, one or two
 * @throws {Error} what the system says; nothing listens then
 */
export async function listenAt(
  make: () => Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<[Server, ...Server[]]> {
  if (host.toLowerCase() !== 'localhost') {
    return [await listen(make(), host, port)];
  }
  const [ipv4, ipv6] = LOOPBACK_ADDRESSES;
  for (let tries = 1; ; tries += 1) {
    const first = await listen(make(), ipv4, port);
    try {
      return [first, await listen(make(), ipv6, portOf(first))];
    } catch (error) {
      const code = systemErrorCode(error);
      if (NO_SUCH_ADDRESS.has(code)) {
        return [first];
      }
      await end(first);
      if (port !== 0 || code !== 'EADDRINUSE' || tries === MOST_TRIES) {
        throw error;
      }
    }
  }
}

/** The port of a server that listens. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function listen(server: Server, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      resolve(server);
    });
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
