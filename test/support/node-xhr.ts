import * as http from 'node:http';
import type { LookupFunction } from 'node:net';
import type { BinaryBody, Xhr } from '../../src/host/http.js';

const UNSENT = 0;
const OPENED = 1;
const HEADERS_RECEIVED = 2;
const LOADING = 3;
const DONE = 4;
const SLICE_BYTES = 64 * 1024;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * `localhost` is this machine, without asking anybody (RFC 6761 §6.3), as in browsers: how long an exchange takes on a
 * test's clock does not depend on the system's resolver.
 */
const loopbackOnly: LookupFunction = (hostname, _options, callback) => {
  const problem = hostname === 'localhost' ? null : new Error(`${hostname} is not this machine`);
  process.nextTick(callback, problem, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
};

/**
 * XMLHttpRequest over node:http, as far as the plugin uses it: bodies as text, ArrayBuffer or Blob,
 * upload progress, abort, redirects followed automatically (to any origin, with every header: the least
 * careful host there is). Plain http only.
 */
export class NodeXhr implements Xhr {
  withCredentials = true;
  responseType: Xhr['responseType'] = '';
  readonly upload: Xhr['upload'] = { onprogress: null };
  /** Never called: the host's documents know progress of uploads alone. */
  onprogress: Xhr['onprogress'] = null;
  onreadystatechange: (() => void) | null = null;
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onabort: (() => void) | null = null;

  #readyState = UNSENT;
  #method = '';
  #url = '';
  #sent = false;
  #headers: Record<string, string> = {};
  #request: http.ClientRequest | null = null;
  #response: http.IncomingMessage | null = null;
  #responseURL = '';
  #received: Buffer[] = [];

  get readyState(): number {
    return this.#readyState;
  }
  get status(): number {
    return this.#response?.statusCode ?? 0;
  }
  /** The received part of the response. */
  get responseText(): string {
    if (this.responseType !== '') throw new Error('InvalidStateError');
    return Buffer.concat(this.#received).toString('utf8');
  }
  get response(): unknown {
    const { buffer, byteOffset, byteLength } = Buffer.concat(this.#received);
    return buffer.slice(byteOffset, byteOffset + byteLength);
  }
  get responseURL(): string {
    return this.#responseURL;
  }

  open(method: string, url: string, isAsync: boolean): void {
    if (!isAsync) throw new Error('synchronous requests are not supported');
    this.#method = method;
    this.#url = new URL(url).href;
    this.#setState(OPENED);
  }

  setRequestHeader(name: string, value: string): void {
    if (this.#readyState !== OPENED || this.#sent) throw new Error('not between open and send');
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    this.#headers[name] = value;
  }

  getResponseHeader(name: string): string | null {
    const value = this.#response?.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  }

  send(body: string | BinaryBody | null = null): void {
    if (this.#readyState !== OPENED || this.#sent) throw new Error('not after open, once');
    this.#sent = true;
    if (body instanceof Blob) {
      void body.arrayBuffer().then((bytes) => {
        if (this.#sent) this.#exchange(this.#url, Buffer.from(bytes), 10);
      });
      return;
    }
    const bytes =
      body === null ? null : typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
    this.#exchange(this.#url, bytes, 10);
  }

  abort(): void {
    const isRunning = this.#sent && this.#readyState !== DONE;
    this.#stop();
    if (isRunning) this.#end(this.onabort);
    this.#readyState = UNSENT;
  }

  #exchange(url: string, body: Buffer | null, redirectsLeft: number): void {
    const request = http.request(url, {
      method: this.#method,
      agent: false,
      lookup: loopbackOnly,
      headers: { ...this.#headers, 'Content-Length': String(body?.length ?? 0) },
    });
    this.#request = request;
    const fail = (): void => {
      if (request !== this.#request) return;
      this.#stop();
      this.#end(this.onerror);
    };
    request.on('error', () => {
      // A server may answer and hang up before it has read everything: then the answer counts.
      if (!this.#response) fail();
    });
    request.on('response', (response) => {
      if (request !== this.#request) {
        response.resume();
        return;
      }
      const { location } = response.headers;
      if (REDIRECTS.includes(response.statusCode ?? 0) && location !== undefined) {
        response.resume();
        request.destroy();
        if (redirectsLeft === 0) fail();
        else this.#exchange(new URL(location, url).href, body, redirectsLeft - 1);
        return;
      }
      this.#response = response;
      this.#responseURL = url;
      this.#setState(HEADERS_RECEIVED);
      response.on('data', (chunk: Buffer) => {
        if (request !== this.#request) return;
        this.#received.push(chunk);
        this.#setState(LOADING);
      });
      response.on('end', () => {
        if (request !== this.#request) return;
        this.#request = null;
        this.#setState(DONE);
        this.onload?.();
      });
      response.on('aborted', fail);
    });
    this.#write(request, body, 0);
  }

  #write(request: http.ClientRequest, body: Buffer | null, from: number): void {
    if (body === null || from >= body.length) {
      request.end();
      return;
    }
    const slice = body.subarray(from, from + SLICE_BYTES);
    request.write(slice, (error) => {
      if (error || request !== this.#request) return;
      this.upload.onprogress?.({ loaded: from + slice.length });
      if (request === this.#request && !request.destroyed)
        this.#write(request, body, from + slice.length);
    });
  }

  #stop(): void {
    const request = this.#request;
    this.#request = null;
    this.#response = null;
    this.#responseURL = '';
    this.#received = [];
    request?.destroy();
  }

  #end(handler: (() => void) | null): void {
    this.#sent = false;
    this.#setState(DONE);
    handler?.();
  }

  #setState(state: number): void {
    this.#readyState = state;
    this.onreadystatechange?.();
  }
}
