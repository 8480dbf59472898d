import type { ServerResponse } from 'node:http';
import { sendError } from './responses.js';

/** An error answer of the API. It may be given before the body of the request has been read to its end. */
export interface ApiError {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends an error answer. The rest of a body that has not been read is dealt with by `drainUnreadBody`. */
export function sendApiError(response: ServerResponse, answer: ApiError): void {
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    response.setHeader(name, value);
  }
  sendError(response, answer.status, answer.error, answer.description);
}

/** The answer to a request that cannot be understood: 400. */
export function invalid(description: string): ApiError {
  return { status: 400, error: 'invalid_request', description };
}
