import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
import { systemErrorCode } from '../errors.js';
import { lineAbout } from '../log.js';

/** Why a request to an address that a user entered got no answer. */
export type OutgoingFailure =
  | 'not_https'
  | 'not_public'
  | 'unknown_host'
  | 'timeout'
  | 'too_large'
  | 'certificate'
  | 'tls'
  | 'proxy'
  | 'unreachable';

/** A request to an address that a user entered got no answer. `message` has the cause, for operators. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError';

  constructor(
    readonly failure: OutgoingFailure,
    options?: ErrorOptions,
  ) {
    super(`${failure}${options === undefined ? '' : ` (${lineAbout(options.cause)})`}`, options);
  }
}

export interface OutgoingPolicy {
  /** Whether http, and addresses that are not public, are allowed. Only for development and closed networks. */
  readonly allowsPrivate: boolean;
  /**
   * The proxy that all requests go through, `http://user:password@host:port`. It resolves the names, so it decides
   * which of their addresses may be reached. Left out: requests connect directly.
   */
  readonly proxy?: URL | undefined;
}

/** An answer whose body is not read. */
export interface OutgoingStatus {
  readonly status: number;
  readonly headers: Headers;
}

export interface OutgoingRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The longest time from the look-up of the name to the last byte of the answer, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The longest answer that is read, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** Statuses whose answers have no body; `Response` refuses one. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Checks an address that a user enters before it is stored.
 * @throws {OutgoingError} `not_https` if it is no https address, or has a user name or a fragment; `not_public` if its
 *   host is an address of a private network.
 */
export function outgoingUrl(text: string, { allowsPrivate }: OutgoingPolicy): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowsPrivate);
  if (url === undefined || !isAllowed || url.username + url.password + url.hash !== '') {
    throw new OutgoingError('not_https');
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!allowsPrivate && isIP(host) !== 0 && !isPublic(host)) {
    throw new OutgoingError('not_public');
  }
  return url;
}

/**
 * Makes a request to an address that a user entered. It cannot reach a private network: the address that is connected
 * to is the one that was checked, so a name that changes its address between the two gains nothing. Redirects are
 * answers like any other. Each request has its own connection.
 * @throws {OutgoingError} see {@link OutgoingFailure}.
 */
export function outgoingFetch(
  text: string,
  request: OutgoingRequest,
  policy: OutgoingPolicy,
): Promise<Response> {
  return exchange(text, request, policy, async (answer) => {
    const status = answer.statusCode ?? 0;
    const body = await readBody(answer);
    return new Response(WITHOUT_BODY.has(status) ? undefined : body, {
      status,
      headers: headersOf(answer),
    });
  });
}

/**
 * Like {@link outgoingFetch}, for requests whose status is the answer. The connection is closed when the status has
 * arrived, however the body goes on.
 * @throws {OutgoingError} see {@link OutgoingFailure}.
 */
export function outgoingStatus(
  text: string,
  request: OutgoingRequest,
  policy: OutgoingPolicy,
): Promise<OutgoingStatus> {
  return exchange(text, request, policy, (answer) => {
    answer.destroy();
    return { status: answer.statusCode ?? 0, headers: headersOf(answer) };
  });
}

async function exchange<Result>(
  text: string,
  request: OutgoingRequest,
  policy: OutgoingPolicy,
  read: (answer: IncomingMessage) => Result | Promise<Result>,
): Promise<Result> {
  const url = outgoingUrl(text, policy);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  try {
    return await read(await send(url, { ...request, signal }, policy));
  } catch (error) {
    throw error instanceof OutgoingError
      ? error
      : new OutgoingError(timeout.aborted ? 'timeout' : failureOf(error), { cause: error });
  }
}

/** Codes of OpenSSL and Node.js about a certificate: expired, not trusted, for another name. */
const CERTIFICATE_CODE =
  /^(?:CERT_|CRL_|ERR_TLS_CERT_|UNABLE_TO_(?:GET|DECRYPT|DECODE|VERIFY)_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$)/;
/** Codes about the rest of the handshake. */
const TLS_CODE = /^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/;

function failureOf(error: unknown): OutgoingFailure {
  const code = systemErrorCode(error);
  if (CERTIFICATE_CODE.test(code)) {
    return 'certificate';
  }
  return TLS_CODE.test(code) ? 'tls' : 'unreachable';
}

async function send(
  url: URL,
  { method = 'GET', headers = {}, body, signal }: OutgoingRequest,
  { allowsPrivate, proxy }: OutgoingPolicy,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const tunnel = proxy && (await openTunnel(proxy, url, signal));
  return new Promise((resolve, reject) => {
    const start = isSecure ? httpsRequest : httpRequest;
    const sending = start(url, {
      method,
      headers: {
        'user-agent': 'Creative-Workspace',
        ...headers,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(signal && { signal }),
      ...(tunnel === undefined
        ? {
            // A kept connection might be one to an address that was not checked.
            agent: false,
            lookup: allowsPrivate ? undefined : lookUpPublic,
          }
        : {
            createConnection: () =>
              isSecure ? connectTls({ socket: tunnel, ...serverName(url) }) : tunnel,
          }),
    });
    sending.once('response', resolve);
    sending.on('error', (error) => {
      tunnel?.destroy();
      reject(error);
    });
    sending.end(body);
  });
}

/** The name that the certificate must be for, as Node.js derives it from a URL. An IP address has none in the handshake. */
function serverName({
  hostname,
}: URL): { readonly servername: string } | { readonly host: string } {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? { servername: host } : { host };
}

/**
 * Opens a connection through a proxy ([RFC 9110 §9.3.6](https://www.rfc-editor.org/rfc/rfc9110#section-9.3.6)).
 * @throws {OutgoingError} `proxy` when the proxy cannot be reached, or refuses.
 */
function openTunnel(proxy: URL, target: URL, signal: AbortSignal | undefined): Promise<Socket> {
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  const path = `${target.hostname}:${port}`;
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return new Promise((resolve, reject) => {
    const start = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const connecting = start({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port || undefined,
      method: 'CONNECT',
      path,
      headers: {
        host: path,
        ...(user !== ':' && {
          'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}`,
        }),
      },
      ...(signal && { signal }),
      agent: false,
    });
    connecting.once('connect', ({ statusCode = 0 }, socket, first) => {
      if (statusCode >= 200 && statusCode < 300) {
        // What the other side sent at once belongs to the connection.
        socket.unshift(first);
        resolve(socket);
      } else {
        socket.destroy();
        const cause = new Error(`the proxy answered ${statusCode}`);
        reject(new OutgoingError('proxy', { cause }));
      }
    });
    connecting.on('error', (cause) => {
      reject(signal?.aborted === true ? cause : new OutgoingError('proxy', { cause }));
    });
    connecting.end();
  });
}

async function readBody(answer: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_BYTES) {
      throw new OutgoingError('too_large');
    }
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) {
      headers.append(name, value);
    }
  }
  return headers;
}

/** Looks up a name as Node.js does. A name with any address that is not public is refused. */
const lookUpPublic: LookupFunction = (
  name: string,
  options: LookupOptions,
  done: (
    error: NodeJS.ErrnoException | null,
    address: string | LookupAddress[],
    family?: number,
  ) => void,
) => {
  lookUp(name, { ...options, all: true }, (error, addresses) => {
    // Node.js passes no addresses with an error, whatever its types say.
    const first = error === null ? addresses[0] : undefined;
    if (first === undefined) {
      done(new OutgoingError('unknown_host', { cause: error }), []);
    } else if (!addresses.every(({ address }) => isPublic(address))) {
      done(new OutgoingError('not_public'), []);
    } else if (options.all === true) {
      done(null, addresses);
    } else {
      done(null, first.address, first.family);
    }
  });
};

/**
 * The addresses under which NAT64 reaches IPv4: the last 32 bits are the IPv4 address
 * ([RFC 6052 §2.1](https://www.rfc-editor.org/rfc/rfc6052#section-2.1)).
 */
const NAT64: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('64:ff9b::'), 96];

/** Whether everybody on the Internet reaches the same computer at this IP address. */
function isPublic(address: string): boolean {
  const [plain = ''] = address.split('%', 1);
  if (isIP(plain) === 0) {
    return false;
  }
  const parsed = ipaddr.process(plain);
  if (parsed instanceof ipaddr.IPv6 && parsed.match(NAT64)) {
    return new ipaddr.IPv4(parsed.toByteArray().slice(-4)).range() === 'unicast';
  }
  // No other IPv6 network has been given to anybody ([RFC 4291 §2.4](https://www.rfc-editor.org/rfc/rfc4291#section-2.4)).
  const isGlobal = parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isGlobal && parsed.range() === 'unicast';
}
