import type { ServerResponse } from 'node:http';
import { sendError } from './responses.js';

/** An answer that is given in the middle of a body instead of what the work on it comes to. */
export interface EarlyAnswer {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers before the body was read to its end. */
export function sendEarly(response: ServerResponse, answer: EarlyAnswer): void {
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    response.setHeader(name, value);
  }
  sendError(response, answer.status, answer.error, answer.description);
}

/** For a request that cannot be understood. */
export function invalid(description: string): EarlyAnswer {
  return { status: 400, error: 'invalid_request', description };
}
