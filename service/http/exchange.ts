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
  /** What is asked for, see {@link methodOf}; all decisions are made on this one. */
  readonly method: string;
  /** Where the request goes, or why that cannot be said. */
  readonly target: RequestTarget | TargetProblem;
  /** Whether programs ask, which get JSON, or people, who get pages. */
  readonly forPrograms: boolean;
  /** Set when the time for the request was over; what its handler does then is of no interest. */
  late: boolean;
}

/** Reads where a request goes, gives its answer an `X-Request-Id`, and logs one line when it is over. */
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
  // It comes as well when the connection ends with the answer half way.
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
      // A connection that ended before the answer did, as proxies write it.
      status: finished ? response.statusCode : 499,
      ms: Math.round(performance.now() - started),
    });
  });
  const forPrograms = isForPrograms(target.path);
  return { request, response, requestId, method, target, forPrograms, late: false };
}
