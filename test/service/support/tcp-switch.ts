import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { joinSockets } from '../../support/joined-sockets.js';

/** The messages of PostgreSQL that give a statement a name, and that use it. */
const PARSE = /^P[^]{4}([\w-]+)\0/;
const BIND = /^B[^]{4}\0([\w-]+)\0/;

/** An address of this machine that leads to a server, another one later, or for a while to none. */
export class TcpSwitch {
  private readonly sockets = new Set<Socket>();
  /** A callback for each chunk towards the client. It may drop the rest of the connection. */
  private losesAnswer: (asked: string) => boolean = () => false;
  /** A callback for each chunk that has gone to the server. */
  private noteSent: (asked: string) => void = () => undefined;

  private constructor(
    private server: Server,
    readonly port: number,
    private target: number,
  ) {}

  static async start(target: number): Promise<TcpSwitch> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const made = new TcpSwitch(server, port, target);
    made.serve(server);
    return made;
  }

  /** Where connections lead that are made from now on; those that are there stay. */
  turnTo(target: number): void {
    this.target = target;
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Refuses connections, and ends those that are there. */
  async off(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.cut();
    await closed;
  }

  /** Takes connections again. */
  async on(): Promise<void> {
    this.server = createServer();
    this.serve(this.server);
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /**
   * Loses the answer to the next request whose first bytes are of this form, and its connection. A request that names a
   * prepared statement of PostgreSQL has the text of that, too.
   */
  loseAnswerTo(form: RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.losesAnswer = (asked) => {
        if (!form.test(asked)) return false;
        this.losesAnswer = () => false;
        resolve();
        return true;
      };
    });
  }

  /** Resolves when the next request whose first bytes are of this form has gone to the server. */
  sent(form: RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.noteSent = (asked) => {
        if (form.test(asked)) resolve();
      };
    });
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.off();
  }

  private serve(server: Server): void {
    server.on('connection', (client) => {
      const onward = connect(this.target, '127.0.0.1');
      let asked = '';
      const statements = new Map<string, string>();
      const { end } = joinSockets(client, onward, this.sockets);
      client.on('data', (piece: Buffer) => {
        const sent = piece.toString('latin1', 0, 300);
        const [, parsed] = PARSE.exec(sent) ?? [];
        if (parsed !== undefined) statements.set(parsed, sent);
        const text = sent + (statements.get(BIND.exec(sent)?.[1] ?? '') ?? '');
        asked = text;
        if (!onward.write(piece, () => this.noteSent(text))) client.pause();
      });
      onward.on('drain', () => client.resume());
      onward.on('data', (piece: Buffer) => {
        if (this.losesAnswer(asked)) end();
        else client.write(piece);
      });
    });
  }
}
