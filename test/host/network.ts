import * as http from 'node:http';
import * as https from 'node:https';
import { isDomainAllowed } from '../../uxp-api/network-domains.js';
import { isAtLeast } from '../../uxp-api/versions.js';
import type { Findings } from './findings.js';
import type { Lifetime } from './modules/lifetime.js';
import type { SimulatedPlatform } from './modules/os-module.js';
import type { Realm } from './modules/realm.js';

export interface NetworkRules {
  readonly uxpVersion: string;
  /** `requiredPermissions.network.domains`. */
  readonly domains: readonly string[] | 'all';
  readonly platform: SimulatedPlatform;
  /** macOS refuses plain http in Photoshop; true lets loopback addresses pass, which tests need. */
  readonly allowLoopbackHttp: boolean;
  /** Certificates (PEM) the system trusts next to the usual ones. */
  readonly trustedCertificate?: string | undefined;
}

/** One request as it left the plugin, redirects included. For assertions. */
export interface RequestRecord {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
  /** Undefined while no answer has come. */
  status?: number;
  /** Why the host did not send it or what went wrong. */
  failure?: string;
}

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** After redirects. */
  readonly url: string;
}

/** How an exchange is followed; nothing is called after `failed`, `done` or the end of the plugin. */
export interface ExchangeListener {
  sent?(bytes: number, total: number): void;
  answered(answer: ExchangeAnswer): void;
  /** A part of the body has come. */
  received?(part: Uint8Array): void;
  /** The bytes are alone in a buffer of the plugin's realm. */
  done(body: Uint8Array<ArrayBuffer>): void;
  failed(reason: string): void;
}

const redirects = [301, 302, 303, 307, 308];
const sliceBytes = 64 * 1024;

/**
 * The network of a plugin: real sockets, the manifest's permissions, redirects as the host follows them. No cookies are
 * sent or kept, and there is no CORS.
 */
export class Network {
  readonly records: RequestRecord[] = [];

  constructor(
    private readonly rules: NetworkRules,
    private readonly lifetime: Lifetime,
    private readonly findings: Findings,
  ) {}

  /** Starts an exchange. @returns a function that ends it at once, without any further call of the listener */
  start(exchange: Exchange, listener: ExchangeListener): () => void {
    let over = false;
    let request: http.ClientRequest | undefined;
    const end = (): void => {
      over = true;
      // Else everything that was received would be kept until then.
      forget();
      request?.destroy();
    };
    const forget = this.lifetime.onEnd(end);

    const hop = (current: Exchange, redirectsLeft: number): void => {
      const record: RequestRecord = {
        method: current.method,
        url: current.url.href,
        headers: Object.fromEntries(
          current.headers.map(([name, value]) => [name.toLowerCase(), value]),
        ),
        bodyBytes: current.body?.byteLength ?? 0,
      };
      this.records.push(record);
      const fail = (reason: string): void => {
        if (over) return;
        end();
        record.failure = reason;
        listener.failed(reason);
      };
      const refusal = this.#refusal(current.url);
      if (refusal !== undefined) {
        this.findings.add('network', refusal);
        setImmediate(() => fail(refusal));
        return;
      }

      const module = current.url.protocol === 'https:' ? https : http;
      let sending = true;
      let answeredStatus = 0;
      const active = module.request(current.url, {
        method: current.method,
        agent: false,
        headers: headerObject(current),
        ...(this.rules.trustedCertificate === undefined
          ? {}
          : { ca: this.rules.trustedCertificate }),
      });
      request = active;
      active.on('error', (error) => {
        // A server may answer and hang up before it has read the whole body: the answer counts.
        if (answeredStatus === 0) fail(error.message);
      });
      active.on('response', (response) => {
        if (over) return;
        answeredStatus = response.statusCode ?? 0;
        record.status = answeredStatus;
        const target = response.headers.location;
        if (redirects.includes(answeredStatus) && target !== undefined) {
          sending = false;
          response.resume();
          active.destroy();
          if (redirectsLeft === 0) fail('too many redirects');
          else hop(this.#redirected(current, answeredStatus, target), redirectsLeft - 1);
          return;
        }
        listener.answered({
          status: answeredStatus,
          statusText: response.statusMessage ?? '',
          headers: pairs(response.rawHeaders),
          url: current.url.href,
        });
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (!over) listener.received?.(chunk);
        });
        response.on('error', (error) => fail(error.message));
        response.on('aborted', () => fail('the connection was lost'));
        response.on('end', () => {
          if (over) return;
          over = true;
          forget();
          sending = false;
          listener.done(joined(this.lifetime.realm, chunks));
        });
      });

      const { body } = current;
      if (body === undefined || body.byteLength === 0) {
        active.end();
        return;
      }
      const sendFrom = (offset: number): void => {
        if (over || !sending || active.destroyed) return;
        const slice = body.subarray(offset, offset + sliceBytes);
        const next = offset + slice.byteLength;
        active.write(slice, (error) => {
          if (error !== null && error !== undefined) return;
          if (over || !sending) return;
          listener.sent?.(next, body.byteLength);
          if (next < body.byteLength) sendFrom(next);
          else active.end();
        });
      };
      sendFrom(0);
    };

    hop(exchange, 20);
    return end;
  }

  #refusal(url: URL): string | undefined {
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      return `${url.protocol} cannot be requested`;
    if (!isDomainAllowed(url, this.rules.domains)) {
      return `Permission denied to the url ${url.origin}. Manifest entry not found: requiredPermissions.network.domains`;
    }
    if (url.protocol === 'http:' && this.rules.platform === 'darwin') {
      const loopback = /^(127(\.\d+){3}|localhost|\[::1\])$/.test(url.hostname);
      if (!loopback || !this.rules.allowLoopbackHttp)
        return `plain http is refused on macOS: ${url.origin}`;
    }
    return undefined;
  }

  /** The request after a redirect; since UXP 8.4 it loses Authorization on the way to another origin. */
  #redirected(from: Exchange, status: number, location: string): Exchange {
    const url = new URL(location, from.url);
    const drop = new Set<string>();
    if (url.origin !== from.url.origin && isAtLeast(this.rules.uxpVersion, '8.4'))
      drop.add('authorization');
    const becomesGet =
      (status === 303 && from.method !== 'HEAD') ||
      ((status === 301 || status === 302) && from.method === 'POST');
    if (becomesGet) drop.add('content-type');
    return {
      method: becomesGet ? 'GET' : from.method,
      url,
      headers: from.headers.filter(([name]) => !drop.has(name.toLowerCase())),
      body: becomesGet ? undefined : from.body,
    };
  }
}

function joined(realm: Realm, chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bytes = new Uint8Array(new realm.ArrayBuffer(length));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function headerObject(exchange: Exchange): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of exchange.headers) headers[name] = value;
  headers['Accept'] ??= '*/*';
  const needsLength =
    exchange.body !== undefined || ['POST', 'PUT', 'PATCH'].includes(exchange.method);
  if (needsLength) headers['Content-Length'] = String(exchange.body?.byteLength ?? 0);
  return headers;
}

function pairs(raw: readonly string[]): [string, string][] {
  const result: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) result.push([raw[i] ?? '', raw[i + 1] ?? '']);
  return result;
}
