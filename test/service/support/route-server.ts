import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../../service/kernel/log.js';
import { RequestLimit } from '../../../service/kernel/http/request-limit.js';
import { createRequestHandler } from '../../../service/site/request-pipeline.js';
import { compileRoutes, type Route } from '../../../service/kernel/http/router.js';

/** Some routes behind the request pipeline of the service. */
export interface RouteServer {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Serves routes by the request pipeline, without anything else of the service. */
export async function serveRoutes(
  routes: readonly Route[],
  { log = () => undefined, timeoutMs = 5000 }: { log?: Log; timeoutMs?: number } = {},
): Promise<RouteServer> {
  const handle = createRequestHandler({
    findRoute: compileRoutes(routes),
    storageOrigin: undefined,
    contentHost: undefined,
    clientFiles: undefined,
    addressOf: () => '',
    redactPath: (path) => path,
    withoutTail: () => undefined,
    log,
    limit: new RequestLimit(() => 'one address'),
    baseUrl: 'http://localhost',
    requestMs: timeoutMs,
    uploadIdleMs: timeoutMs,
  });
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
