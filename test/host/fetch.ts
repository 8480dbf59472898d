import { types as nodeTypes } from 'node:util';
import type { Lifetime } from './modules/lifetime.js';
import { HostFailure } from './modules/lifetime.js';
import { arrayBufferOf } from './modules/realm.js';
import type { ExchangeAnswer, Network } from './network.js';

/** The Headers of the page, reading and writing by the members of its reference page. */
export class HostHeaders {
  readonly #values = new Map<string, string>();

  constructor(init?: unknown) {
    const pairs: (readonly [string, string])[] =
      init instanceof HostHeaders
        ? [...init.#values]
        : Array.isArray(init)
          ? (init as [string, string][])
          : typeof init === 'object' && init !== null
            ? Object.entries(init as Record<string, string>)
            : [];
    for (const [name, value] of pairs) this.append(name, value);
  }

  append(name: string, value: string): void {
    const former = this.get(name);
    this.set(name, former === null ? value : `${former}, ${value}`);
  }
  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }
  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }
  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }
  set(name: string, value: unknown): void {
    this.#values.set(name.toLowerCase(), String(value));
  }
  forEach(callback: (value: string, name: string, headers: HostHeaders) => void): void {
    for (const [name, value] of this.#values) callback(value, name, this);
  }
  keys(): IterableIterator<string> {
    return this.#values.keys();
  }
  values(): IterableIterator<string> {
    return this.#values.values();
  }
  entries(): IterableIterator<[string, string]> {
    return this.#values.entries();
  }
}

/** The Response that fetch gives: the listed members that need no stream. */
class HostResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: HostHeaders;
  #used = false;

  constructor(
    answer: ExchangeAnswer,
    private readonly content: Uint8Array,
    private readonly lifetime: Lifetime,
  ) {
    this.status = answer.status;
    this.ok = answer.status >= 200 && answer.status < 300;
    this.statusText = answer.statusText;
    this.url = answer.url;
    this.headers = new HostHeaders(answer.headers.map(([name, value]) => [name, value]));
  }

  get bodyUsed(): boolean {
    return this.#used;
  }
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#take((bytes) => arrayBufferOf(this.lifetime.realm, bytes));
  }
  text(): Promise<string> {
    return this.#take((bytes) => Buffer.from(bytes).toString('utf8'));
  }
  json(): Promise<unknown> {
    return this.#take((bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown);
  }

  #take<T>(read: (bytes: Uint8Array) => T): Promise<T> {
    return this.lifetime.call(() => {
      if (this.#used) {
        throw new HostFailure(new this.lifetime.realm.TypeError('the body was read already'));
      }
      this.#used = true;
      return read(this.content);
    });
  }
}

/**
 * `fetch` with the documented options method, headers, body and credentials; any other (signal, redirect, ...) is ignored,
 * as a host is free to do. A refused or failed request is a TypeError.
 */
export function createFetch(
  network: Network,
  lifetime: Lifetime,
): (input: unknown, init?: Record<string, unknown>) => Promise<object> {
  const { realm } = lifetime;
  return (input, init = {}) =>
    lifetime.call(
      () =>
        new Promise<object>((resolve, reject) => {
          const fail = (text: string): void => reject(new HostFailure(new realm.TypeError(text)));
          const method = typeof init['method'] === 'string' ? init['method'].toUpperCase() : 'GET';
          if (typeof input !== 'string' || !URL.canParse(input)) {
            fail('fetch needs an absolute url');
            return;
          }
          const body = init['body'];
          let bytes: Uint8Array | undefined;
          if (typeof body === 'string') bytes = Buffer.from(body, 'utf8');
          else if (nodeTypes.isArrayBuffer(body)) bytes = new Uint8Array(body.slice(0));
          else if (body !== undefined && body !== null) {
            fail('this simulated fetch sends strings and ArrayBuffers only');
            return;
          }
          if (bytes !== undefined && (method === 'GET' || method === 'HEAD')) {
            fail('GET and HEAD have no body');
            return;
          }
          let answer: ExchangeAnswer | undefined;
          network.start(
            {
              method,
              url: new URL(input),
              headers: [...new HostHeaders(init['headers']).entries()],
              body: bytes,
            },
            {
              answered: (given) => {
                answer = given;
              },
              done: (content) => {
                if (answer !== undefined) resolve(new HostResponse(answer, content, lifetime));
              },
              failed: fail,
            },
          );
        }),
    );
}
