import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log.js';
import { readTarget, type RequestTarget, type TargetProblem } from './request-target.js';
import { isForPrograms, withoutIdentifiers } from './route-table.js';
import { methodOf } from './tus-headers.js';

/** A request that is being answered. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The method that is asked for, see {@link methodOf}. It decides about the route, CORS and the scope of a token. */
  readonly method: string;
  /** Where the request goes, or why it cannot be answered. */
  readonly target: RequestTarget | TargetProblem;
  /** Whether the path is one for programs, which get JSON; else it is one for people, who get pages. */
  readonly forPrograms: boolean;
  /** Whether the time for the request was over and it was answered so; its handler can no longer answer. */
  late: boolean;
}

/** Reads where a request goes, gives its answer an `X-Request-Id`, and logs one line when the exchange is over. */
export function beginExchange(
  request: IncomingMessage,
  response: ServerResponse,
  log: Log,
): Exchange {
  const started = performance.now();
  const requestId = randomUUID();
  response.setHeader('X-Request-Id', requestId);
  const target = readTarget(request.url ?? '');
  const method = methodOf(request, target.path);
  let finished = false;
  // Node.js emits `finish` also when the connection ends in the middle of the answer.
  response.prependOnceListener('finish', () => {
    finished = !request.socket.destroyed;
  });
  response.once('close', () => {
    log({
      time: new Date().toISOString(),
      level: response.statusCode >= 500 ? 'error' : 'info',
      event: 'request',
      requestId,
      method,
      path: withoutIdentifiers(target.path),
      // 499 as in the logs of proxies: the connection ended before the answer did.
      status: finished ? response.statusCode : 499,
      ms: Math.round(performance.now() - started),
    });
  });
  const forPrograms = isForPrograms(target.path);
  return { request, response, requestId, method, target, forPrograms, late: false };
}
