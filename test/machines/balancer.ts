import { once } from 'node:events';
import { Agent, createServer, get, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemErrorCode } from '../../service/kernel/errors.js';

/** The fault of one request. */
export type Fate =
  | { readonly kind: 'good' }
  /** Its connection is reset after so many bytes of its body. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** The service handles the request, and the connection is reset instead of a response. */
  | { readonly kind: 'answer lost' };

export interface BalancerOptions {
  /** Decides over each request, whose body has so many bytes. */
  readonly fateOf: (length: number) => Fate;
}

/** How often a dead machine is checked, in milliseconds. */
const ASK_EVERY_MS = 200;

/** So many addresses the requests seem to come from, as those of many devices do: limits count by address. */
const ADDRESSES = 250;

/** How the API may refuse a plugin's request: a token that has ended, bytes that do not go on, or a wait. */
const API_REFUSALS: readonly number[] = [401, 409, 503];

interface Target {
  readonly port: number;
  isUp: boolean;
}

/**
 * A load balancer that hands one request after the other to the next machine. It tries no request twice, takes a machine
 * out that refuses connections, and back in when it answers again. It counts what is answered.
 */
export class Balancer {
  /** How often each method and route had which status; `502*` is the balancer's own. */
  readonly answers = new Map<string, number>();
  /**
   * Forbidden responses: server errors other than 503, a 503 without Retry-After, and the API's errors for mistakes of
   * a client.
   */
  readonly wrong: string[] = [];
  cuts = 0;
  lostAnswers = 0;
  /** Answers that ended half way, since the machine did. */
  broken = 0;
  /** Whether connections are left alone. */
  isCalm = false;

  private readonly targets = new Map<number, Target>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly asking: NodeJS.Timeout;
  private turn = 0;

  private constructor(
    private readonly server: Server,
    private readonly options: BalancerOptions,
  ) {
    this.asking = setInterval(() => {
      this.askDead();
    }, ASK_EVERY_MS);
  }

  static async start(options: BalancerOptions): Promise<Balancer> {
    // Node ends a connection after five idle seconds, which on a busy machine meets the next request on it.
    const server = createServer({ keepAliveTimeout: 0 });
    const balancer = new Balancer(server, options);
    server.on('request', (incoming, outgoing) => {
      balancer.hand(incoming, outgoing);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  get baseUrl(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  /** Where the machine in a place listens; it need not listen yet, or any more. */
  use(place: number, port: number): void {
    this.targets.set(place, { port, isUp: true });
  }

  async close(): Promise<void> {
    clearInterval(this.asking);
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private hand(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = '', url = '' } = incoming;
    this.turn += 1;
    const up = [...this.targets.values()].filter(({ isUp }) => isUp);
    const target = up[this.turn % up.length];
    if (target === undefined) {
      this.refuse(incoming, outgoing);
      return;
    }
    const length = Number(incoming.headers['content-length'] ?? 0);
    const fate: Fate = this.isCalm ? { kind: 'good' } : this.options.fateOf(length);
    const request = httpRequest({
      host: '127.0.0.1',
      port: target.port,
      path: url,
      method,
      headers: {
        ...incoming.headers,
        'x-forwarded-for': `198.51.100.${Math.floor(Math.random() * ADDRESSES)}`,
      },
      agent: this.agent,
    });
    let isAnswered = false;
    request.on('response', (answer) => {
      isAnswered = true;
      this.passBack(answer, outgoing, fate);
    });
    request.on('error', (error) => {
      if (systemErrorCode(error) === 'ECONNREFUSED') target.isUp = false;
      // A machine may answer and hang up before it has read everything: then the answer counts.
      if (!isAnswered && !outgoing.destroyed) this.refuse(incoming, outgoing);
    });
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) request.destroy();
    });
    if (fate.kind === 'cut') this.cutAfter(incoming, request, fate.afterBytes);
    incoming.pipe(request);
  }

  private passBack(answer: IncomingMessage, outgoing: ServerResponse, fate: Fate): void {
    const { method = '', url = '' } = outgoing.req;
    const status = answer.statusCode ?? 0;
    this.count(method, url, String(status));
    this.judge(`${method} ${url.slice(0, 60)}`, answer);
    if (fate.kind === 'answer lost') {
      this.lostAnswers += 1;
      answer.resume();
      outgoing.req.socket.resetAndDestroy();
      return;
    }
    outgoing.writeHead(status, answer.headers);
    answer.pipe(outgoing);
    answer.on('error', () => {
      this.broken += 1;
      outgoing.destroy();
    });
  }

  private judge(what: string, { statusCode = 0, headers }: IncomingMessage): void {
    const isMistake = statusCode >= 400 && !API_REFUSALS.includes(statusCode);
    if ((statusCode >= 500 && statusCode !== 503) || (isMistake && what.includes(' /api/v1/')))
      this.wrong.push(`${what}: ${statusCode}`);
    const isHealth = what.startsWith('GET /healthz');
    if (statusCode === 503 && !isHealth && !/^\d+$/.test(headers['retry-after'] ?? ''))
      this.wrong.push(`${what}: 503 without Retry-After`);
  }

  private cutAfter(incoming: IncomingMessage, request: ClientRequest, afterBytes: number): void {
    let passed = 0;
    incoming.on('data', (piece: Buffer) => {
      passed += piece.length;
      if (passed <= afterBytes || incoming.socket.destroyed) return;
      this.cuts += 1;
      incoming.socket.resetAndDestroy();
      request.destroy();
    });
  }

  private refuse(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = '', url = '' } = incoming;
    this.count(method, url, '502*');
    incoming.resume();
    outgoing.writeHead(502, { 'content-type': 'text/plain', connection: 'close' });
    outgoing.end('no machine answered\n');
  }

  private count(method: string, url: string, status: string): void {
    const what = `${method} ${routeOf(url)} ${status}`;
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1);
  }

  private askDead(): void {
    for (const target of this.targets.values()) {
      if (target.isUp) continue;
      const question = get({ host: '127.0.0.1', port: target.port, path: '/healthz' }, (answer) => {
        answer.resume();
        target.isUp = true;
      });
      question.on('error', () => undefined);
    }
  }
}

/** A path without its variable parts. */
function routeOf(url: string): string {
  const [path = ''] = url.split('?');
  return path
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')
    .split('/')
    .map((part) => (part.length > 30 ? '{…}' : part))
    .join('/')
    .replace(/^(\/oauth\/interaction)\/.*/, '$1/{…}');
}
