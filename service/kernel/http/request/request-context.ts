import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../log.js';
import type { PageLocale } from '../../i18n/page-locale.js';
import type { BufferedRequest } from './buffered-request.js';
import type { ClientAddress } from './client-address.js';
import type { RequestTarget, TargetProblem } from './request-target.js';
import type { PageTarget } from '../responses.js';
import { methodOf } from '../tus-headers.js';

/** A request that is being answered. */
export interface RequestContext extends PageTarget {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The requested method, see {@link methodOf}. It determines the route, CORS and the scope of a token. */
  readonly method: string;
  /** Where the request goes. If the target cannot be read, only its path is known. */
  readonly target: RequestTarget;
  /** The segment of the path in the place of `:id`; empty if the route has no `:id`. */
  readonly id: string;
  /** The parameters in the query. */
  readonly query: URLSearchParams;
  /** Whether the request is for the API, which answers with JSON. Other requests get pages. */
  readonly isApi: boolean;
  /** The address of the client, for limits. See {@link ClientAddress}. */
  readonly clientAddress: string;
  /** Whether the request timed out and its response was sent. The handler can no longer answer. */
  timedOut: boolean;
}

/** A complete request. */
export interface BufferedContext extends RequestContext {
  /** The request as it was understood. Its method is GET for HEAD. */
  readonly request: BufferedRequest;
  readonly body: Buffer;
  /** The form of a POST, empty if the body is no form; undefined for other methods. */
  readonly form: URLSearchParams | undefined;
  /** The file in the form, on routes that take one. */
  readonly file: Buffer | undefined;
}

/** The parts of a context next to request and response. */
export interface RequestContextDeps {
  /** The target of the request, or why it cannot be answered. */
  readonly target: RequestTarget | TargetProblem;
  /** See {@link RequestContext.id}. */
  readonly id: string;
  readonly isApi: boolean;
  readonly locale: PageLocale;
  readonly pictureOrigins: PageTarget['pictureOrigins'];
  readonly clientFiles: PageTarget['clientFiles'];
  readonly addressOf: ClientAddress;
  readonly log: Log;
  /** Replaces identifiers and secrets in a path, see `redactPath` in app/redact-path.ts. */
  readonly redactPath: (path: string) => string;
}

/** Makes the context of a request, gives the response an `X-Request-Id`, and logs one line when the response is over. */
export function createContext(
  request: IncomingMessage,
  response: ServerResponse,
  { id, isApi, locale, pictureOrigins, clientFiles, ...deps }: RequestContextDeps,
): RequestContext {
  const requestId = randomUUID();
  response.setHeader('X-Request-Id', requestId);
  const target = 'status' in deps.target ? pathOnly(deps.target.path) : deps.target;
  const context: RequestContext = {
    request,
    response,
    requestId,
    method: methodOf(request, target.path),
    target,
    id,
    query: target.parameters,
    isApi,
    clientAddress: deps.addressOf(request),
    locale,
    pictureOrigins,
    clientFiles,
    timedOut: false,
  };
  logWhenOver(context, deps);
  return context;
}

function pathOnly(path: string): RequestTarget {
  return { path, search: '', parameters: new URLSearchParams(), authority: undefined };
}

function logWhenOver(
  { request, response, requestId, method, target }: RequestContext,
  { log, redactPath }: Pick<RequestContextDeps, 'log' | 'redactPath'>,
): void {
  const started = performance.now();
  let finished = false;
  // Node.js emits `finish` also when the connection ends in the middle of the response.
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
      path: redactPath(target.path),
      // 499 as in the logs of proxies: the connection ended before the response did.
      status: finished ? response.statusCode : 499,
      ms: Math.round(performance.now() - started),
    });
  });
}
