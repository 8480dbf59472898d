import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteMatch } from './route-table.js';
import type { WholeRequest } from './whole-request.js';

/** Answers a request as Node.js hands it over. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers a request that has arrived to its end. */
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
    /** Path and query as they came. */
    readonly target: string;
    /** What is asked for; it need not be the method of the request itself, see `methodOf` in tus-headers.ts. */
    readonly method: string;
    readonly requestId: string;
  },
) => Promise<void>;
