import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { ServiceStartError, systemErrorCode } from '../errors.js';
import type { ServiceCertificate } from '../tls/tls.js';
import type { Handler } from './handler.js';
import { listenAt, portOf } from './listen.js';
import { answerMalformed } from './malformed-requests.js';

/** How long a request may take to arrive, uploads included, in milliseconds. */
export const MAX_REQUEST_MS = 3_600_000;
/** How long an idle connection is kept, in milliseconds: longer than proxies and clients do, so that they end it. */
export const KEEP_ALIVE_MS = 75_000;
/** How long a TLS handshake may take, in milliseconds. */
const HANDSHAKE_MS = 15_000;
/** How often Node.js looks for requests whose time is over, at least; in milliseconds. */
const CHECK_EVERY_MS = 5000;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The name of the option that chooses the port, for the messages of errors; left out for that of the service. */
  readonly portOption?: string;
  /** The certificate for TLS; without it the service speaks plain http. */
  readonly certificate: ServiceCertificate | undefined;
  /** How long the headers of a request may take to arrive, in seconds. */
  readonly requestSeconds: number;
  /** How long requests in flight may continue when the service closes, in seconds. */
  readonly shutdownGraceSeconds: number;
}

/** A port that is listened on. */
export interface Listening {
  /** The origin of the port, without a slash at the end. */
  readonly origin: string;
  /** Frees the port. Waits for the requests in flight, up to the grace time; then cuts them. */
  close(): Promise<void>;
}

/**
 * Listens, and hands each request to `handle`. Resolves when the port is open.
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

function startError(cause: unknown, { host, port, portOption }: ListenOptions): ServiceStartError {
  const option = portOption === undefined ? '' : ` (${portOption})`;
  return systemErrorCode(cause) === 'EADDRINUSE'
    ? new ServiceStartError(
        'port_in_use',
        `Port ${port} on ${host}${option} is in use; choose another port.`,
        { cause },
      )
    : new ServiceStartError(
        'cannot_listen',
        `Cannot listen on ${host}, port ${port}${option}: ${systemErrorCode(cause)}.`,
        { cause },
      );
}

function makeServer({ certificate, requestSeconds }: ListenOptions, handle: Handler): Server {
  const limits = {
    headersTimeout: requestSeconds * 1000,
    // For uploads: a large file on a slow line takes long. The request pipeline has shorter limits for everything else.
    requestTimeout: MAX_REQUEST_MS,
    // How often Node checks those two.
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
  // Without this, Node would send `100 Continue` for every body. The request pipeline sends it only for bodies that it
  // reads.
  server.on('checkContinue', (request, response) => {
    server.emit('request', request, response);
  });
  answerMalformed(server);
  return server;
}

/**
 * Makes a function that closes the server when its requests have been answered. Connections that are idle, or become
 * idle, are closed at once. Those that are left after the grace time are cut.
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
