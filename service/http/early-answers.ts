import type { ServerResponse } from 'node:http';
import { sendError } from './responses.js';

/** An error answer of the API. It may be given before the body of the request has been read to its end. */
export interface EarlyAnswer {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends an error answer. The rest of a body that has not been read is dealt with by `limitLeftovers`. */
export function sendEarly(response: ServerResponse, answer: EarlyAnswer): void {
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    response.setHeader(name, value);
  }
  sendError(response, answer.status, answer.error, answer.description);
}

/** The answer to a request that cannot be understood: 400. */
export function invalid(description: string): EarlyAnswer {
  return { status: 400, error: 'invalid_request', description };
}
