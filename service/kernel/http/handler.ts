import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request as Node.js hands it over. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
