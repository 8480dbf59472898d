import type { Socket } from 'node:net';

/** The two halves of a proxied connection. */
export interface JoinedSockets {
  /** Ends both. */
  readonly end: () => void;
}

/**
 * Makes two sockets end together, whichever fails or closes first.
 * @param open  has both in it as long as they are open
 */
export function joinSockets(one: Socket, other: Socket, open: Set<Socket>): JoinedSockets {
  const end = (): void => {
    one.destroy();
    other.destroy();
  };
  for (const socket of [one, other]) {
    open.add(socket);
    socket.on('error', end);
    socket.on('close', () => {
      open.delete(socket);
      end();
    });
  }
  return { end };
}
