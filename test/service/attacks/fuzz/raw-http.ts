/** HTTP as bytes on a socket: sends what no client would send, and reads the answers strictly. */
import { connect } from 'node:net';

/** One answer as it came; header names in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
}

/** The events of one connection. */
export interface Exchange {
  readonly answers: readonly RawAnswer[];
  /** In which way the bytes that came back are not HTTP, if so. */
  readonly problem: string | undefined;
  /** The side that ended it: the service (`closed`, `reset`), or this side, with all responses or without. */
  readonly ended: 'answered' | 'closed' | 'reset' | 'gave up';
  /** From the connection's begin to its end, in milliseconds. */
  readonly ms: number;
}

/** Pieces of a request, each sent after a pause. */
export interface Piece {
  readonly bytes: Buffer;
  readonly afterMs: number;
}

/**
 * Opens a connection, sends the pieces and reads until every request has its answer, the service
 * closes, or `patienceMs` have passed since the last piece.
 * @param methods of the requests that the pieces hold: an answer to HEAD has no body.
 */
export function exchange(
  port: number,
  pieces: readonly Piece[],
  methods: readonly string[],
  patienceMs: number,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const started = performance.now();
    const received: Buffer[] = [];
    const timers: NodeJS.Timeout[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let reset = false;
    let done = false;
    const finish = (ended: Exchange['ended']): void => {
      if (done) return;
      done = true;
      timers.forEach(clearTimeout);
      socket.destroy();
      const isWhole = ended === 'closed';
      const { answers, problem } = readAnswers(Buffer.concat(received), methods, isWhole);
      resolve({ answers, problem, ended, ms: performance.now() - started });
    };
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      received.push(chunk);
      const { answers } = readAnswers(Buffer.concat(received), methods, false);
      if (answers.length >= methods.length) finish('answered');
    });
    socket.on('end', () => finish('closed'));
    socket.on('error', () => {
      reset = true;
    });
    socket.on('close', () => finish(reset ? 'reset' : 'closed'));
    const send = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) {
        timers.push(setTimeout(() => finish('gave up'), patienceMs));
        return;
      }
      const write = (): void => {
        if (done) return;
        if (!socket.destroyed && socket.writable) socket.write(piece.bytes);
        send(index + 1);
      };
      if (piece.afterMs === 0) write();
      else timers.push(setTimeout(write, piece.afterMs));
    };
    socket.on('connect', () => send(0));
  });
}

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;

/**
 * Reads answers off the front of what came (RFC 9112). Interim answers (1xx) are left out.
 * @param isWhole whether nothing more will come.
 */
function readAnswers(
  bytes: Buffer,
  methods: readonly string[],
  isWhole: boolean,
): { answers: RawAnswer[]; problem: string | undefined } {
  const answers: RawAnswer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) return { answers, problem: isWhole ? 'cut in its headers' : undefined };
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) {
      return { answers, problem: `no status line: ${JSON.stringify(statusLine.slice(0, 80))}` };
    }
    const headers = new Map<string, string[]>();
    for (const line of lines) {
      const [, name, value = ''] = HEADER_LINE.exec(line) ?? [];
      if (name === undefined) {
        return { answers, problem: `no header: ${JSON.stringify(line.slice(0, 80))}` };
      }
      const key = name.toLowerCase();
      headers.set(key, [...(headers.get(key) ?? []), value]);
    }
    at = end + 4;
    if (status < 200) continue;
    const method = methods[answers.length];
    if (method === undefined) return { answers, problem: 'more answers than requests' };
    const body = readBody(bytes.subarray(at), { status, headers, method, isWhole });
    if (typeof body === 'string') return { answers, problem: body };
    if (body === undefined) return { answers, problem: isWhole ? 'cut in its body' : undefined };
    answers.push({ status, headers, body: body.content });
    at += body.length;
  }
  return { answers, problem: undefined };
}

interface Framing {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly method: string;
  readonly isWhole: boolean;
}

/** The body and its length on the wire; undefined when it is not all there; a text when it is wrong. */
function readBody(
  rest: Buffer,
  { status, headers, method, isWhole }: Framing,
): { content: Buffer; length: number } | string | undefined {
  const lengths = headers.get('content-length') ?? [];
  const encodings = headers.get('transfer-encoding') ?? [];
  if (lengths.length + encodings.length > 1) return 'more than one length of its body';
  if (method === 'HEAD' || status === 204 || status === 304) {
    return { content: Buffer.alloc(0), length: 0 };
  }
  if (encodings.length > 0) return readChunks(rest);
  const [length] = lengths;
  if (length === undefined) {
    return isWhole ? { content: rest, length: rest.length } : undefined;
  }
  if (!/^\d+$/.test(length)) return `a length that is no number: ${length}`;
  if (rest.length < Number(length)) return undefined;
  return { content: rest.subarray(0, Number(length)), length: Number(length) };
}

function readChunks(rest: Buffer): { content: Buffer; length: number } | string | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  while (true) {
    const end = rest.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const line = rest.toString('latin1', at, end);
    if (!/^[0-9a-f]+$/i.test(line)) return `a chunk without a size: ${JSON.stringify(line)}`;
    const size = Number.parseInt(line, 16);
    if (rest.length < end + 2 + size + 2) return undefined;
    if (size === 0) return { content: Buffer.concat(chunks), length: end + 4 };
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
