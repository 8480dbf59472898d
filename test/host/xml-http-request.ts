import { types as nodeTypes } from 'node:util';
import { isAtLeast } from '../../uxp-api/versions.js';
import type { Findings } from './findings.js';
import type { Lifetime } from './modules/lifetime.js';
import type { ExchangeAnswer, Network } from './network.js';
import type { Timers } from './timers.js';

/** Everything a request of the plugin touches. */
export interface XhrEnvironment {
  readonly network: Network;
  readonly lifetime: Lifetime;
  readonly findings: Findings;
  readonly timers: Timers;
  readonly uxpVersion: string;
  /** A DOMException of the page. */
  readonly domException: (message: string, name: string) => Error;
  /** Makes a Blob of the page from response bytes. */
  readonly blob: (bytes: Uint8Array, type: string) => object;
  /** An error thrown by a handler of the plugin: swallowed by the host, kept for the test. */
  readonly uncaught: (error: unknown) => void;
}

const states = { UNSENT: 0, OPENED: 1, HEADERS_RECEIVED: 2, LOADING: 3, DONE: 4 } as const;
const responseTypes = ['', 'text', 'arrayBuffer', 'arraybuffer', 'blob', 'document', 'json'];
const events = ['readystatechange', 'load', 'timeout', 'abort', 'error'];
const uploadEvents = ['loadstart', 'progress', 'abort', 'error', 'load', 'timeout', 'loadend'];
const forbidden =
  /^(accept-(charset|encoding)|access-control-request-(headers|method)|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/i;
const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;

type Handler = ((event: object) => void) | null;

/** Event listeners without more than the documents show: a type, a function. */
class Listeners {
  readonly #byType = new Map<string, Set<(event: object) => void>>();

  constructor(private readonly known: readonly string[]) {}

  add(type: string, listener: (event: object) => void): void {
    if (!this.known.includes(type) || typeof listener !== 'function') return;
    const set = this.#byType.get(type) ?? new Set();
    this.#byType.set(type, set.add(listener));
  }

  remove(type: string, listener: (event: object) => void): void {
    this.#byType.get(type)?.delete(listener);
  }

  of(type: string): ((event: object) => void)[] {
    return [...(this.#byType.get(type) ?? [])];
  }
}

/**
 * The XMLHttpRequest of the page: the members of its reference page and the handlers its examples show, nothing more.
 * Bodies are strings or ArrayBuffers; Blobs and typed arrays are refused, because one of Adobe's pages denies them.
 */
export function createXmlHttpRequest(environment: XhrEnvironment): new () => object {
  const { network, lifetime, timers, domException, findings } = environment;
  const { realm } = lifetime;

  class XMLHttpRequestUpload {
    onprogress: Handler = null;
    readonly #listeners = new Listeners(uploadEvents);

    addEventListener(type: string, listener: (event: object) => void): void {
      this.#listeners.add(type, listener);
    }
    removeEventListener(type: string, listener: (event: object) => void): void {
      this.#listeners.remove(type, listener);
    }

    static fire(upload: XMLHttpRequestUpload, type: string, loaded: number, total: number): void {
      const event = { type, target: upload, lengthComputable: true, loaded, total };
      const handlers = upload.#listeners.of(type);
      if (type === 'progress' && typeof upload.onprogress === 'function')
        handlers.unshift(upload.onprogress);
      for (const handler of handlers) call(upload, handler, event);
    }
  }

  const call = (self: object, handler: (event: object) => void, event: object): void => {
    if (!lifetime.alive) return;
    try {
      handler.call(self, event);
    } catch (error) {
      environment.uncaught(error);
    }
  };

  class XMLHttpRequest {
    onreadystatechange: Handler = null;
    onload: Handler = null;
    onerror: Handler = null;
    onabort: Handler = null;
    ontimeout: Handler = null;
    readonly upload = new XMLHttpRequestUpload();
    readonly responseXML = null;

    readonly #listeners = new Listeners(events);
    #state: number = states.UNSENT;
    #method = 'GET';
    #url: URL | undefined;
    #headers: [string, string][] = [];
    #sent = false;
    #answer: ExchangeAnswer | undefined;
    #body: Uint8Array<ArrayBuffer> | undefined;
    /** The received part of the body. */
    #parts: Uint8Array[] = [];
    #mimeType: string | undefined;
    #responseType = '';
    #timeout = 0;
    #withCredentials = true;
    #end: (() => void) | undefined;
    #stopTimer: (() => void) | undefined;

    get readyState(): number {
      return this.#state;
    }
    get responseURL(): string {
      return this.#answer?.url ?? '';
    }
    get status(): number {
      return this.#answer?.status ?? 0;
    }
    get statusText(): string {
      return this.#answer?.statusText ?? '';
    }
    get responseText(): string {
      if (this.#responseType !== '' && this.#responseType !== 'text') {
        throw domException('responseText needs responseType "" or "text"', 'InvalidStateError');
      }
      return this.#text();
    }
    get response(): unknown {
      if (this.#responseType === '' || this.#responseType === 'text') return this.#text();
      if (this.#state !== states.DONE || this.#body === undefined) return null;
      switch (this.#responseType.toLowerCase()) {
        case 'arraybuffer':
          return this.#body.buffer;
        case 'blob':
          return environment.blob(
            this.#body,
            this.#mimeType ?? this.getResponseHeader('content-type') ?? '',
          );
        case 'json':
          try {
            return JSON.parse(this.#text()) as unknown;
          } catch {
            return null;
          }
        default:
          return null;
      }
    }
    get responseType(): string {
      return this.#responseType;
    }
    set responseType(value: string) {
      if (this.#state >= states.LOADING) {
        throw domException('responseType cannot change any more', 'InvalidStateError');
      }
      if (responseTypes.includes(value)) this.#responseType = value;
    }
    get timeout(): number {
      return this.#timeout;
    }
    set timeout(milliseconds: number) {
      this.#timeout = milliseconds;
    }
    get withCredentials(): boolean {
      return this.#withCredentials;
    }
    set withCredentials(value: boolean) {
      if (this.#state > states.OPENED || this.#sent) {
        throw domException('withCredentials cannot change any more', 'InvalidStateError');
      }
      this.#withCredentials = value;
    }

    open(method: string, url: string, async = true): void {
      if (arguments.length < 2) throw new realm.TypeError('open needs a method and a url');
      if (!async) throw domException('synchronous requests are not supported', 'NotSupportedError');
      if (!token.test(method)) throw domException(`"${method}" is not a method`, 'SyntaxError');
      if (/^(connect|trace|track)$/i.test(method)) {
        throw domException(`${method} is not allowed`, 'SecurityError');
      }
      const target = URL.canParse(url) ? new URL(url) : undefined;
      if (target === undefined)
        throw domException('the url is not absolute or not valid', 'SyntaxError');
      this.#stop();
      const upper = method.toUpperCase();
      this.#method = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].includes(upper)
        ? upper
        : method;
      this.#url = target;
      this.#headers = [];
      this.#sent = false;
      this.#answer = undefined;
      this.#body = undefined;
      this.#parts = [];
      this.#setState(states.OPENED);
    }

    setRequestHeader(name: string, value: unknown): void {
      if (this.#state !== states.OPENED || this.#sent) {
        throw domException('setRequestHeader belongs between open and send', 'InvalidStateError');
      }
      const text = String(value).trim();
      if (!token.test(name) || /[\r\n\0]/.test(text) || /[^\x20-\xff\t]/.test(text)) {
        throw domException('not a valid header name or value', 'SyntaxError');
      }
      if (forbidden.test(name)) {
        findings.add('network', `header ${name} is forbidden and was dropped`);
        return;
      }
      const existing = this.#headers.find(([known]) => known.toLowerCase() === name.toLowerCase());
      if (existing === undefined) this.#headers.push([name, text]);
      else existing[1] = `${existing[1]}, ${text}`;
    }

    send(body?: unknown): void {
      const url = this.#url;
      if (this.#state !== states.OPENED || this.#sent || url === undefined) {
        throw domException('send belongs after open, once', 'InvalidStateError');
      }
      const bytes = this.#bytesOf(body);
      if (
        typeof body === 'string' &&
        !this.#headers.some(([name]) => /^content-type$/i.test(name))
      ) {
        this.#headers.push(['Content-Type', 'text/plain;charset=UTF-8']);
      }
      this.#sent = true;
      const total = bytes?.byteLength ?? 0;
      if (total > 0) XMLHttpRequestUpload.fire(this.upload, 'loadstart', 0, total);
      let uploaded = total === 0;
      const finishUpload = (): void => {
        if (uploaded) return;
        uploaded = true;
        XMLHttpRequestUpload.fire(this.upload, 'load', total, total);
        XMLHttpRequestUpload.fire(this.upload, 'loadend', total, total);
      };
      this.#end = network.start(
        { method: this.#method, url, headers: this.#headers, body: bytes },
        {
          sent: (loaded) => {
            XMLHttpRequestUpload.fire(this.upload, 'progress', loaded, total);
            if (loaded === total) finishUpload();
          },
          answered: (answer) => {
            finishUpload();
            this.#answer = answer;
            this.#setState(states.HEADERS_RECEIVED);
          },
          received: (part) => {
            this.#parts.push(part);
            // The page speaks of a state, not of an event for every part of the body: one change, one event.
            if (this.#state !== states.LOADING) this.#setState(states.LOADING);
          },
          done: (received) => {
            this.#stopTimer?.();
            this.#body = received;
            this.#parts = [];
            this.#setState(states.DONE);
            this.#fire('load');
          },
          failed: () => this.#fail('error', !uploaded),
        },
      );
      if (this.#timeout > 0) {
        this.#stopTimer = timers.after(this.#timeout, () => {
          this.#end?.();
          this.#fail('timeout', !uploaded);
        });
      }
    }

    abort(): void {
      const running = this.#sent && this.#state !== states.DONE && this.#state !== states.UNSENT;
      this.#stop();
      if (running) this.#fail('abort', this.#state === states.OPENED);
      this.#answer = undefined;
      this.#body = undefined;
      this.#parts = [];
      // Back to UNSENT without a readystatechange event, as the page describes.
      this.#state = states.UNSENT;
    }

    getResponseHeader(name: string): string | null {
      if (arguments.length === 0) throw new realm.TypeError('getResponseHeader needs a name');
      const values = (this.#answer?.headers ?? [])
        .filter(([known]) => known.toLowerCase() === name.toLowerCase())
        .map(([, value]) => value);
      return values.length === 0 ? null : values.join(', ');
    }

    getAllResponseHeaders(): string {
      return (this.#answer?.headers ?? [])
        .map(([name, value]) => `${name.toLowerCase()}: ${value}\r\n`)
        .join('');
    }

    overrideMimeType(mimeType: string): void {
      if (this.#state >= states.LOADING) {
        throw domException('overrideMimeType comes too late', 'InvalidStateError');
      }
      this.#mimeType = mimeType;
    }

    addEventListener(type: string, listener: (event: object) => void): void {
      this.#listeners.add(type, listener);
    }
    removeEventListener(type: string, listener: (event: object) => void): void {
      this.#listeners.remove(type, listener);
    }

    #text(): string {
      // Also while loading: the page promises the empty string only before.
      const isLoading = this.#state === states.LOADING;
      const bytes = this.#body ?? (isLoading ? Buffer.concat(this.#parts) : new Uint8Array());
      return Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\uFEFF/, '');
    }

    #bytesOf(body: unknown): Uint8Array | undefined {
      if (
        this.#method === 'GET' ||
        this.#method === 'HEAD' ||
        body === undefined ||
        body === null
      ) {
        return undefined;
      }
      if (typeof body === 'string') return Buffer.from(body, 'utf8');
      // The host takes the bytes at send: later changes of the buffer have no effect.
      if (nodeTypes.isArrayBuffer(body)) return new Uint8Array(body.slice(0));
      throw new realm.Error('unsupported body: only a string or an ArrayBuffer can be sent');
    }

    #stop(): void {
      this.#end?.();
      this.#end = undefined;
      this.#stopTimer?.();
      this.#stopTimer = undefined;
    }

    #fail(type: 'error' | 'timeout' | 'abort', duringUpload: boolean): void {
      this.#stopTimer?.();
      this.#answer = undefined;
      this.#body = undefined;
      this.#parts = [];
      this.#sent = false;
      this.#setState(states.DONE);
      if (duringUpload) {
        XMLHttpRequestUpload.fire(this.upload, type, 0, 0);
        XMLHttpRequestUpload.fire(this.upload, 'loadend', 0, 0);
      }
      this.#fire(type);
    }

    #setState(state: number): void {
      this.#state = state;
      this.#fire('readystatechange');
    }

    #fire(type: 'readystatechange' | 'load' | 'error' | 'abort' | 'timeout'): void {
      const event = { type, target: this, currentTarget: this };
      const handlers = this.#listeners.of(type);
      const own = this[`on${type}`];
      if (typeof own === 'function') handlers.unshift(own);
      for (const handler of handlers) call(this, handler, event);
    }
  }
  if (isAtLeast(environment.uxpVersion, '8.2')) {
    Object.assign(XMLHttpRequest, states);
    Object.assign(XMLHttpRequest.prototype, states);
  }
  // Its page has it without a version; the changelog exposes it in 9.0: the reading that is harder on the plugin.
  if (!isAtLeast(environment.uxpVersion, '9.0')) {
    Reflect.deleteProperty(XMLHttpRequest.prototype, 'readyState');
  }
  return XMLHttpRequest;
}
