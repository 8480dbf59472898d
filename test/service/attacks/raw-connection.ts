import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** The first response on a {@link RawConnection}, parsed. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; of a repeated header the last one. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * One TCP connection on which a test sends exactly the bytes that it wants; it keeps what
 * comes back. For requests that no HTTP client would send.
 */
export class RawConnection {
  private readonly socket: Socket;
  private received = '';
  private isClosed = false;
  private wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.received += text;
      this.wake();
    });
    // The service cuts connections in these tests; that is no failure of the test.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
      this.wake();
    });
  }

  static async open(baseUrl: string): Promise<RawConnection> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new RawConnection(socket);
  }

  get closed(): boolean {
    return this.isClosed;
  }

  get text(): string {
    return this.received;
  }

  /** How many bytes were handed to the network so far. */
  get bytesSent(): number {
    return this.socket.bytesWritten - this.socket.writableLength;
  }

  /** Sends this text, one byte for each character. */
  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Sends this piece over and over, as fast as it is taken, until the connection ends or `limit` bytes went out. */
  async sendForEver(piece: string, limit: number): Promise<void> {
    while (!this.isClosed && this.socket.writable && this.bytesSent < limit) {
      if (!this.socket.write(piece, 'latin1')) {
        await new Promise<void>((resolve) => {
          this.socket.once('drain', resolve);
          this.socket.once('close', () => {
            resolve();
          });
        });
      }
    }
  }

  /** Reads nothing from now on, as a client does that leaves its answers lying. */
  stopReading(): void {
    this.socket.pause();
  }

  /** Resolves when the first bytes of an answer are there, or the service has ended the connection. */
  async begun(): Promise<void> {
    while (this.received === '' && !this.isClosed) await this.change();
  }

  /** The first answer, as soon as it is there whole. Rejects when the connection ends before. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = parse(this.received, this.isClosed);
      if (answer !== undefined) return answer;
      if (this.isClosed) throw new Error(`no answer, but: ${JSON.stringify(this.received)}`);
      await this.change();
    }
  }

  /** Resolves when the service has ended the connection. */
  async ended(): Promise<void> {
    while (!this.isClosed) await this.change();
  }

  /** Ends the connection at once, as a process that dies. */
  cut(): void {
    this.socket.resetAndDestroy();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }
}

/** Sends this text on a new connection and returns the first response. */
export async function sendRaw(baseUrl: string, text: string): Promise<RawAnswer> {
  const connection = await RawConnection.open(baseUrl);
  connection.send(text);
  try {
    return await connection.answer();
  } finally {
    connection.cut();
  }
}

/** The lines of a request without a body; `headers` replace the usual Host header when they hold one. */
export function rawRequest(
  method: string,
  target: string,
  headers: readonly string[] = ['Host: localhost'],
  body = '',
): string {
  return [`${method} ${target} HTTP/1.1`, ...headers, '', body].join('\r\n');
}

function parse(text: string, isClosed: boolean): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = text.slice(end + 4);
  const length = Number(headers['content-length'] ?? 0);
  const isChunked = headers['transfer-encoding'] === 'chunked';
  const isWhole = isChunked ? body.endsWith('0\r\n\r\n') : body.length >= length;
  if (!isWhole && !isClosed) return undefined;
  return { status: Number(statusLine.split(' ')[1]), headers, body };
}
