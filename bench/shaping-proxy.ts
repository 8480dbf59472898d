import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** The properties of a line, the same in both directions. */
export interface LineShape {
  /** Time a byte is on its way, in milliseconds: half of the round trip. */
  readonly delayMs: number;
  /** Bytes per second that all connections share; no limit when left out. */
  readonly bytesPerSecond?: number;
  /** Most bytes of one connection on their way, as a TCP window limits them. Default 16 MiB. */
  readonly windowBytes?: number;
}

export interface ShapingProxy {
  readonly port: number;
  close(): Promise<void>;
}

const WINDOW_BYTES = 16 * 1024 * 1024;

/**
 * Passes TCP connections on to a port of this machine, as slowly as a line of the given shape would.
 * The opening of a connection takes no time, and nothing is ever lost.
 */
export async function startShapingProxy(
  targetPort: number,
  shape: LineShape,
): Promise<ShapingProxy> {
  const up = new Line(shape);
  const down = new Line(shape);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const target = connect({
      port: targetPort,
      host: '127.0.0.1',
      noDelay: true,
      allowHalfOpen: true,
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.once('error', () => other.destroy());
    }
    up.carry(client, target);
    down.carry(target, client);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}

interface Parcel {
  readonly dueAt: number;
  /** Null for the end of the connection's direction. */
  readonly bytes: Buffer | null;
}

/** One direction of the line. */
class Line {
  /** When the line has sent all it was given so far. */
  private freeAt = 0;

  constructor(private readonly shape: LineShape) {}

  carry(from: Socket, to: Socket): void {
    const { windowBytes = WINDOW_BYTES } = this.shape;
    const onTheWay: Parcel[] = [];
    let carried = 0;
    let timer: NodeJS.Timeout | undefined;

    const deliver = (): void => {
      timer = undefined;
      const now = performance.now();
      for (let first = onTheWay[0]; first && first.dueAt <= now; first = onTheWay[0]) {
        onTheWay.shift();
        const { bytes } = first;
        if (bytes === null) {
          to.end();
          continue;
        }
        if (to.destroyed) {
          continue;
        }
        // Counts as on its way until the other side takes it: so the receiver can slow the sender.
        to.write(bytes, () => {
          carried -= bytes.length;
          if (carried < windowBytes) {
            from.resume();
          }
        });
      }
      const next = onTheWay[0];
      if (next) {
        timer = setTimeout(deliver, Math.max(0, next.dueAt - performance.now()));
      }
    };
    const add = (bytes: Buffer | null): void => {
      onTheWay.push({ dueAt: this.sent(bytes?.length ?? 0) + this.shape.delayMs, bytes });
      timer ??= setTimeout(deliver, this.shape.delayMs);
    };

    from.on('data', (bytes: Buffer) => {
      carried += bytes.length;
      if (carried >= windowBytes) {
        from.pause();
      }
      add(bytes);
    });
    from.once('end', () => {
      add(null);
    });
    from.once('close', () => {
      if (from.errored) {
        clearTimeout(timer);
      }
    });
  }

  /** Puts bytes on the line behind all others; gives when the last of them has left. */
  private sent(bytes: number): number {
    const { bytesPerSecond } = this.shape;
    const now = performance.now();
    if (bytesPerSecond === undefined) {
      return now;
    }
    this.freeAt = Math.max(this.freeAt, now) + (bytes / bytesPerSecond) * 1000;
    return this.freeAt;
  }
}
