import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemErrorCode } from '../errors.js';

/**
 * The addresses of `localhost`: a browser may use either
 * ([RFC 6761 §6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3)).
 */
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'] as const;
/** The errors that a machine without IPv6 gives for `::1`. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT']);
/** How many ports are tried until one is free at both addresses. */
const MAX_TRIES = 20;

/**
 * Listens on a port of `host`.
 *
 * For `localhost` there is one server at each of the two loopback addresses, so that clients reach the service by
 * `localhost`, 127.0.0.1 and [::1]. A machine without IPv6 has only the first. If another program has the port at one
 * of the two addresses, the port counts as in use: clients of `localhost` could reach that program.
 * @param make makes a new server at each call.
 * @param port 0 takes a free port, the same at both addresses.
 * @returns the servers that listen, one or two.
 * @throws {Error} the error of the system; nothing listens then.
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
      if (port !== 0 || code !== 'EADDRINUSE' || tries === MAX_TRIES) {
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
