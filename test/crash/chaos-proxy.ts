import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { joinSockets } from '../support/joined-sockets.js';

/** What happens to one connection; both in bytes that passed towards the service since it was made. */
export type Fate =
  | { readonly kind: 'good' }
  /** Ends in the middle of a request. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The service handles the request, and its response is lost. */
  | { readonly kind: 'answer lost'; readonly afterBytes: number };

export interface ChaosProxyOptions {
  /** Where the service listens, on this machine. */
  readonly targetPort: () => number;
  /** Decides over each new connection. */
  readonly fate: () => Fate;
}

/** A bad network: passes TCP connections on, cuts some of them and loses answers. */
export class ChaosProxy {
  cuts = 0;
  lostAnswers = 0;
  /** Bytes that passed towards the service. */
  bytesSent = 0;
  /** Pieces of data that passed, in either direction. */
  pieces = 0;

  private readonly sockets = new Set<Socket>();
  private speed = Infinity;
  /** When all that has passed would have, at the speed allowed. */
  private busyUntil = 0;

  private constructor(
    private readonly server: Server,
    private readonly options: ChaosProxyOptions,
  ) {}

  static async start(options: ChaosProxyOptions): Promise<ChaosProxy> {
    const server = createServer();
    const proxy = new ChaosProxy(server, options);
    server.on('connection', (client) => {
      proxy.serve(client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How much passes towards the service from now on, of all connections together. */
  set bytesPerSecond(speed: number) {
    this.speed = speed;
    this.busyUntil = 0;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(client: Socket): void {
    const fate = this.options.fate();
    const service = connect(this.options.targetPort(), 'localhost');
    let passed = 0;
    const { end } = joinSockets(client, service, this.sockets);
    client.on('data', (piece: Buffer) => {
      this.pieces += 1;
      if (fate.kind === 'cut' && passed + piece.length > fate.afterBytes) {
        this.cuts += 1;
        const last = piece.subarray(0, Math.max(0, fate.afterBytes - passed));
        this.bytesSent += last.length;
        client.pause();
        service.end(last, end);
        return;
      }
      passed += piece.length;
      this.bytesSent += piece.length;
      if (!service.write(piece)) client.pause();
      const wait = this.waitAfter(piece.length);
      if (wait > 0) {
        client.pause();
        setTimeout(() => client.resume(), wait);
      }
    });
    service.on('drain', () => client.resume());
    service.on('data', (piece: Buffer) => {
      this.pieces += 1;
      if (fate.kind === 'answer lost' && passed >= fate.afterBytes) {
        this.lostAnswers += 1;
        end();
        return;
      }
      if (!client.write(piece)) service.pause();
    });
    client.on('drain', () => service.resume());
  }

  /** Milliseconds until more may pass. */
  private waitAfter(bytes: number): number {
    const now = Date.now();
    this.busyUntil = Math.max(now, this.busyUntil) + (bytes * 1000) / this.speed;
    return this.busyUntil - now;
  }
}
