import { lookup as lookUp, type LookupAddress, type LookupOptions } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { lineAbout } from '../log.js';

/** Why a request to an address that a user entered got no answer. */
export type OutgoingFailure =
  | 'not_https'
  | 'not_public'
  | 'unknown_host'
  | 'timeout'
  | 'too_large'
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
export async function outgoingFetch(
  text: string,
  request: OutgoingRequest,
  policy: OutgoingPolicy,
): Promise<Response> {
  const url = outgoingUrl(text, policy);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  try {
    const answer = await send(url, { ...request, signal }, policy);
    const status = answer.statusCode ?? 0;
    const body = await readBody(answer);
    return new Response(WITHOUT_BODY.has(status) ? undefined : body, {
      status,
      headers: headersOf(answer),
    });
  } catch (error) {
    throw error instanceof OutgoingError
      ? error
      : new OutgoingError(timeout.aborted ? 'timeout' : 'unreachable', { cause: error });
  }
}

function send(
  url: URL,
  { method = 'GET', headers = {}, body, signal }: OutgoingRequest,
  { allowsPrivate }: OutgoingPolicy,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sending = start(url, {
      method,
      headers: {
        'user-agent': 'Creative-Workspace',
        ...headers,
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(signal && { signal }),
      // A kept connection might be one to an address that was not checked.
      agent: false,
      lookup: allowsPrivate ? undefined : lookUpPublic,
    });
    sending.once('response', resolve);
    sending.on('error', reject);
    sending.end(body);
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

/** Whether everybody on the Internet reaches the same computer at this IP address. */
function isPublic(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  if (isIP(plain) === 0) {
    return false;
  }
  const parsed = ipaddr.process(plain);
  // No other IPv6 network has been given to anybody ([RFC 4291 §2.4](https://www.rfc-editor.org/rfc/rfc4291#section-2.4)).
  const isGlobal = parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isGlobal && parsed.range() === 'unicast';
}
