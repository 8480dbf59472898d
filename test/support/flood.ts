import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that answers every request with chunks whose length it does not announce. */
export interface Flood {
  /** `http://localhost:port`, without a slash at the end. */
  readonly origin: string;
  /** Bytes handed to the network so far, of the answer that got furthest. */
  readonly sent: number;
  /** Settles when the first answer has ended, whole or not. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

/** @param length  bytes of each answer; they go out as fast as they are taken */
export async function startFlood(length: number): Promise<Flood> {
  let most = 0;
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const part = Buffer.alloc(65_536, 'x');
  const server = createServer((_request, response) => {
    response.on('close', end);
    let left = length;
    let sent = 0;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= part.length;
        sent += part.length;
        most = Math.max(most, sent);
        if (!response.write(part)) {
          response.once('drain', more);
          return;
        }
      }
      response.end();
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    get sent() {
      return most;
    },
    over,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
