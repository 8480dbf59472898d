import { request as httpRequest, Agent } from 'node:http';
import { connect } from 'node:net';

/** The resources of an attacker: the service's URL, an account and its token. */
export interface AttackTarget {
  readonly port: number;
  readonly baseUrl: string;
  readonly username: string;
  readonly token: string;
  /** Name of the user under attack. */
  readonly victim: string;
  /** An upload of the victim's that is not finished; its id leaked. */
  readonly victimUpload: string;
}

/** Attacks until the signal aborts; resolves soon after. */
export type Attack = (target: AttackTarget, signal: AbortSignal) => Promise<void>;

/** The status of a response; undefined when the connection ended without one. */
export interface AttackAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface AttackRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The client address in the header of the proxy. */
  readonly from?: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

function ignore(): void {
  // An attacker ignores errors.
}

/** Sends one request and reads its answer; never throws. */
export function send(
  { port }: AttackTarget,
  { method, path, headers = {}, body, from = '203.0.113.66' }: AttackRequest,
  signal: AbortSignal,
): Promise<AttackAnswer | undefined> {
  return new Promise((resolve) => {
    const sent = httpRequest(
      {
        ...{ agent, host: '127.0.0.1', port, method, path, signal },
        headers: {
          'X-Forwarded-For': from,
          ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', () => resolve(undefined));
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('latin1');
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        });
      },
    );
    // A kept connection that the service closes may fail between two requests.
    sent.on('socket', (socket) => {
      if (socket.listenerCount('error', ignore) === 0) {
        socket.on('error', ignore);
      }
    });
    sent.on('error', () => resolve(undefined));
    sent.on('close', () => resolve(undefined));
    sent.end(body);
  });
}

/** Does something again and again, so many at once, until the signal. */
export async function flood(
  atOnce: number,
  signal: AbortSignal,
  once: (turn: number) => Promise<unknown>,
): Promise<void> {
  let turn = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!signal.aborted) {
        turn += 1;
        await once(turn);
        // A service that refuses at once must not keep this process from anything else.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
}

/**
 * Keeps so many connections open until the signal, each with these bytes sent; opens another when the
 * service closes one, a moment later.
 * @param drip sent again and again after them, every so often.
 */
export async function holdConnections(
  { port }: AttackTarget,
  count: number,
  bytes: string | Buffer,
  signal: AbortSignal,
  drip?: { readonly bytes: string | Buffer; readonly everyMs: number },
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (!signal.aborted) {
        await holdOne(port, bytes, signal, drip);
        await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : 50));
      }
    }),
  );
}

function holdOne(
  port: number,
  bytes: string | Buffer,
  signal: AbortSignal,
  drip: { readonly bytes: string | Buffer; readonly everyMs: number } | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const stop = (): void => {
      socket.destroy();
    };
    signal.addEventListener('abort', stop, { once: true });
    const dripping =
      drip &&
      setInterval(() => {
        // Bytes that the service does not read are not buffered here.
        if (socket.writableLength < 1_000_000) {
          socket.write(drip.bytes);
        }
      }, drip.everyMs);
    socket.on('connect', () => socket.write(bytes));
    socket.on('error', () => undefined);
    socket.on('end', stop);
    socket.on('close', () => {
      clearInterval(dripping);
      signal.removeEventListener('abort', stop);
      resolve();
    });
    socket.resume();
  });
}

/** The head of a POST with a form, as bytes; `length` is its Content-Length. */
export function formHead(path: string, length: number | 'chunked', more = ''): string {
  const framing = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.66\r\nContent-Type: application/x-www-form-urlencoded\r\n${more}${framing}\r\n\r\n`;
}

/** A fresh browser's cookies and the fields of the form on a page. */
export async function openForm(
  target: AttackTarget,
  path: string,
  from: string,
  signal: AbortSignal,
): Promise<{ cookie: string; fields: Record<string, string> }> {
  const page = await send(target, { method: 'GET', path, from }, signal);
  const set = page?.headers['set-cookie'] ?? [];
  const cookie = [set]
    .flat()
    .map((one) => one.replace(/;.*$/s, ''))
    .join('; ');
  const inputs = page?.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g) ?? [];
  const fields: Record<string, string> = {};
  for (const [, name = '', value = ''] of inputs) {
    fields[name] = value;
  }
  return { cookie, fields };
}
