import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { ServiceStartError, systemErrorCode } from '../errors.js';
import type { ServiceCertificate } from '../tls.js';
import type { Handler } from './handler.js';
import { listenAt, portOf } from './listen.js';
import { answerMalformed } from './malformed-requests.js';

/** The longest time for one request, uploads among them. */
export const LONGEST_REQUEST_MS = 3_600_000;
/** Longer than proxies and clients keep a connection, so that they are the ones to end it. */
export const KEEP_ALIVE_MS = 75_000;
const HANDSHAKE_MS = 15_000;
/** How often Node.js looks for requests whose time is over, at least. */
const CHECK_EVERY_MS = 5000;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** For TLS; without it the service speaks plain http. */
  readonly certificate: ServiceCertificate | undefined;
  /** How long the headers of a request may take. */
  readonly requestSeconds: number;
  /** How long requests in flight may go on when the service closes. */
  readonly shutdownGraceSeconds: number;
}

/** A port that is listened on. */
export interface Listening {
  /** The origin of the port, without a slash at the end. */
  readonly origin: string;
  /** Lets the requests in flight end, for the grace time, and frees the port. */
  close(): Promise<void>;
}

/**
 * Listens, and hands each request to `handle`.
 * @throws {ServiceStartError} `port_in_use` or `cannot_listen`.
 */
export async function listen(options: ListenOptions, handle: Handler): Promise<Listening> {
  const { host, port, certificate } = options;
  const servers = await listenAt(() => makeServer(options, handle), { port, host }).catch(
    (cause: unknown) => {
      throw startError(cause, options);
    },
  );
  const closers = servers.map((server) =>
    drainOnClose(server, options.shutdownGraceSeconds * 1000),
  );
  const scheme = certificate === undefined ? 'http' : 'https';
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    origin: `${scheme}://${name}:${portOf(servers[0])}`,
    close: async () => {
      await Promise.all(closers.map((close) => close()));
    },
  };
}

function startError(cause: unknown, { host, port }: ListenOptions): ServiceStartError {
  return systemErrorCode(cause) === 'EADDRINUSE'
    ? new ServiceStartError(
        'port_in_use',
        `Port ${port} on ${host} is in use; choose another port.`,
        { cause },
      )
    : new ServiceStartError(
        'cannot_listen',
        `Cannot listen on ${host}, port ${port} (${systemErrorCode(cause)}).`,
        { cause },
      );
}

function makeServer({ certificate, requestSeconds }: ListenOptions, handle: Handler): Server {
  const limits = {
    headersTimeout: requestSeconds * 1000,
    // Uploads: a big file on a slow line takes long. The front limits everything else.
    requestTimeout: LONGEST_REQUEST_MS,
    // How often Node looks whether those two are over.
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, requestSeconds * 500),
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const server =
    certificate === undefined
      ? createServer(limits)
      : createTlsServer({
          ...limits,
          key: certificate.key,
          cert: certificate.chain,
          minVersion: 'TLSv1.2',
          handshakeTimeout: HANDSHAKE_MS,
        });
  server.on('request', (request, response) => void handle(request, response));
  // Node would ask for every body that is announced; the front does so for those that it takes.
  server.on('checkContinue', (request, response) => {
    server.emit('request', request, response);
  });
  answerMalformed(server);
  return server;
}

/**
 * Makes a function that closes the server when its requests have been answered. Connections that
 * are idle, or become so, are closed at once; what is left after the grace time is cut.
 */
function drainOnClose(server: Server, graceMs: number): () => Promise<void> {
  let closing = false;
  server.prependListener('request', (_request, response) => {
    if (closing) {
      response.setHeader('Connection', 'close');
    }
    response.once('close', () => {
      if (closing) {
        setImmediate(() => server.closeIdleConnections());
      }
    });
  });
  return () =>
    new Promise((resolve) => {
      closing = true;
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      server.closeIdleConnections();
    });
}
