import * as http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. Header names are in lower case. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body read as a form. */
  readonly form: Readonly<Record<string, string>>;
}

/** An ordinary answer. An object as `body` is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readonly<Record<string, unknown>>;
}

/**
 * What happens to a request: an answer; `'cut'`: the connection ends without one; `'hang'`: nothing, until
 * the client gives up or the server closes; or a function that decides (and may take its time).
 */
export type Reaction =
  | Answer
  | 'cut'
  | 'hang'
  | ((request: RecordedRequest) => Answer | 'cut' | 'hang' | Promise<Answer | 'cut' | 'hang'>);

/** The conditions for a matching request. */
interface Expectation {
  readonly method?: string;
  /** Path and query, whole. */
  readonly path?: string | RegExp;
  /** Headers that must be there with exactly this value; null: must be absent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Form fields that must be there with exactly this value. */
  readonly form?: Readonly<Record<string, string>>;
}

/**
 * A real HTTP server with a script of expected requests and their responses. Requests
 * beyond or next to the script are answered 501 and reported when the server closes, and so is whatever
 * of the script never came.
 */
export interface ScriptedServer {
  /** `http://localhost:port`, without a slash at the end. */
  readonly origin: string;
  /** Every complete request, in order. */
  readonly requests: readonly RecordedRequest[];
  /** Requests being answered right now. */
  readonly open: number;
  /** The most requests that were ever answered at once. */
  readonly mostOpen: number;
  /** Adds to the end of the script. Returns the server, for chains. */
  expect(expectation: Expectation, reaction: Reaction): ScriptedServer;
  /** From now on, answers any request that the script does not expect. */
  otherwise(reaction: Reaction): ScriptedServer;
  /** Waits for `count` requests in all. */
  arrived(count: number): Promise<void>;
  /** Closes. @throws Error naming every request that was not expected and every expectation that was not met */
  close(): Promise<void>;
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const script: { expectation: Expectation; reaction: Reaction }[] = [];
  const complaints: string[] = [];
  let fallback: Reaction | null = null;
  let waiters: { count: number; resolve: () => void }[] = [];
  let open = 0;
  let mostOpen = 0;

  const choose = (request: RecordedRequest): Reaction => {
    const next = script[0];
    const mismatch = next ? mismatchOf(next.expectation, request) : 'nothing was expected';
    if (next && mismatch === null) {
      script.shift();
      return next.reaction;
    }
    if (fallback !== null) return fallback;
    complaints.push(`unexpected ${request.method} ${request.path}: ${mismatch ?? ''}`);
    return { status: 501, body: { error: 'not_in_the_script' } };
  };

  const server = http.createServer((incoming, response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const request = record(incoming, Buffer.concat(chunks));
      requests.push(request);
      const due = waiters.filter(({ count }) => count <= requests.length);
      waiters = waiters.filter((waiter) => !due.includes(waiter));
      for (const { resolve } of due) resolve();
      const reaction = choose(request);
      Promise.resolve(typeof reaction === 'function' ? reaction(request) : reaction).then(
        (chosen) => react(response, chosen),
        (error: unknown) => {
          complaints.push(`answering ${request.method} ${request.path}: ${String(error)}`);
          response.destroy();
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const scripted: ScriptedServer = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    requests,
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
    expect(expectation, reaction) {
      script.push({ expectation, reaction });
      return scripted;
    },
    otherwise(reaction) {
      fallback = reaction;
      return scripted;
    },
    arrived: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiters.push({ count, resolve });
          }),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const { expectation } of script)
        complaints.push(
          `never came: ${expectation.method ?? 'any method'} ${String(expectation.path ?? 'any path')}`,
        );
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
    },
  };
  return scripted;
}

function record(incoming: http.IncomingMessage, body: Buffer): RecordedRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers,
    body,
    get form() {
      return Object.fromEntries(new URLSearchParams(body.toString('utf8')));
    },
  };
}

/** The difference of `request` from the expected one; null for none. */
function mismatchOf(expectation: Expectation, request: RecordedRequest): string | null {
  const { method, path, headers = {}, form = {} } = expectation;
  if (method !== undefined && method !== request.method) return `expected ${method}`;
  if (
    path instanceof RegExp ? !path.test(request.path) : path !== undefined && path !== request.path
  )
    return `expected ${String(path)}`;
  for (const [name, value] of Object.entries(headers)) {
    const found = request.headers[name.toLowerCase()] ?? null;
    if (found !== value) return `expected header ${name}: ${String(value)}, not ${String(found)}`;
  }
  for (const [name, value] of Object.entries(form))
    if (request.form[name] !== value)
      return `expected field ${name}=${value}, not ${String(request.form[name])}`;
  return null;
}

function react(response: http.ServerResponse, reaction: Answer | 'cut' | 'hang'): void {
  if (reaction === 'hang') return;
  if (reaction === 'cut') {
    response.destroy();
    return;
  }
  const { status, headers = {}, body = '' } = reaction;
  const isBytes = body instanceof Uint8Array;
  const payload = typeof body === 'string' || isBytes ? body : JSON.stringify(body);
  if (typeof body === 'object' && !isBytes) response.setHeader('Content-Type', 'application/json');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(payload);
}
