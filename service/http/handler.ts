import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteMatch } from './route-table.js';
import type { WholeRequest } from './whole-request.js';

/** Answers a request as Node.js hands it over. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers a request of which everything has arrived. */
export type WholeHandler = (
  request: WholeRequest,
  response: ServerResponse,
  match: RouteMatch,
) => Promise<void>;

/** Answers a request whose body is still on its way. */
export type StreamHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  about: {
    /** Path and query as they were sent. */
    readonly target: string;
    /** The method that is asked for. A header may replace that of the request, see `methodOf` in tus-headers.ts. */
    readonly method: string;
    readonly requestId: string;
  },
) => Promise<void>;
